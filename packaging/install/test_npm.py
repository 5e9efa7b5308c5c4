"""A machine with Node alone serves by two commands, from a folder of packages, without a network."""

import json

import pytest
from bare_root import NEXT, QUICKSTART, BareRoot, until
from quickstarts import EXPRESS, EXPRESS_ANSWERS, FETCH, FETCH_ANSWERS, FUNCTION_ANSWERS, NODE_FUNCTION

HANDOFF = "node_modules/.bin/handoff"
CACHES = "/home/ann/.cache/handoff"


@pytest.fixture(scope="module")
def installed(node_root: BareRoot) -> BareRoot:
    project = json.loads((QUICKSTART / "package.json").read_text())
    project["scripts"] = {"start": "handoff run app.js"}
    node_root.write("/home/ann/package.json", json.dumps(project))
    node_root.write("/home/ann/package-lock.json", (QUICKSTART / "package-lock.json").read_text())
    node_root.write("/home/ann/app.js", EXPRESS)
    node_root.write("/home/ann/fetch.mjs", FETCH)
    node_root.write("/home/ann/function.mjs", NODE_FUNCTION)
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
    [("app.js", EXPRESS_ANSWERS), ("fetch.mjs", FETCH_ANSWERS), ("function.mjs", FUNCTION_ANSWERS)],
)
def test_serves(installed: BareRoot, application: str, answer: str) -> None:
    with installed.serving(f"{HANDOFF} run {application}") as url:
        assert installed.ask(url) == answer


def test_serves_by_npx(installed: BareRoot) -> None:
    with installed.serving("npx handoff-server run app.js", by_terminal=True) as url:
        assert installed.ask(url) == EXPRESS_ANSWERS


def test_serves_by_npm_start(installed: BareRoot) -> None:
    with installed.serving("npm start --", by_terminal=True) as url:
        assert installed.ask(url) == EXPRESS_ANSWERS


@pytest.mark.parametrize(
    ("install", "command"),
    [
        ("npm install --offline --global --prefix 'all of them' /packages/*.tgz", "'all of them/bin/handoff'"),
        ("cp -R /home/ann/node_modules /node_modules", "/node_modules/.bin/handoff"),
    ],
    ids=["for all projects", "in the root"],
)
def test_serves_from_where_npm_puts_it(installed: BareRoot, install: str, command: str) -> None:
    installed.run(install, user=0)
    with installed.serving(f"{command} run app.js") as url:
        assert installed.ask(url) == EXPRESS_ANSWERS


def test_serves_as_yarn_runs_it(installed: BareRoot) -> None:
    """By Node, whatever the first line says, and with Java where only a hook of Yarn's finds it."""
    installed.run(
        "mkdir -p yarn apart && cp -R node_modules app.js yarn && mv yarn/node_modules/handoff-server-linux-* apart"
    )
    installed.run("mv node_modules hidden")
    try:
        with installed.serving(
            "env NODE_PATH=/home/ann/apart node yarn/node_modules/.bin/handoff run yarn/app.js"
        ) as url:
            assert installed.ask(url) == EXPRESS_ANSWERS
        with installed.serving(
            "env NODE_PATH=/home/ann/apart node yarn/node_modules/.bin/handoff run yarn/app.js", by_terminal=True
        ) as url:
            assert installed.ask(url) == EXPRESS_ANSWERS
    finally:
        installed.run("mv hidden node_modules")
    told = installed.run("node node_modules/.bin/handoff nonsense; echo $?", check=False)
    assert told.endswith("2\n")


def test_has_a_manual_page_and_completion(installed: BareRoot) -> None:
    for path in ("man/man1/handoff.1", "bash-completion/completions/handoff"):
        assert installed.path(f"/home/ann/node_modules/handoff-server/{path}").stat().st_size > 1000
    # Where `man` looks beside the PATH.
    assert installed.path("/home/ann/all of them/share/man/man1/handoff.1").exists()


def test_first_start_makes_a_cache_for_the_next(installed: BareRoot) -> None:
    installed.run(f"rm -rf {CACHES}")
    # Somebody who looks at the first answer and stops it: the cache is made all the same.
    with installed.serving(f"{HANDOFF} run app.js", by_terminal=True):
        until(lambda: any(installed.path(CACHES).glob(".training-*")))
    until(lambda: [path.suffix for path in installed.path(CACHES).iterdir()] == [".aot"])

    flags = "HANDOFF_JAVA_OPTS='-XX:+UseParallelGC -XX:-UsePerfData -Xlog:class+load'"
    loaded = installed.run(f"{flags} {HANDOFF} --version")
    (main,) = (line for line in loaded.splitlines() if "dev.handoff.launcher.Main " in line)
    assert "shared objects" in main


def test_serves_a_user_without_a_home(installed: BareRoot) -> None:
    installed.run("chmod 755 /home/ann")
    with installed.serving(f"/home/ann/{HANDOFF} run /home/ann/app.js", 65534, None) as url:
        assert installed.ask(url) == EXPRESS_ANSWERS


def test_runs_with_the_shell_and_the_tools_of_busybox(installed: BareRoot) -> None:
    """As on Alpine, where Java is one of its own and the package with ours is left out."""
    # Debian's has fewer tools than Alpine's: a start does without a cache where one of them is missing.
    installed.run("mkdir /busybox && busybox --install -s /busybox && ln -s /usr/local/bin/node /busybox", user=0)
    installed.run("mkdir /tmp/alpine && cp -R node_modules app.js /tmp/alpine && mkdir busybox-cache")
    installed.run("rm -rf /node_modules", user=0)
    installed.run("mv /tmp/alpine/node_modules/handoff-server-linux-*/runtime java")
    started = f"env PATH=/busybox XDG_CACHE_HOME=/home/ann/busybox-cache {{}} /busybox/sh /tmp/alpine/{HANDOFF}"
    told = installed.run(f"{started.format('')} --version 2>&1", check=False)
    assert told.startswith("handoff: the package with Java is missing, handoff-server-linux-")

    command = f"{started.format('HANDOFF_JAVA=/home/ann/java')} run /tmp/alpine/app.js"
    with installed.serving(command) as url:
        assert installed.ask(url) == EXPRESS_ANSWERS
    assert list(installed.path("/home/ann/busybox-cache").iterdir()) == []
    installed.run("ln -sf /usr/bin/cksum /usr/bin/nice /usr/bin/getent /busybox", user=0)
    with installed.serving(command) as url:
        assert installed.ask(url) == EXPRESS_ANSWERS
        until(lambda: [each.suffix for each in installed.path("/home/ann/busybox-cache/handoff").iterdir()] == [".aot"])

    told = installed.run(f"{command} --user ann --port 0 --admin-port 0 2>&1", user=0, home="/", check=False)
    assert "--user needs the setpriv of util-linux" in told


def test_is_upgraded_and_uninstalled(installed: BareRoot) -> None:
    installed.run("npm install --offline /next/*.tgz")
    versions = json.loads(installed.run("npm ls --json"))["dependencies"]
    assert versions["handoff-server"]["version"] == versions["handoff-worker"]["version"] == NEXT
    with installed.serving(f"{HANDOFF} run app.js") as url:
        assert installed.ask(url) == EXPRESS_ANSWERS

    ours = [
        name
        for name in json.loads(installed.path("/home/ann/package.json").read_text())["dependencies"]
        if "handoff" in name
    ]
    installed.run(f"npm uninstall {' '.join(ours)}")
    assert installed.run("find node_modules -path '*handoff*'") == ""
