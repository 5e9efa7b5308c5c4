"""The logger of the SDK. The core relays the worker's stderr, and puts the worker's name in front of each line."""

import logging
from typing import Any

from handoff_worker.log import shorten

log = logging.getLogger("handoff")


class _HandlerOfLastResort(logging.StreamHandler):  # type: ignore[type-arg]  # generic from Python 3.11 on only
    """Writes to stderr while the root logger has no handler. The root is the application's, which may configure it before or after."""

    def emit(self, record: logging.LogRecord) -> None:
        if not (log.propagate and logging.getLogger().handlers):
            super().emit(record)


class _ShortTracebacks(logging.Formatter):
    """Cuts tracebacks: an exception may say as much as its client has sent, and a recursion may be a thousand calls deep."""

    def formatException(self, ei: Any) -> str:
        return shorten.traceback(super().formatException(ei))


def set_up() -> None:
    """Gives the logger `handoff` a handler and the level INFO, unless the application has given it its own."""
    if log.level == logging.NOTSET:
        log.setLevel(logging.INFO)
    if not log.handlers:
        handler = _HandlerOfLastResort()
        handler.setFormatter(_ShortTracebacks("%(levelname)s %(name)s: %(message)s"))
        log.addHandler(handler)
