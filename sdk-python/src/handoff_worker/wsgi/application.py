"""Serves WSGI applications (PEP 3333), such as those of Flask, Django and Pyramid, as they are.

The core hands over whole requests and takes whole answers: `wsgi.input` is in memory, and what an iterable yields is gathered.
"""

from typing import Any

from handoff_worker.gateway.gathering_budget import Gathering
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.start.callables import accepts, is_async
from handoff_worker.wsgi.call import Call, WsgiApp
from handoff_worker.wsgi.environ import Environs

__all__ = ["WsgiApplication", "is_wsgi"]


class WsgiApplication:
    """A WSGI application, for an engine that may block. `begin` may be called by several threads at once."""

    def __init__(self, app: WsgiApp, name: str, multithread: bool, gathering: Gathering | None = None) -> None:
        """`multithread` says whether the engine does so, for the application's `wsgi.multithread`."""
        self._gathering = gathering or Gathering()
        self.name = name
        self._app = app
        self._environs = Environs(multithread)

    def start(self) -> None:
        """Nothing: WSGI has no startup of its own, importing the application was it."""

    def begin(self, exchange: Exchange) -> None:
        """Returns when the application has answered; raises what it raises, which the engine makes a failure."""
        Call(exchange, self._gathering).run(self._app, self._environs.of(exchange))

    def stop(self) -> None:
        """Nothing, as with start."""


def is_wsgi(app: Any) -> bool:
    """Whether this is a WSGI application: something to call with an environ and `start_response`."""
    return callable(app) and not is_async(app) and accepts(app, 2) and not accepts(app, 1)
