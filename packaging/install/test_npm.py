"""A machine with Node alone serves by two commands, from a folder of packages, without a network."""

import json

import pytest
from bare_root import NEXT, QUICKSTART, BareRoot

EXPRESS = """
import express from "express";

const app = express();
app.get("/", (request, response) => response.send("hello from Express"));
app.listen(3000);
"""
FETCH = 'export default { fetch: () => new Response("hello from fetch") };\n'
FUNCTION = """
import { serve } from "handoff-worker";

serve(() => ({ body: "hello from a function" }));
"""


@pytest.fixture(scope="module")
def installed(node_root: BareRoot) -> BareRoot:
    project = json.loads((QUICKSTART / "package.json").read_text())
    project["scripts"] = {"start": "handoff run express.mjs"}
    node_root.write("/home/ann/package.json", json.dumps(project))
    node_root.write("/home/ann/package-lock.json", (QUICKSTART / "package-lock.json").read_text())
    node_root.write("/home/ann/express.mjs", EXPRESS)
    node_root.write("/home/ann/fetch.mjs", FETCH)
    node_root.write("/home/ann/function.mjs", FUNCTION)
    node_root.run("npm ci --offline --ignore-scripts")
    node_root.run("npm install --offline /packages/*.tgz")
    return node_root


def test_has_only_node(node_root: BareRoot) -> None:
    for program in ("java", "mvn", "git", "curl", "python3"):
        node_root.run(f"! command -v {program}")


def test_tells_which_java_runs(installed: BareRoot) -> None:
    assert "/handoff-server-linux-" in installed.run("npx handoff-server --version")


@pytest.mark.parametrize(
    ("application", "answer"),
    [
        ("express.mjs", "hello from Express"),
        ("fetch.mjs", "hello from fetch"),
        ("function.mjs", "hello from a function"),
    ],
)
def test_serves(installed: BareRoot, application: str, answer: str) -> None:
    with installed.serving(f"node_modules/.bin/handoff run {application}") as url:
        assert installed.ask(url) == answer


def test_serves_by_npx(installed: BareRoot) -> None:
    with installed.serving("npx handoff-server run express.mjs", by_terminal=True) as url:
        assert installed.ask(url) == "hello from Express"


def test_serves_by_npm_start(installed: BareRoot) -> None:
    with installed.serving("npm start --", by_terminal=True) as url:
        assert installed.ask(url) == "hello from Express"


def test_serves_a_user_without_a_home(installed: BareRoot) -> None:
    installed.run("chmod 755 /home/ann")
    with installed.serving("/home/ann/node_modules/.bin/handoff run /home/ann/express.mjs", 65534, None) as url:
        assert installed.ask(url) == "hello from Express"


def test_says_which_package_is_missing(installed: BareRoot) -> None:
    installed.run("mkdir /tmp/lonely && cp -R node_modules/handoff-server /tmp/lonely")
    told = installed.run("/tmp/lonely/handoff-server/handoff --version 2>&1", check=False)
    assert told.startswith("handoff: the package with Java is missing, handoff-server-linux-")


def test_is_upgraded_and_uninstalled(installed: BareRoot) -> None:
    installed.run("npm install --offline /next/*.tgz")
    versions = json.loads(installed.run("npm ls --json"))["dependencies"]
    assert versions["handoff-server"]["version"] == versions["handoff-worker"]["version"] == NEXT
    with installed.serving("node_modules/.bin/handoff run express.mjs") as url:
        assert installed.ask(url) == "hello from Express"

    ours = [
        name
        for name in json.loads(installed.path("/home/ann/package.json").read_text())["dependencies"]
        if "handoff" in name
    ]
    installed.run(f"npm uninstall {' '.join(ours)}")
    assert installed.run("find node_modules -path '*handoff*'") == ""
