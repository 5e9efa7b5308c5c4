"""New containers of a worker that are started before the old ones end, as docker/replace does, and workers' own health."""

import json
from pathlib import Path

import pytest
from harness.commands import CommandFailed, run, say
from harness.load import load
from harness.project import ROOT, Project, fails
from live.process import until

MANY = 1000
SERVICES = ("handoff", "python", "node")
SECONDS = "60"
BROKEN = {
    "ends": ["python", "-c", "import nothing_of_that_name"],
    "never connects": ["sleep", "1000"],
    "connects to another pool": ["env", "HANDOFF_POOL=nobody", "python", "where.py"],
}


def replace(made: Project, folder: Path, change: object) -> str:
    """What it says when the service `python` is changed so."""
    changed = folder / "changed.json"
    changed.write_text(json.dumps({"services": {"python": change}}))
    environment = dict(made.engine.environment)
    environment["COMPOSE_FILE"] += f":{changed}"
    return run([ROOT / "docker" / "replace", "python", SECONDS], environment=environment, folder=ROOT)


def test_new_containers_take_over_and_nothing_is_lost(up: Project, tmp_path: Path) -> None:
    (before,) = up.containers("python")
    with load(up.port) as asked:
        replace(up, tmp_path, {"labels": {"version": "next"}})
        asked.await_more(MANY)

    say(f"replaced under load: {asked.outcomes.total()} requests, {asked.lost} lost")
    assert asked.lost == 0, asked.outcomes
    assert up.container("python")["Id"] != before
    assert up.container("python")["Config"]["Labels"]["version"] == "next"


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_version_never_becomes_healthy_and_the_old_one_goes_on(
    up: Project, tmp_path: Path, fault: str
) -> None:
    before = up.containers("python")
    with load(up.port) as asked:
        with pytest.raises(CommandFailed, match="python is as it was: the new containers were not healthy"):
            replace(up, tmp_path, {"command": BROKEN[fault]})
        asked.await_more(MANY)

    assert asked.lost == 0, asked.outcomes
    assert up.containers("python") == before
    assert health(up, "python") == "healthy"


def health(up: Project, service: str) -> str:
    return str(up.container(service)["State"]["Health"]["Status"])


@pytest.mark.parametrize(
    ("service", "check"),
    [("python", "python -m handoff_worker.ready"), ("node", "node node_modules/handoff-worker/ready.mjs")],
)
def test_a_worker_is_healthy_while_the_core_has_welcomed_it(up: Project, service: str, check: str) -> None:
    assert health(up, service) == "healthy"
    assert up.inside(service, *check.split()).strip() == "ready"

    up.compose("stop", "handoff")
    try:
        assert "no worker is ready" in fails(up, service, *check.split())
    finally:
        up.compose("start", "handoff")
        until(lambda: {health(up, each) for each in SERVICES} == {"healthy"} or None, "all are healthy again")
