"""Serves WSGI applications (PEP 3333) unchanged, such as those of Flask, Django and Pyramid.

`wsgi.input` is in memory, but that of a large request comes in pieces. What an iterable yields leaves whole when it ends soon, else in pieces.
"""

from handoff_worker.gateway.client_gone import ClientGone
from handoff_worker.gateway.gathering_budget import GatheringBudget
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.request_body import BodyCutOff
from handoff_worker.wsgi.call import Call, WsgiApp
from handoff_worker.wsgi.environ import Environs


class WsgiApplication:
    """A WSGI application, for an engine that may block. `begin` may be called by several threads at once."""

    def __init__(self, app: WsgiApp, name: str, multithread: bool, budget: GatheringBudget | None = None) -> None:
        """
        `name`: what messages call it. `multithread`: whether several threads call `begin`, for `wsgi.multithread`. `budget`: for
        responses in parts; None for one of the default size.
        """
        self._budget = budget or GatheringBudget()
        self.name = name
        self._app = app
        self._environs = Environs(multithread)

    def start(self) -> None:
        """Does nothing: WSGI knows no startup but the import of the application."""

    def begin(self, exchange: Exchange) -> None:
        """Returns when the application has answered. Raises what the application raises, which the engine makes a failure."""
        try:
            Call(exchange, self._budget).run(self._app, self._environs.of(exchange))
        except (BodyCutOff, ClientGone) as problem:
            if exchange.cancelled is None:
                raise
            exchange.fail(str(problem))  # the application gave up because its client did, which is no fault

    def stop(self) -> None:
        """Does nothing: WSGI knows no shutdown."""
