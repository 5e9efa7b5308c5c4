import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from harness import open_loop
from harness.overload import percentile

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n"
FULL = b"HTTP/1.1 503 Service Unavailable\r\nHandoff-Error: queue_full\r\nContent-Length: 0\r\n\r\n"


@contextmanager
def server(answer: bytes) -> Iterator[int]:
    """Answers every request with the same bytes; with none it keeps silent."""
    loop = asyncio.new_event_loop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline():
            while (await reader.readline()).strip():
                pass
            writer.write(answer)
        writer.close()

    listening = loop.run_until_complete(asyncio.start_server(serve, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def test_sends_at_its_rate_whatever_becomes_of_the_requests() -> None:
    with server(b"") as port:
        outcome = open_loop.at_rate(port, rate=200, patience_seconds=0.05, warm_up_seconds=0, seconds=0.5)
    assert dict(outcome.others) == {"left": 100}


def test_tells_what_was_served_from_what_was_refused() -> None:
    with server(OK) as port:
        served = open_loop.at_rate(port, rate=100, patience_seconds=2, warm_up_seconds=0, seconds=0.2)
    with server(FULL) as port:
        refused = open_loop.at_rate(port, rate=100, patience_seconds=2, warm_up_seconds=0, seconds=0.2)
    assert not served.others
    assert len(served.served_seconds) == 20
    assert served.goodput == 100
    assert dict(refused.others) == {"queue_full": 20}


def test_a_closed_loop_asks_again_when_it_is_answered() -> None:
    with server(OK) as port:
        outcome = open_loop.closed(port, connections=3, patience_seconds=10, warm_up_seconds=0, seconds=1)
    assert outcome.requests > 3
    assert not outcome.others


def test_percentiles_are_of_the_values_there_are() -> None:
    assert percentile([], 99) == 0
    assert percentile([1.0, 2.0, 3.0, 4.0], 50) == 2.0
    assert percentile([1.0, 2.0, 3.0, 4.0], 99) == 4.0
