from harness import language_report
from harness.language_peers import ADAPTERS, SOURCES, WORKERS
from harness.peers import Peer
from harness.rounds import Measurements, Sample


def peer(key: str) -> Peer:
    return Peer(key, key, "", lambda port: [], {})


def sample(key: str, number: int, speed: float, cpu: float) -> Sample:
    return Sample(key, "hello", number, number, speed, cpu, 1_000, 2_000, 2**20, 0.5, 0.0)


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_compares_workers_with_python_and_adapters_with_the_server_behind_them() -> None:
    speeds = {"python": [100, 200], "ruby": [50, 50], "go-handoff": [10, 10], "go-net-http": [20, 40]}
    cpu = {"python": 30, "ruby": 20, "go-handoff": 50, "go-net-http": 10}
    samples = [sample(key, number, each, cpu[key]) for key, all in speeds.items() for number, each in enumerate(all)]

    workers, adapters = language_report.tables([peer(key) for key in speeds], Measurements(samples, {}))

    assert [[row[0], *row[2:5]] for row in cells(workers)] == [
        ["ruby", "50", "0.38", "20.0"],
        ["python", "150", "1.00", "30.0"],
    ]
    assert [row[:3] for row in cells(adapters)] == [["go-handoff", "10", "0.38"], ["go-net-http", "30", "1.00"]]


def test_counts_the_lines_of_each_worker() -> None:
    assert set(WORKERS) == set(SOURCES)
    assert all(source.is_file() for source in SOURCES.values())


def test_adapters_come_in_pairs() -> None:
    keys = list(ADAPTERS)
    assert len(keys) % 2 == 0
    assert all(adapter.endswith("-handoff") for adapter in keys[::2])
