"""The servers that are compared: how each is built, and its command. All listen on a free port of loopback and say which."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = Path(__file__).parent / "peers"
BUILT = ROOT / "target" / "differential"

OURS = "handoff"


class Unavailable(Exception):
    """A server cannot be built or run here; says what is missing."""


@dataclass(frozen=True)
class Server:
    key: str
    versions: str
    command: list[str]


def handoff() -> Server:
    output_of(str(ROOT / "scripts" / "build"), "fresh")  # so that the start is short
    # No server ever answers or closes for lack of time: that would come from the machine's speed, not from the bytes.
    waits = ("queue", "request", "header", "body", "idle")
    patient = [argument for wait in waits for argument in (f"--{wait}-timeout", "60s")]
    run = [str(ROOT / "handoff"), "run", str(SOURCES / "handoff_echo.py"), "--workers", "1"]
    version_line = output_of(str(ROOT / "handoff"), "--version")
    return Server(OURS, version_line, [*run, "--port", "0", "--admin-port", "0", "--no-worker-grace", "60s", *patient])


def node_http() -> Server:
    node = find("node")
    parser = output_of(node, "-p", "process.versions.llhttp")
    versions = f"Node {output_of(node, '--version').removeprefix('v')}, llhttp {parser}"
    return Server("node:http", versions, [node, str(SOURCES / "node_http.mjs")])


def h11() -> Server:
    python = ".".join(map(str, sys.version_info[:3]))
    command = [sys.executable, str(SOURCES / "h11_server.py")]
    return Server("h11", f"h11 {version('h11')}, Python {python}", command)


def go() -> Server:
    compiler = find("go")
    program = str(BUILT / "net-http")
    output_of(compiler, "build", "-o", program, str(SOURCES / "net_http.go"))
    return Server("net/http", output_of(compiler, "env", "GOVERSION").replace("go", "Go "), [program])


def jetty() -> Server:
    pom = SOURCES / "jetty" / "pom.xml"
    jars = BUILT / "jetty"
    if not jars.exists() or jars.stat().st_mtime < pom.stat().st_mtime:
        shutil.rmtree(jars, ignore_errors=True)
        unverified = BUILT / "jetty-unverified"
        maven = output_of(str(ROOT / "scripts" / "find-maven"))
        goal = ["dependency:copy-dependencies", f"-DoutputDirectory={unverified}"]
        output_of(maven, "--quiet", "--batch-mode", "--file", str(pom), *goal)
        output_of(str(ROOT / "scripts" / "verify-downloads"))
        unverified.rename(jars)
    release = next(jars.glob("jetty-server-*.jar")).stem.removeprefix("jetty-server-")
    java = Path(output_of(str(ROOT / "scripts" / "find-jdk"))) / "bin" / "java"
    return Server(
        "Jetty", f"Jetty {release}", [str(java), "-cp", f"{jars}/*", str(SOURCES / "jetty" / "JettyEcho.java")]
    )


PEERS: dict[str, Callable[[], Server]] = {"node:http": node_http, "h11": h11, "net/http": go, "Jetty": jetty}

AWAITED = {
    "node:http": re.compile("^HPE_INVALID_EOF_STATE "),
    "h11": re.compile("^peer (unexpectedly )?closed connection"),
    "net/http": re.compile("unexpected EOF"),
    "Jetty": re.compile("Early EOF"),
}
"""Refusals that say no more than that the input ended inside a message, where Handoff closes without a word."""


def find(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise Unavailable(f"{program} is not installed")
    return path


def output_of(*command: str) -> str:
    BUILT.mkdir(parents=True, exist_ok=True)
    try:
        # Where no go.mod and no package.json of anybody's lies.
        finished = subprocess.run(command, check=False, cwd=BUILT, capture_output=True, text=True)
    except OSError as problem:
        raise Unavailable(str(problem)) from problem
    if finished.returncode != 0:
        said = (finished.stderr.strip() or finished.stdout.strip() or "nothing").splitlines()
        raise Unavailable("\n    ".join([f"{Path(command[0]).name} failed:", *said[-10:]]))
    return finished.stdout.strip()


SILENT = ("Jetty",)
"""
Those that may close without a word where they refuse: whether Jetty's refusal comes before the end of the client's output reaches it
is a race. What it made of the bytes up to there is not.
"""
