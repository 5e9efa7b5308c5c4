"""The same two uploads in each framework: a form with a file, and a raw body. Each answers what it has got, as JSON."""

import hashlib
from typing import Any

import django
import flask
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, JsonResponse
from django.urls import path
from fastapi import FastAPI, Form, UploadFile
from handoff_worker import Request as PlainRequest
from handoff_worker import Response as PlainResponse
from handoff_worker import streams_body
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

PART_BYTES = 100_000

flask_app = flask.Flask(__name__)


@flask_app.post("/form")
def flask_form() -> dict[str, Any]:
    content = flask.request.files["file"].read()
    return _of_form(flask.request.form["title"], content)


@flask_app.post("/raw")
def flask_raw() -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    while part := flask.request.stream.read(PART_BYTES):
        digest.update(part)
        size += len(part)
    return {"sha256": digest.hexdigest(), "size": size}


def _of_form(title: str, content: bytes) -> dict[str, Any]:
    return {"title": title, "file": hashlib.sha256(content).hexdigest(), "size": len(content)}


fastapi_app = FastAPI()


@fastapi_app.post("/form")
async def fastapi_form(file: UploadFile, title: str = Form()) -> dict[str, Any]:
    return _of_form(title, await file.read())


@fastapi_app.post("/raw")
async def fastapi_raw(request: Request) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    async for part in request.stream():
        digest.update(part)
        size += len(part)
    return {"sha256": digest.hexdigest(), "size": size}


async def starlette_form(request: Request) -> JSONResponse:
    async with request.form() as form:
        file = form["file"]
        assert not isinstance(file, str)
        return JSONResponse(_of_form(str(form["title"]), await file.read()))


async def starlette_raw(request: Request) -> JSONResponse:
    body = await request.body()
    return JSONResponse({"sha256": hashlib.sha256(body).hexdigest(), "size": len(body)})


starlette_app = Starlette(
    routes=[Route("/form", starlette_form, methods=["POST"]), Route("/raw", starlette_raw, methods=["POST"])]
)


def django_form(request: HttpRequest) -> JsonResponse:
    digest, size = hashlib.sha256(), 0
    for part in request.FILES["file"].chunks():  # type: ignore[union-attr]
        digest.update(part)
        size += len(part)
    return JsonResponse({"title": request.POST["title"], "file": digest.hexdigest(), "size": size})


def django_raw(request: HttpRequest) -> JsonResponse:
    digest, size = hashlib.sha256(), 0
    while part := request.read(PART_BYTES):
        digest.update(part)
        size += len(part)
    return JsonResponse({"sha256": digest.hexdigest(), "size": size})


settings.configure(SECRET_KEY="of the tests", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, LOGGING_CONFIG=None)
django.setup()
urlpatterns = [path("form", django_form), path("raw", django_raw)]

django_wsgi = WSGIHandler()
django_asgi = ASGIHandler()


def plain(request: PlainRequest) -> PlainResponse:
    if request.path == "/form":
        return PlainResponse.json(_of_form(request.form["title"], request.form.files["file"].body))
    if request.path == "/raw":
        digest, size = hashlib.sha256(), 0
        for part in request.stream():
            digest.update(part)
            size += len(part)
        return PlainResponse.json({"sha256": digest.hexdigest(), "size": size})
    return PlainResponse("no such path", status=404)


@streams_body
async def coroutine(request: PlainRequest) -> PlainResponse:
    if request.path == "/form":
        await request.read()
        return PlainResponse.json(_of_form(request.form["title"], request.form.files["file"].body))
    if request.path == "/raw":
        digest, size = hashlib.sha256(), 0
        async for part in request.stream():
            digest.update(part)
            size += len(part)
        return PlainResponse.json({"sha256": digest.hexdigest(), "size": size})
    return PlainResponse("no such path", status=404)
