"""The Handoff SDK: Python handlers, ASGI and WSGI applications as workers of the Handoff HTTP server."""

from handoff._version import __version__

__all__ = ["__version__"]
