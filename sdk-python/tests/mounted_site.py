"""Applications that say at which address a client finds them: `/where` of each writes its own."""

from typing import Any

import django
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse
from fastapi import FastAPI, Request
from flask import Flask, url_for
from starlette.responses import PlainTextResponse

settings.configure(SECRET_KEY="of the tests", ALLOWED_HOSTS=["example.org"], ROOT_URLCONF=__name__, LOGGING_CONFIG=None)
django.setup()

flask_app = Flask(__name__)
fast_api = FastAPI()


@flask_app.get("/where")
def in_flask() -> str:
    return url_for("in_flask", _external=True)


@fast_api.get("/where")
def in_fast_api(request: Request) -> Any:
    return PlainTextResponse(str(request.url_for("in_fast_api")))


def in_django(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.build_absolute_uri(reverse("where")))


urlpatterns = [path("where", in_django, name="where")]
# The address begins with the scheme that the core tells; Django asks nothing but the environ and the scope.
django_wsgi = WSGIHandler()
django_asgi = ASGIHandler()
