"""
What an engine changes on the machine besides its own folders: a bridge, rules of the firewall and the forwarding of packets. It is noted
before and undone afterwards; the note stays in the cache until then, so that the next run, or `make clean-docker`, undoes it for one
that was killed.
"""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.commands import say

NOTE = "host-before.json"
FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
LINKS = Path("/sys/class/net")
FIREWALLS = ("iptables", "ip6tables")
TABLES = ("filter", "nat")
OF_DOCKER = re.compile(r"\bDOCKER|\b(docker0|docker_gwbridge|br-[0-9a-f]{12})\b")
LIMIT_SECONDS = 60


@contextmanager
def left_as_it_was(cache: Path) -> Iterator[None]:
    """For one engine, which is the only one of the machine."""
    note = cache / NOTE
    if note.exists():
        undo(note)
    note.write_text(json.dumps(state()))
    try:
        yield
    finally:
        undo(note)


def state() -> dict[str, object]:
    rules = {f"{firewall} {table}": saved(firewall, table) for firewall in FIREWALLS for table in TABLES}
    return {"forwarding": FORWARDING.read_text().strip(), "links": links(), "rules": rules}


def undo(note: Path) -> None:
    """Only what is named as Docker names it goes: somebody else may have changed something meanwhile."""
    before = json.loads(note.read_text())
    for place, rules in before["rules"].items():
        firewall, table = place.split()
        for command in undoing(rules, saved(firewall, table)):
            run(firewall, "--wait", "--table", table, *command)
    for link in links():
        if link not in before["links"] and OF_DOCKER.fullmatch(link):
            run("ip", "link", "delete", link)
    FORWARDING.write_text(before["forwarding"])
    note.unlink()


def undoing(before: list[str], now: list[str]) -> Iterator[list[str]]:
    """The commands of iptables, as words, that lead from the lines of iptables-save as they are now to those before."""
    added = [line for line in now if line not in before]
    rules = [line for line in added if line.startswith("-A ") and OF_DOCKER.search(line)]
    for rule in rules:
        yield ["--delete", *shlex.split(rule)[1:]]
    chains = [line[1:].split()[0] for line in added if line.startswith(":DOCKER")]
    for chain in chains:
        yield ["--flush", chain]
    for chain in chains:
        yield ["--delete-chain", chain]
    for line in before:
        if line.startswith(":FORWARD ") and line not in now:
            yield ["--policy", "FORWARD", line.split()[1]]


def saved(firewall: str, table: str) -> list[str]:
    """Without comments, and without what was counted."""
    if not shutil.which(f"{firewall}-save"):
        return []
    done = subprocess.run(
        [f"{firewall}-save", "--table", table], check=False, capture_output=True, text=True, timeout=LIMIT_SECONDS
    )
    lines = [re.sub(r" \[\d+:\d+\]$", "", line) for line in done.stdout.splitlines()]
    return [line for line in lines if line and line[0] in ":-"]


def links() -> list[str]:
    return sorted(path.name for path in LINKS.iterdir())


def run(*command: str) -> None:
    """What cannot be undone is told, and keeps nothing else from being."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    except OSError as problem:
        say(f"stays: {shlex.join(command)}: {problem.strerror}")
        return
    if done.returncode != 0:
        say(f"stays: {shlex.join(command)}: {done.stderr.strip()}")
