"""File descriptors: one for each connection, of which a process usually may have 1,024 unless it asks for more."""

import resource

SPARE = 100
"""For what a process has open beside its connections."""


class TooFew(Exception):
    """The system does not let us have as many."""


def allow(connections: int) -> None:
    """Raises the soft limit of this process, and of those that it starts, as far as it may go."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < connections + SPARE:
        raise TooFew(
            f"{connections:,} connections need a hard limit of {connections + SPARE:,} open files, not {hard:,}"
        )
    wanted = hard if hard != resource.RLIM_INFINITY else connections + SPARE
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
