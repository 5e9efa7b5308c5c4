from handoff_worker import Request, Response, serve


def greet(request: Request) -> Response:
    return Response(f"hello {request.query.get('name', 'you')}\n")


serve(greet)
