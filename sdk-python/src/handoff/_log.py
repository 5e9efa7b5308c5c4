"""What the SDK says, through `logging`: the core relays the worker's stderr, and puts its name in front of each line."""

import logging
import traceback
from typing import TextIO

from handoff._exchange import Exchange
from handoff._frames import BrokenFrame

log = logging.getLogger("handoff")


class _WhereNobodyHears(logging.StreamHandler[TextIO]):
    """Writes what no handler of the root logger gets: the root is the application's, which may configure it before or after."""

    def emit(self, record: logging.LogRecord) -> None:
        if not (log.propagate and logging.getLogger().handlers):
            super().emit(record)


def set_up() -> None:
    """Gives our logger a handler and a level, unless the application has."""
    if log.level == logging.NOTSET:
        log.setLevel(logging.INFO)
    if not log.handlers:
        handler = _WhereNobodyHears()
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        log.addHandler(handler)


def tell_failure(exchange: Exchange, error: BaseException, name: str) -> None:
    """Logs with its traceback what came out of a handler, and tells the core that there is no answer."""
    try:
        where = {"request_id": exchange.request_id, "method": exchange.method, "target": exchange.target}
        log.error("%s failed for %s %s", name, exchange.method, exchange.target, exc_info=error, extra=where)
    except BrokenFrame:
        log.error("%s was given a broken request", name, exc_info=error)
    exchange.fail("".join(traceback.format_exception_only(type(error), error)).strip())
