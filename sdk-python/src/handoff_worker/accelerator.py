"""
The accelerator in C, where the package `handoff-worker-accelerator` is installed (docs/decisions/0024-python-accelerator.md).

Its functions are a fast way for what comes most often. They return None, or read no further, where the Python beside their caller has
to do it, which is complete without them. Here they are None where there is no accelerator, or one of another version.
"""

import logging
from collections.abc import Callable
from typing import Any

from handoff_worker.version import __version__

try:
    import handoff_worker_accelerator as _installed  # type: ignore[import-not-found, unused-ignore]
except ModuleNotFoundError:
    _installed = None
    said = logging.DEBUG, "handoff-worker-accelerator is not installed"
except ImportError as problem:  # made for another machine
    _installed = None
    said = logging.WARNING, f"handoff-worker-accelerator cannot be used: {problem}"
else:
    if _installed.__version__ == __version__:
        said = logging.DEBUG, f"handoff-worker-accelerator {__version__} is used"
    else:
        difference = f"{_installed.__version__} is not used, since handoff-worker is {__version__}: install the same version of both"
        said = logging.WARNING, f"handoff-worker-accelerator {difference}"
        _installed = None
# What the worker says of it when it starts: the level and the message.

Pairs = tuple[tuple[str, str], ...]
Dictionary = dict[str, Any]

read_requests: Callable[[bytes, int, list[Any], int, int], int] | None = None
"""Data, where to begin, where to append requests, the largest JSON and body. Returns where the first frame is that it left."""

make_scope: (
    Callable[[bytes, float, Dictionary, Dictionary, Dictionary, Dictionary, Dictionary], Dictionary | None] | None
) = None
"""JSON, deadline, state, a model of all keys, the version of ASGI, addresses of clients and of servers. Returns a scope."""

make_environ: Callable[[bytes, float, Dictionary, Dictionary, Dictionary, Dictionary], Dictionary | None] | None = None
"""JSON, deadline, a model of all keys, keys of headers, addresses of clients and of servers. Returns an environ without input."""

write_response_head: Callable[[int, int, Pairs, int], bytes | None] | None = None
"""Id, status, headers and bytes of the body. Returns lengths and JSON of a whole response with the usual reason."""

if _installed is not None:
    read_requests = _installed.read_requests
    make_scope = _installed.make_scope
    make_environ = _installed.make_environ
    write_response_head = _installed.write_response_head
