"""A route of Flask, as its quick start has it."""

from flask import Flask, Response

app = Flask(__name__)


@app.get("/")
def hello() -> Response:
    return Response("hello\n", content_type="text/plain")
