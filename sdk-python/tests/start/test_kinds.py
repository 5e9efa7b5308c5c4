"""How `python -m handoff_worker` tells what kind of application an object is."""

import functools
from typing import Any

import pytest
from handoff_worker.engine.coroutine_function import is_coroutine_function
from handoff_worker.plain.async_function import AsyncFunction
from handoff_worker.plain.function import BlockingFunction
from handoff_worker.start.kinds import application_of, kind_of
from handoff_worker.start.load import LoadFailed


class Asgi:
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...


class Wsgi:
    def __call__(self, environ: Any, start_response: Any) -> Any: ...


class Asgi2:
    def __init__(self, scope: Any) -> None: ...

    async def __call__(self, receive: Any, send: Any) -> None: ...


async def asgi(scope: Any, receive: Any, send: Any) -> None: ...


def wsgi(environ: Any, start_response: Any) -> Any: ...


def plain(request: Any) -> Any: ...


async def coroutine(request: Any) -> Any: ...


def factory() -> Any: ...


@pytest.mark.parametrize(
    ("candidate", "kind"),
    [
        (Asgi(), "asgi"),
        (asgi, "asgi"),
        (functools.partial(asgi), "asgi"),
        (Wsgi(), "wsgi"),
        (wsgi, "wsgi"),
        (Wsgi().__call__, "wsgi"),
        (plain, "function"),
        (coroutine, "function"),
        (functools.partial(wsgi, None), "function"),
    ],
)
def test_tells_the_kind_by_how_it_is_called(candidate: object, kind: str) -> None:
    assert kind_of(candidate, "main:app") == kind


@pytest.mark.parametrize(
    ("candidate", "said"),
    [(3, "cannot be called"), (factory, "--factory"), (Asgi2, "ASGI 2"), (lambda *words, key: None, "--interface")],
)
def test_says_why_it_is_no_application(candidate: object, said: str) -> None:
    with pytest.raises(LoadFailed, match=said):
        kind_of(candidate, "main:app")


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        (coroutine, True),
        (functools.partial(coroutine), True),
        (Asgi(), True),
        (plain, False),
        (Wsgi(), False),
        (Asgi, False),
    ],
)
def test_tells_a_coroutine_function(candidate: object, expected: bool) -> None:
    assert is_coroutine_function(candidate) is expected


def test_an_application_is_called_what_the_user_calls_it() -> None:
    application = application_of(coroutine, "main:handler", "function", 1)
    assert isinstance(application, AsyncFunction) and application.name == "main:handler"
    application = application_of(plain, "main:handler", "function", 1)
    assert isinstance(application, BlockingFunction) and application.name == "main:handler"
