"""What one measurement of a server gave."""

from dataclasses import dataclass

from harness.load import Load


@dataclass(frozen=True)
class Sample:
    peer: str
    asked: str
    """What for, where there are several things."""
    round: int
    load: Load
    cpu_seconds: float
    """Of all the server's processes, during the load."""
    memory_bytes: int = 0
    others_busy: float = 0
    """The share of all cores that went neither to the server nor to the client."""

    @property
    def rate(self) -> float:
        return self.load.requests / self.load.seconds

    @property
    def cpu_micros(self) -> float:
        """For each request."""
        return self.cpu_seconds / self.load.requests * 1e6
