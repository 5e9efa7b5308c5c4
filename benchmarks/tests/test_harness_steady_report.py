from dataclasses import replace
from datetime import datetime, timezone

from harness.fixed_rates import SHARES, AtRate
from harness.peers import Peer
from harness.rounds import Measurements, Plan, Sample
from harness.shapes import SHAPES
from harness.steady import Group
from harness.steady_report import Page, Run, pictures, section
from load.paced_client import Figures

BASE = Sample("uvicorn", "hello", 1, 1, 1000, 20, 900, 4000, 2**25, 0.5, 0.01)
OURS = replace(BASE, peer="handoff-sdk-python", requests_per_second=2000, cpu_micros=9)
PAGE = Page("Results", "results", ("Written by a test.",), response_heads=True)

GOLDEN = """\
# Results

Written by a test.

|  |  |
| --- | --- |
| date | 2025-03-01 09:30 UTC, 5 minutes |
| other programs during the loads | 1% of all cores, at most 1% |
| each start | 2 s of each load to warm up, then 4 rounds of turns |
| each turn | 1 s of one load for one server, while all others are frozen |
| each fixed rate | 3 s, once in each of the first 3 starts |
| Python | 2 starts, 5 minutes |
| figures | median of the turns (least to most) |
| ratios | median over the rounds (95% bootstrap interval, over starts and the rounds within each) |

![CPU per request, ratios: hello, bare client](plots/results-ratios-hello.svg)

![Python: latency at fixed rates](plots/results-latency-python.svg)

## Hello, bare client

| server | req/s | CPU µs per request | p50 ms | p99 ms | memory MiB | client busy |
| --- | --- | --- | --- | --- | --- | --- |
| Ours | 2,000 | 10.0 (9.0 to 11.0) | 0.90 | 4.00 | 32 | 50% |
| Theirs | 1,000 | 20.0 | 0.90 | 4.00 | 32 | 50% |

|  | against | ratio of req/s | goal | ratio of CPU per request | goal | reached |
| --- | --- | --- | --- | --- | --- | --- |
| Ours | Theirs | 2.00 (2.00 to 2.00) |  | 0.50 (0.45 to 0.55) | at most 0.5 | undecided |

## Latency at fixed rates

| server | of its peak | req/s | p50 ms | p99 ms | p99.9 ms | errors | client late, p99 ms |
| --- | --- | --- | --- | --- | --- | --- | --- |
| Ours | 25% | 500 | 0.20 | 2.00 | 5.00 | 0 of 1,500 | 0.10 |
| Ours | 50% | 1,000 | 0.20 | 2.00 | 5.00 | 0 of 1,500 | 0.10 |
| Ours | 75% | 1,500 | 0.20 | 2.00 | 5.00 | 0 of 1,500 | 0.10 |
| Theirs | 25% | 250 | 0.20 | 3.00 (2.00 to 4.00) | 5.00 | 1 of 3,000 | 0.10 |
| Theirs | 50% | 500 | 0.20 | 2.00 | 5.00 | 0 of 1,500 | 0.10 |
| Theirs | 75% | 750 | 0.20 | 2.00 | 5.00 | 0 of 1,500 | 0.10 |

## What was compared

| server | versions |
| --- | --- |
| Ours | Java 1 |
| Theirs | Python 1 |

All answer with the same six bytes, but not with the same header fields:

Ours:

    HTTP/1.1 200 OK
    Date: today

Theirs:

    HTTP/1.1 200 OK
"""

WAITS = Figures(1500, 0, 200, 1000, 2000, 5000, 9000, 100, 0.1)
OURS_AT = [AtRate("handoff-sdk-python", 1, share, share * 2000, WAITS, 0.01) for share in SHARES]
THEIRS_AT = [AtRate("uvicorn", 1, share, share * 1000, WAITS, 0.01) for share in SHARES]
THEIRS_AGAIN = AtRate("uvicorn", 2, 0.25, 250, replace(WAITS, p99=4000, errors=1), 0.01)
AT_RATES = [*OURS_AT, *THEIRS_AT, THEIRS_AGAIN]


def run(*samples: Sample) -> Run:
    peers = [
        Peer("handoff-sdk-python", "Ours", "Java 1", lambda port: [], {}),
        Peer("uvicorn", "Theirs", "Python 1", lambda port: [], {}),
    ]
    plan = Plan(peers, [SHAPES["hello"]], rounds=4, seconds=1, warm_up_seconds=2, connections=64)
    heads = {"handoff-sdk-python": "HTTP/1.1 200 OK\nDate: today", "uvicorn": "HTTP/1.1 200 OK"}
    group = Group("Python", plan, Measurements(list(samples), heads), AT_RATES, starts=2, ended="2 starts, 5 minutes")
    return Run([group], datetime(2025, 3, 1, 9, 30, tzinfo=timezone.utc), 5.2)


def test_writes_the_page() -> None:
    text = section(
        PAGE, run(OURS, BASE, replace(OURS, cpu_micros=11, start=2, round=2), replace(BASE, start=2, round=2))
    )
    of_this_machine = ("| commit ", "| machine ", "| client ")
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith(of_this_machine)]
    assert "".join(lines) == GOLDEN


def test_marks_what_was_written_although_the_machine_was_not_quiet() -> None:
    text = section(PAGE, run(OURS, replace(BASE, others_busy=0.4)))
    assert "\n\n**These figures are not steady: other programs took more than 5% of the machine in 1 of 9 loads" in text


def test_shows_the_pictures_that_it_draws() -> None:
    both = run(OURS, BASE)
    drawn = pictures(PAGE, both)
    assert [picture.name for picture in drawn] == ["results-ratios-hello.svg", "results-latency-python.svg"]
    assert all(f"![{picture.title}](plots/{picture.name})" in section(PAGE, both) for picture in drawn)
    assert "0.45 (0.45 to 0.45)" in drawn[0].svg
    assert "Theirs, p99" in drawn[1].svg
