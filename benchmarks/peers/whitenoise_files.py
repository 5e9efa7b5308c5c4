"""The files of a folder, as WhiteNoise sends them."""

import os
from collections.abc import Callable
from typing import Any

from whitenoise import WhiteNoise  # type: ignore[import-not-found]


def _not_found(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    start_response("404 Not Found", [])
    return []


app = WhiteNoise(_not_found, root=os.environ["FILES"], index_file=True)
