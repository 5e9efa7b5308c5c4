"""
A fast way for what handoff-worker does for each request. It is used where it is installed, in the same version.

It has no API of its own: what is here may change with any version.
"""

from handoff_worker_accelerator._native import make_environ, make_scope, read_requests, write_response_head
from handoff_worker_accelerator.version import __version__

__all__ = ["__version__", "make_environ", "make_scope", "read_requests", "write_response_head"]
