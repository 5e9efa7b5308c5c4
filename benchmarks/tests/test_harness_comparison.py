import frameworks
import pytest
import run
from harness.comparison import Comparison
from harness.peers import Peer
from harness.workspace import BENCHMARKS


@pytest.mark.parametrize("comparison", [run.SERVERS, frameworks.FRAMEWORKS], ids=["run", "frameworks"])
def test_no_server_is_in_two_groups(comparison: Comparison) -> None:
    assert len(comparison.peers) == sum(map(len, comparison.groups.values()))
    assert set(comparison.ours) <= set(comparison.peers)


def test_groups_hold_what_is_measured_of_them() -> None:
    peers = [Peer(key, key, "", lambda port: [], {}) for key in ("nginx-1", "uvicorn", "core")]
    groups = run.SERVERS.grouped(run.SERVERS.parse(["--rounds", "7"]), peers)
    assert [(group.title, [peer.key for peer in group.plan.peers]) for group in groups] == [
        ("The core", ["nginx-1", "core"]),
        ("Python", ["uvicorn"]),
    ]
    assert [group.plan.rounds for group in groups] == [7, 7]


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ([], "RESULTS.md"),
        (["--only", "uvicorn"], None),
        (["--shapes", "hello"], None),
        (["--starts", "9"], "RESULTS.md"),
    ],
)
def test_only_a_whole_run_is_written_by_itself(arguments: list[str], written: str | None) -> None:
    assert run.SERVERS.output(run.SERVERS.parse(arguments)) == (BENCHMARKS / written if written else None)
