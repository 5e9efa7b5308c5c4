"""The pieces of one request between the thread that reads and the one that takes them."""

import threading
from dataclasses import dataclass, field

import pytest
from handoff_worker.protocol.frames import prefix
from handoff_worker.protocol.request_body import CREDIT_BYTES, STEP_BYTES, BodyCutOff, RequestBody

PIECE = b"x" * 64 * 1024


@dataclass
class Credits:
    frames: list[bytes] = field(default_factory=list)
    flushed: int = 0
    awaited: list[int] = field(default_factory=list)

    def put_piece(self, request_id: int, head: bytes, body: bytes) -> None:
        assert (request_id, body, prefix.unpack_from(head)) == (7, b"", (len(head) - 8, 0))
        self.frames.append(head[8:])

    def flush_pieces(self) -> None:
        self.flushed += 1

    def piece_awaited(self, request_id: int) -> None:
        self.awaited.append(request_id)


@pytest.fixture
def credits() -> Credits:
    return Credits()


@pytest.fixture
def body(credits: Credits) -> RequestBody:
    return RequestBody(7, credits)


def test_gives_the_pieces_in_order_then_nothing(body: RequestBody) -> None:
    body.add(b"one", more=True)
    body.add(b"", more=True)
    body.add(b"two", more=False)
    assert not body.is_at_end
    assert [body.take(), body.take()] == [b"one", b"two"]
    assert body.is_at_end
    assert [body.take(), body.take()] == [b"", b""]


def test_bytes_that_nobody_has_taken_are_joined(body: RequestBody) -> None:
    sent = bytes(i % 251 for i in range(CREDIT_BYTES))
    for i in range(len(sent)):
        body.add(sent[i : i + 1], more=True)
    body.add(PIECE, more=True)
    body.add(b"end", more=False)
    taken = []
    while not body.is_at_end:
        taken.append(body.take())
    assert b"".join(piece for piece in taken if piece is not None) == sent + PIECE + b"end"
    assert len(taken) < 64 + len(sent) // 4096 + 5
    assert {type(piece) for piece in taken} == {bytes}


def test_says_that_a_piece_has_to_be_waited_for_and_when_it_has_come(body: RequestBody) -> None:
    called: list[bytes | None] = []
    body.when_more = lambda: called.append(body.take())
    assert body.take() is None
    body.add(b"one", more=True)
    body.add(b"", more=False)
    assert called == [b"one", b""]


def test_credit_is_granted_for_what_was_taken_half_a_window_at_a_time(body: RequestBody, credits: Credits) -> None:
    for _ in range(CREDIT_BYTES // len(PIECE)):
        body.add(PIECE, more=True)
    assert credits.frames == [], "nothing was taken"
    body.take()
    assert credits.frames == []
    body.take()
    assert credits.frames == [b'{"type":"credit","id":7,"bytes":%d}' % STEP_BYTES]
    body.take()
    body.take()
    assert (len(credits.frames), credits.flushed) == (2, 2)


def test_a_whole_body_needs_no_credit(body: RequestBody, credits: Credits) -> None:
    for _ in range(3):
        body.add(PIECE, more=True)
    body.add(PIECE, more=False)
    while body.take():
        pass
    assert credits.frames == []


def test_what_is_cut_off_is_dropped_with_all_that_still_comes(body: RequestBody, credits: Credits) -> None:
    woken: list[bool] = []
    body.when_more = lambda: woken.append(True)
    body.add(PIECE * 4, more=True)
    body.cut_off("its client left")
    assert len(woken) == 2
    body.add(PIECE * 4, more=True)
    for _ in range(2):
        with pytest.raises(BodyCutOff, match="its client left"):
            body.take()
    assert credits.frames == [] and not body.is_at_end
    assert isinstance(BodyCutOff(), OSError), "as applications expect it of a file"


def test_a_body_that_was_taken_stays_at_its_end(body: RequestBody) -> None:
    body.add(b"all", more=False)
    body.take()
    body.cut_off("it has its response")
    assert body.take() == b""


def test_the_first_reason_counts(body: RequestBody) -> None:
    body.cut_off("the first")
    body.cut_off("the second")
    with pytest.raises(BodyCutOff, match="the first"):
        body.take()


def test_no_byte_is_lost_between_two_threads(body: RequestBody) -> None:
    sent = [bytes([number % 256]) for number in range(20_000)]

    def send() -> None:
        for piece in sent:
            body.add(piece, more=True)
        body.add(b"", more=False)

    more, came = threading.Event(), []
    body.when_more = more.set
    thread = threading.Thread(target=send)
    thread.start()
    while (piece := body.take()) != b"":
        if piece is None:
            assert more.wait(30)
            more.clear()
        else:
            came.append(piece)
    thread.join()
    assert b"".join(came) == b"".join(sent)
