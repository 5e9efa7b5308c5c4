"""What the SDK says, through `logging`: the core relays the worker's stderr, and puts its name in front of each line."""

import logging
import traceback

from handoff._exchange import Exchange
from handoff._frames import BrokenFrame

log = logging.getLogger("handoff")


def set_up() -> None:
    """Gives the root logger a handler, unless the application has."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")


def tell_failure(exchange: Exchange, error: BaseException, name: str) -> None:
    """Logs with its traceback what came out of a handler, and tells the core that there is no answer."""
    try:
        where = {"request_id": exchange.request_id, "method": exchange.method, "target": exchange.target}
        log.error("%s failed for %s %s", name, exchange.method, exchange.target, exc_info=error, extra=where)
    except BrokenFrame:
        log.error("%s was given a broken request", name, exc_info=error)
    exchange.fail("".join(traceback.format_exception_only(type(error), error)).strip())
