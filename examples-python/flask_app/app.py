"""A paste board in Flask: a form, an upload, a session, a redirect. Nothing in it knows how it is served."""

import os
import secrets

from flask import Flask, Response, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

MOST_PASTES = 100

app = Flask(__name__)
# Several processes must agree on it, and a restart should not end every session: give it to them where that matters.
app.secret_key = os.environ.get("SECRET_KEY") or secrets.token_bytes(32)
app.config["MAX_CONTENT_LENGTH"] = 1024 * 1024

pastes: dict[str, bytes] = {}


@app.get("/")
def index() -> str:
    return render_template("index.html", names=list(pastes))


@app.post("/")
def add() -> AnyResponse:
    file = request.files.get("file")
    content = file.read() if file else request.form.get("text", "").encode()
    if not content:
        abort(400, "there is nothing in it")
    while len(pastes) >= MOST_PASTES:
        del pastes[next(iter(pastes))]
    name = secrets.token_urlsafe(6)
    pastes[name] = content
    flash(f"{len(content)} bytes are kept as {name}")
    return redirect(url_for("show", name=name), code=303)


@app.get("/<name>")
def show(name: str) -> Response:
    if name not in pastes:
        abort(404)
    return Response(pastes[name], mimetype="text/plain")
