"""What the SDK says, through `logging`: the core relays the worker's stderr, and puts its name in front of each line."""

import logging
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from handoff_worker.log import shorten
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.frames import BrokenFrame

log = logging.getLogger("handoff")

SECONDS_BETWEEN_TRACEBACKS = 10.0
"""Of the same place in the code. In between, a failure is one line: clients choose how often a handler fails."""
MOST_PLACES = 100
"""So many places get a traceback in that time, all in all."""
MOST_TARGET_CHARACTERS = 200
MOST_REASON_CHARACTERS = 300


class _WhereNobodyHears(logging.StreamHandler):  # type: ignore[type-arg]  # generic from Python 3.11 on only
    """Writes what no handler of the root logger gets: the root is the application's, which may configure it before or after."""

    def emit(self, record: logging.LogRecord) -> None:
        if not (log.propagate and logging.getLogger().handlers):
            super().emit(record)


class _WithShortTracebacks(logging.Formatter):
    """An exception may say as much as its client has sent, and a program may have called itself a thousand times."""

    def formatException(self, ei: Any) -> str:
        return shorten.traceback(super().formatException(ei))


def set_up() -> None:
    """Gives our logger a handler and a level, unless the application has."""
    if log.level == logging.NOTSET:
        log.setLevel(logging.INFO)
    if not log.handlers:
        handler = _WhereNobodyHears()
        handler.setFormatter(_WithShortTracebacks("%(levelname)s %(name)s: %(message)s"))
        log.addHandler(handler)


class Tracebacks:
    """Says which failures are logged with their traceback. Any thread may ask."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._logged: dict[tuple[type[BaseException], str], float] = {}
        """When, for each place, the longest ago first."""

    def is_due(self, error: BaseException) -> bool:
        """Whether the last one of this place is long ago. If so, this one counts as logged."""
        place = type(error), place_of(error)
        now = self._clock()
        with self._lock:
            for oldest, logged_at in list(self._logged.items()):
                if now - logged_at < SECONDS_BETWEEN_TRACEBACKS:
                    break
                del self._logged[oldest]
            if place in self._logged or len(self._logged) >= MOST_PLACES:
                return False
            self._logged[place] = now
            return True


def place_of(error: BaseException) -> str:
    """The file and line that raised it; empty where it was not raised."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return "" if at is None else f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}"


_tracebacks = Tracebacks()


def tell_failure(exchange: Exchange, error: BaseException, name: str, tracebacks: Tracebacks = _tracebacks) -> None:
    """Logs what came out of a handler, with its traceback where that is due, and tells the core that there is no answer."""
    reason = "".join(traceback.format_exception_only(type(error), error)).strip()
    try:
        where = {"request_id": exchange.request_id, "method": exchange.method, "target": exchange.target}
        failed = f"{name} failed for {exchange.method} {exchange.target[:MOST_TARGET_CHARACTERS]}"
    except BrokenFrame:
        where = {}
        failed = f"{name} was given a broken request"
    if tracebacks.is_due(error):
        log.error("%s", failed, exc_info=error, extra=where)
    else:
        short = (reason.splitlines() or [""])[0][:MOST_REASON_CHARACTERS]
        log.error("%s: %s (%s; the log has its traceback already)", failed, short, place_of(error), extra=where)
    exchange.fail(reason)
