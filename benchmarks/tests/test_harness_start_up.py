import sys

import pytest
from harness.server import ServerFailed
from harness.start_up import Start, Starter, measure, measure_one
from harness.start_up_report import ratio

SERVES = """
import http.server
class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(%d)
        self.end_headers()
        self.wfile.write(b"hello\\n")
server = http.server.HTTPServer(("127.0.0.1", 0), Hello)
print(f"serving at http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
"""


def starter(program: str, key: str = "one") -> Starter:
    return Starter(key, "title", "versions", [sys.executable, "-c", program], {})


def start(key: str, number: int, ready: float) -> Start:
    return Start(key, number, ready, None, 0, 0)


def test_the_first_answer_comes_after_the_word_that_it_is_ready() -> None:
    measured = measure_one(starter(SERVES % 200), 1)

    assert measured.answered_seconds is not None
    assert 0 < measured.ready_seconds < measured.answered_seconds


def test_an_interpreter_alone_is_not_asked() -> None:
    measured = measure_one(starter("print('ready', flush=True); input()"), 1)

    assert measured.answered_seconds is None


@pytest.mark.parametrize(("program", "problem"), [("", "ended before"), (SERVES % 500, "answered 500")])
def test_what_does_not_serve_fails_the_run(program: str, problem: str) -> None:
    with pytest.raises(ServerFailed, match=problem):
        measure_one(starter(program), 1)


def test_rounds_are_interleaved_and_the_first_is_not_counted() -> None:
    ready = "print('ready')"

    starts = measure([starter(ready, "a"), starter(ready, "b")], 2, lambda line: None)

    assert [(each.starter, each.round) for each in starts] == [("a", 1), ("b", 1), ("b", 2), ("a", 2)]


def test_ratios_are_formed_within_each_round() -> None:
    starts = [
        start("a", 1, 1),
        start("b", 1, 2),
        start("b", 2, 10),
        start("a", 2, 20),
        start("a", 3, 3),
        start("b", 3, 3),
    ]

    found = ratio(starts, "a", "b", lambda each: each.ready_seconds)

    assert (found.median, found.least, found.most) == (1, 0.5, 2)
