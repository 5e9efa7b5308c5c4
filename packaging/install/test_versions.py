"""The oldest and the newest Python that the package is for, and another Node: each serves, and makes the cache by itself."""

import json

import pytest
from bare_root import QUICKSTART, BareRoot, until
from quickstarts import EXPRESS, EXPRESS_ANSWERS, FLASK, FLASK_ANSWERS

CACHES = "/home/ann/.cache/handoff"


@pytest.mark.parametrize(("root", "version"), [("oldest_python_root", (3, 10)), ("newest_python_root", (3, 14))])
def test_serves_flask(request: pytest.FixtureRequest, root: str, version: tuple[int, int]) -> None:
    machine: BareRoot = request.getfixturevalue(root)
    told = machine.run("python3 --version").removeprefix("Python ").split(".")
    found = (int(told[0]), int(told[1]))
    # The newest one is renewed by Debian.
    assert found == version or (root.startswith("newest") and found > version)
    machine.write("/home/ann/hello.py", FLASK)
    install = "install --quiet --disable-pip-version-check --no-index --find-links /packages"
    machine.run(f"python3 -m venv .venv && .venv/bin/pip {install} handoff-server flask")

    serves(machine, ".venv/bin/handoff run hello:app", FLASK_ANSWERS)


def test_serves_express_on_node_24(node_24_root: BareRoot) -> None:
    assert node_24_root.run("node --version").startswith("v24.")
    for name in ("package.json", "package-lock.json"):
        node_24_root.write(f"/home/ann/{name}", (QUICKSTART / name).read_text())
    node_24_root.write("/home/ann/app.js", EXPRESS)
    node_24_root.run("npm ci --offline --ignore-scripts && npm install --offline /packages/*.tgz")
    assert "handoff-server" in json.loads(node_24_root.path("/home/ann/package.json").read_text())["dependencies"]

    serves(node_24_root, "node_modules/.bin/handoff run app.js", EXPRESS_ANSWERS)


def serves(machine: BareRoot, command: str, answer: str) -> None:
    with machine.serving(command) as url:
        assert machine.ask(url) == answer
        until(lambda: [path.suffix for path in machine.path(CACHES).iterdir()] == [".aot"])
    with machine.serving(command) as url:
        assert machine.ask(url) == answer
