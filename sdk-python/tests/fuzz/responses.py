"""What an application gave for a response, and what the core is told."""

from dataclasses import dataclass, field

from handoff_worker.protocol.content_length import WITHOUT_BODY
from recorded import Fields, Outbox


@dataclass
class GivenResponse:
    method: str
    status: int | None = None
    headers: Fields = field(default_factory=list)
    body: bytes = b""

    def start(self, status: int, headers: Fields) -> None:
        self.status = status
        self.headers = headers


def require_answered(given: GivenResponse, outbox: Outbox) -> None:
    """Once, and with nothing that the core would refuse."""
    kept = outbox.only
    if kept.head["type"] == "failure":
        assert kept.failure and not kept.body
        return
    assert (kept.status, kept.headers, kept.body) == (given.status, given.headers, given.body)
    assert 200 <= kept.status <= 599
    for name, value in kept.headers:
        assert name and not set(name) & set(" \t\r\n:"), f"the name {name!r}"
        assert not set(value) & set("\r\n\0"), f"the value {value!r}"
        if name.lower() == "content-length" and given.method != "HEAD" and kept.status not in WITHOUT_BODY:
            assert value == str(len(kept.body)), "a length that is not the body's"
            break
