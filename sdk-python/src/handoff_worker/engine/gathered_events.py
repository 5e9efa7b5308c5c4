"""Tells the developer, once, that an older core keeps events from their clients."""

from collections.abc import Iterable

from handoff_worker.log.logger import log

_told = False


def tell_gathered(headers: Iterable[tuple[str, str]]) -> None:
    """Called where a response in parts begins, and the core takes whole responses only."""
    global _told
    if not _told and any(
        name.lower() == "content-type" and value.startswith("text/event-stream") for name, value in headers
    ):
        _told = True
        log.warning(
            "a response of text/event-stream has to end before its client gets any of it: "
            "this core takes no responses in pieces, a newer Handoff does"
        )
