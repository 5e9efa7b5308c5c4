"""The site of the matrix, in Flask."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from cases import LARGE, echo
from flask import Flask, Response, redirect, request, send_file

app = Flask(__name__)
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


@app.route("/echo", methods=METHODS)
def echoed() -> dict[str, Any]:
    headers = {name.lower(): value for name, value in request.headers}
    body = request.get_data()
    return echo(request.method, request.path, list(request.args.items(multi=True)), headers, request.cookies, body)


@app.get("/path/<path:rest>")
def path(rest: str) -> dict[str, str]:
    return {"rest": rest, "path": request.path}


@app.post("/upload")
def upload() -> dict[str, Any]:
    files = [
        [name, file.filename, file.content_type, sha256(file.read()).hexdigest()]
        for name in request.files
        for file in request.files.getlist(name)
    ]
    return {"form": request.form.to_dict(), "files": files}


@app.get("/binary")
def binary() -> Response:
    return Response(bytes(range(256)), mimetype="application/octet-stream")


@app.get("/large")
def large() -> Response:
    return Response(LARGE, mimetype="application/octet-stream")


@app.get("/nothing")
def nothing() -> str:
    return ""


@app.get("/no-content")
def no_content() -> tuple[str, int]:
    return "", 204


@app.get("/set-cookies")
def set_cookies() -> Response:
    response = Response("cookies")
    response.set_cookie("a", "1", httponly=True)
    response.set_cookie("b", "with blank; and more", max_age=60)
    return response


@app.get("/twice")
def twice() -> tuple[str, list[tuple[str, str]]]:
    return "twice", [("X-Twice", "a"), ("X-Twice", "b")]


@app.get("/latin")
def latin() -> tuple[str, list[tuple[str, str]]]:
    return "latin", [("X-Latin", "caf\u00e9")]


@app.get("/redirect")
def redirected() -> Any:
    return redirect("/echo?from=redirect")


@app.get("/teapot")
def teapot() -> tuple[dict[str, str], int]:
    return {"short": "and stout"}, 418


@app.get("/stream")
def stream() -> Response:
    def chunks() -> Iterator[str]:
        for number in range(100):
            yield f"{number}\n"

    return Response(chunks(), mimetype="text/plain")


@app.get("/file")
def file() -> Response:
    return send_file("file.txt")


@app.get("/exception")
def exception() -> str:
    raise LookupError("nothing there")
