"""The site of the matrix, in Django: the same views as a WSGI and as an ASGI application."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import django
from cases import LARGE, echo
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
    StreamingHttpResponse,
)
from django.urls import path

settings.configure(
    SECRET_KEY="of the tests",
    ALLOWED_HOSTS=["example.org"],
    ROOT_URLCONF=__name__,
    # As a browser's form may be, and more.
    DATA_UPLOAD_MAX_MEMORY_SIZE=None,
    LOGGING_CONFIG=None,
)
django.setup()


def echoed(request: HttpRequest) -> HttpResponse:
    headers = {name.lower(): value for name, value in request.headers.items()}
    query = [(name, value) for name, values in request.GET.lists() for value in values]
    return JsonResponse(echo(request.method or "", request.path, query, headers, request.COOKIES, request.body))


def rest_of_path(request: HttpRequest, rest: str) -> HttpResponse:
    return JsonResponse({"rest": rest, "path": request.path})


def upload(request: HttpRequest) -> HttpResponse:
    files = [
        [name, file.name, file.content_type, sha256(file.read()).hexdigest()]
        for name, list_of_files in request.FILES.lists()
        for file in list_of_files
    ]
    return JsonResponse({"form": request.POST.dict(), "files": files})


def binary(request: HttpRequest) -> HttpResponse:
    return HttpResponse(bytes(range(256)), content_type="application/octet-stream")


def large(request: HttpRequest) -> HttpResponse:
    return HttpResponse(LARGE, content_type="application/octet-stream")


def nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def no_content(request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=204)


def set_cookies(request: HttpRequest) -> HttpResponse:
    response = HttpResponse("cookies")
    response.set_cookie("a", "1", httponly=True)
    response.set_cookie("b", "with blank; and more")
    return response


def latin(request: HttpRequest) -> HttpResponse:
    return HttpResponse("latin", headers={"X-Latin": "caf\u00e9"})


def redirected(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect("/echo?from=redirect")


def teapot(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"short": "and stout"}, status=418)


def stream(request: HttpRequest) -> StreamingHttpResponse:
    def chunks() -> Iterator[str]:
        for number in range(100):
            yield f"{number}\n"

    return StreamingHttpResponse(chunks(), content_type="text/plain")


def file(request: HttpRequest) -> FileResponse:
    return FileResponse(Path(__file__).with_name("file.txt").open("rb"))


def exception(request: HttpRequest) -> HttpResponse:
    raise LookupError("nothing there")


urlpatterns = [
    path("echo", echoed),
    path("path/<path:rest>", rest_of_path),
    path("upload", upload),
    path("binary", binary),
    path("large", large),
    path("nothing", nothing),
    path("no-content", no_content),
    path("set-cookies", set_cookies),
    path("latin", latin),
    path("redirect", redirected),
    path("teapot", teapot),
    path("stream", stream),
    path("file", file),
    path("exception", exception),
]

wsgi = WSGIHandler()
asgi = ASGIHandler()
