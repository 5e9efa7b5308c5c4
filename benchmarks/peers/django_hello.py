"""A view of Django, with the middleware of a new project that needs no database, as ASGI."""

from django.conf import settings  # type: ignore[import-untyped]
from django.core.asgi import get_asgi_application  # type: ignore[import-untyped]
from django.http import HttpRequest, HttpResponse  # type: ignore[import-untyped]
from django.urls import path  # type: ignore[import-untyped]

settings.configure(
    ALLOWED_HOSTS=["*"],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    ROOT_URLCONF=__name__,
)


async def hello(request: HttpRequest) -> HttpResponse:
    return HttpResponse("hello\n", content_type="text/plain")


urlpatterns = [path("", hello)]
app = get_asgi_application()
