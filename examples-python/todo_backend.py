"""The TodoBackend (todobackend.com) as one plain function: a to-do list that a page of any origin may change.

The list is in the memory of this process. With more than one worker each would have a list of its own, so run it with one;
what several share belongs in a database.
"""

from itertools import count
from typing import Any

from handoff_worker import Request, Response, serve

Todo = dict[str, Any]

CHANGEABLE = {"title": str, "completed": bool, "order": int}
CORS = [
    ("access-control-allow-origin", "*"),
    ("access-control-allow-methods", "GET, POST, PATCH, DELETE"),
    ("access-control-allow-headers", "content-type"),
    ("access-control-max-age", "600"),
]
PREFLIGHT = Response(status=204, headers=CORS)

todos: dict[str, Todo] = {}
numbers = count(1)


def handle(request: Request) -> Response:
    if request.method == "OPTIONS":
        return PREFLIGHT
    key = request.path.strip("/")
    if not key:
        return the_list(request)
    if key not in todos:
        return problem(404, f"there is no to-do {key}")
    return one(key, request)


def the_list(request: Request) -> Response:
    match request.method:
        case "GET" | "HEAD":
            return json_response(list(todos.values()))
        case "POST":
            key = str(next(numbers))
            url = f"http://{request.headers.get('host', 'localhost')}/{key}"
            return change({"title": "", "completed": False, "order": None, "url": url}, key, request, status=201)
        case "DELETE":
            todos.clear()
            return Response(status=204, headers=CORS)
    return problem(405, f"the list does not know {request.method}")


def one(key: str, request: Request) -> Response:
    match request.method:
        case "GET" | "HEAD":
            return json_response(todos[key])
        case "PATCH":
            return change(todos[key], key, request)
        case "DELETE":
            del todos[key]
            return Response(status=204, headers=CORS)
    return problem(405, f"a to-do does not know {request.method}")


def change(todo: Todo, key: str, request: Request, status: int = 200) -> Response:
    """Stores the to-do with what the request asks to be different."""
    try:
        wanted = request.json()
    except ValueError as error:
        return problem(400, f"the body is not JSON: {error}")
    if not isinstance(wanted, dict):
        return problem(400, "the body is not a JSON object")
    for name, kind in CHANGEABLE.items():
        if name in wanted and type(wanted[name]) is not kind:
            return problem(422, f"{name} is not of type {kind.__name__}")
    todos[key] = todo | {name: wanted[name] for name in CHANGEABLE if name in wanted}
    return json_response(todos[key], status)


def json_response(value: Any, status: int = 200) -> Response:
    return Response.json(value, status=status, headers=CORS)


def problem(status: int, detail: str) -> Response:
    return json_response({"status": status, "detail": detail}, status)


serve(handle)
