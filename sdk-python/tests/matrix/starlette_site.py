"""The site of the matrix, in Starlette."""

from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

from cases import LARGE, echo
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


async def echoed(request: Request) -> Response:
    headers = {name: ",".join(request.headers.getlist(name)) for name in request.headers}
    query = request.query_params.multi_items()
    body = await request.body()
    return JSONResponse(echo(request.method, request.url.path, query, headers, request.cookies, body))


async def path(request: Request) -> Response:
    return JSONResponse({"rest": request.path_params["rest"], "path": request.scope["path"]})


async def upload(request: Request) -> Response:
    async with request.form() as form:
        files = [
            [name, file.filename, file.content_type, sha256(await file.read()).hexdigest()]
            for name, file in form.multi_items()
            if not isinstance(file, str)
        ]
        return JSONResponse({"note": form["note"], "files": files})


async def binary(request: Request) -> Response:
    return Response(bytes(range(256)), media_type="application/octet-stream")


# Not a coroutine: Starlette runs it on a thread.
def large(request: Request) -> Response:
    return Response(LARGE, media_type="application/octet-stream")


async def nothing(request: Request) -> Response:
    return Response("")


async def no_content(request: Request) -> Response:
    return Response(status_code=204)


async def set_cookies(request: Request) -> Response:
    response = PlainTextResponse("cookies")
    response.set_cookie("a", "1", httponly=True)
    response.set_cookie("b", "with blank; and more", max_age=60)
    return response


async def twice(request: Request) -> Response:
    response = PlainTextResponse("twice")
    response.headers.append("X-Twice", "a")
    response.headers.append("X-Twice", "b")
    return response


async def latin(request: Request) -> Response:
    return PlainTextResponse("latin", headers={"X-Latin": "caf\u00e9"})


async def redirected(request: Request) -> Response:
    return RedirectResponse("/echo?from=redirect")


async def teapot(request: Request) -> Response:
    return JSONResponse({"short": "and stout"}, status_code=418)


async def stream(request: Request) -> Response:
    async def chunks() -> AsyncIterator[str]:
        for number in range(100):
            yield f"{number}\n"

    return StreamingResponse(chunks(), media_type="text/plain")


async def file(request: Request) -> Response:
    return FileResponse(Path(__file__).with_name("file.txt"))


async def exception(request: Request) -> Response:
    raise LookupError("nothing there")


app = Starlette(
    routes=[
        Route("/echo", echoed, methods=METHODS),
        Route("/path/{rest:path}", path),
        Route("/upload", upload, methods=["POST"]),
        Route("/binary", binary),
        Route("/large", large),
        Route("/nothing", nothing),
        Route("/no-content", no_content),
        Route("/set-cookies", set_cookies),
        Route("/twice", twice),
        Route("/latin", latin),
        Route("/redirect", redirected),
        Route("/teapot", teapot),
        Route("/stream", stream),
        Route("/file", file),
        Route("/exception", exception),
    ]
)
