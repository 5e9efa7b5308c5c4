"""The Handoff HTTP server as a package of pip. Its command is handoff, or python -m handoff_server; a worker imports handoff_worker."""
