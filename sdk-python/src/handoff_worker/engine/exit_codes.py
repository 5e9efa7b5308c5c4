"""The exit codes of a worker process; sdk-python/README.md lists them for operators."""

CLEAN = 0
"""It was told to stop, and has finished."""
FAILED = 1
"""The core refused it, or is gone and had started it; or the application could not start."""
BAD_ENVIRONMENT = 2
"""The environment names no core."""
INTERRUPTED = 130
"""A second Ctrl-C, as shells count it: 128 and SIGINT."""
