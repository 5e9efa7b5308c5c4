"""Logs what a handler raises. Clients choose how often a handler fails, so not every failure gets its traceback."""

import threading
import time
import traceback
from collections.abc import Callable

from handoff_worker.log.logger import log
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.frames import BrokenFrame

SECONDS_BETWEEN_TRACEBACKS = 10.0
"""Between two tracebacks of the same place in the code. In between, a failure is one line."""
MOST_PLACES = 100
"""Places that get a traceback within that time."""
MOST_TARGET_CHARACTERS = 200
MOST_REASON_CHARACTERS = 300


class Tracebacks:
    """Decides which failures are logged with their traceback. Any thread may ask."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` returns seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._logged: dict[tuple[type[BaseException], str], float] = {}
        """When each place last got a traceback, the oldest first."""

    def is_due(self, error: BaseException) -> bool:
        """Whether the last traceback of this place is long ago. If so, this one counts as logged."""
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
    """The file and line that raised the error; empty for an error that was never raised."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return "" if at is None else f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}"


_tracebacks = Tracebacks()


def tell_failure(exchange: Exchange, error: BaseException, name: str, tracebacks: Tracebacks = _tracebacks) -> None:
    """
    Logs what came out of a handler, with its traceback where that is due, and tells the core that there is no response.

    `name` is what the user calls the handler.
    """
    reason = "".join(traceback.format_exception_only(type(error), error)).strip()
    try:
        target, _, _ = exchange.target.partition("?")  # the query may hold secrets
        where = {"request_id": exchange.request_id, "method": exchange.method, "target": target}
        failed = f"{name} failed for {exchange.method} {target[:MOST_TARGET_CHARACTERS]}"
    except BrokenFrame:
        where = {}
        failed = f"{name} was given a broken request"
    if tracebacks.is_due(error):
        log.error("%s", failed, exc_info=error, extra=where)
    else:
        short = (reason.splitlines() or [""])[0][:MOST_REASON_CHARACTERS]
        log.error("%s: %s (%s; the log has its traceback already)", failed, short, place_of(error), extra=where)
    exchange.fail(reason)
