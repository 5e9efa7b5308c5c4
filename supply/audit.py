#!/usr/bin/env python3
"""
Asks who knows of vulnerabilities about all that the build downloads. One that does not answer is skipped by name, with the reason.

Exit code 1 if a vulnerability is known, or if one did not answer and HANDOFF_AUDIT=required.
"""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pins
from pins import ROOT

OSV = "https://api.osv.dev/v1"
"""Open Source Vulnerabilities, which has the advisories of GitHub too. OSV_URL is another place that answers like it."""

ANSWER_SECONDS = 30
QUESTIONS_AT_ONCE = 500
KEPT_CHARACTERS = 160


ACCEPTED = {("ecdsa", "CVE-2024-23342")}
"""What is known and stays: docs/SUPPLY-CHAIN.md says why."""


class Skipped(Exception):
    """Nobody answered; says why."""


@dataclass(frozen=True)
class Finding:
    package: str
    advisory: str


@dataclass(frozen=True)
class Audit:
    title: str
    ask: Callable[[], list[Finding]]


def audits() -> Iterator[Audit]:
    for requirements in pins.PYTHON_LISTS:
        lock = pins.lock_of(requirements).relative_to(ROOT)
        yield Audit(f"pip-audit of {lock}", partial(ask_pip_audit, lock))
    for lock in pins.NPM_LOCKS:
        yield Audit(f"npm audit of {lock.relative_to(ROOT)}", partial(ask_npm, lock.parent))
    yield Audit("OSV on the jars of Maven", lambda: ask_osv(pins.maven_artifacts()))


def ask_pip_audit(lock: Path) -> list[Finding]:
    # Its other service, that of the index, knows only Python; both have the same advisories.
    asked = ["--vulnerability-service", "osv", "--osv-url", f"{osv()}/query", "--format", "json"]
    asked += ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--timeout", str(ANSWER_SECONDS)]
    done = run(Path(sys.executable).with_name("pip-audit"), *asked, "--requirement", str(lock))
    if not done.stdout.startswith("{"):
        raise Skipped(last_line(done.stderr))
    return findings_of_pip_audit(done.stdout)


def findings_of_pip_audit(told: str) -> list[Finding]:
    packages = json.loads(told)["dependencies"]
    return [
        Finding(f"{package['name']} {package['version']}", known["id"])
        for package in packages
        for known in package.get("vulns", [])
        if not any((package["name"], name) in ACCEPTED for name in (known["id"], *known.get("aliases", [])))
    ]


def ask_npm(folder: Path) -> list[Finding]:
    done = run("npm", "audit", "--json", "--loglevel=error", "--prefix", str(folder))
    return findings_of_npm(done.stdout)


def findings_of_npm(told: str) -> list[Finding]:
    try:
        report = json.loads(told)
    except ValueError:
        raise Skipped(last_line(told)) from None
    if "vulnerabilities" not in report:
        raise Skipped(without_addresses(report.get("message") or "no report"))
    return [
        Finding(name, via.get("url") or via["title"])
        for name, known in report["vulnerabilities"].items()
        for via in known["via"]
        # A name stands for what is told there.
        if isinstance(via, dict)
    ]


def ask_osv(artifacts: Sequence[pins.Artifact]) -> list[Finding]:
    found = []
    for start in range(0, len(artifacts), QUESTIONS_AT_ONCE):
        asked = artifacts[start : start + QUESTIONS_AT_ONCE]
        queries = [{"package": {"purl": f"pkg:maven/{each.group}/{each.name}@{each.version}"}} for each in asked]
        told = post(f"{osv()}/querybatch", {"queries": queries})
        answers = told.get("results") if isinstance(told, dict) else None
        if not isinstance(answers, list) or len(answers) != len(asked):
            raise Skipped(f"it did not answer {len(asked)} questions with as many answers")
        for artifact, answer in zip(asked, answers, strict=True):
            found += [Finding(str(artifact), known["id"]) for known in answer.get("vulns", [])]
    return found


def post(address: str, question: object) -> object:
    request = urllib.request.Request(address, json.dumps(question).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
            return json.load(answer)
    except (OSError, ValueError) as problem:
        raise Skipped(str(getattr(problem, "reason", problem))) from problem


def osv() -> str:
    return os.environ.get("OSV_URL", OSV)


def run(*command: str | Path) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    except OSError as problem:
        raise Skipped(str(problem)) from problem


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return without_addresses(lines[-1]) if lines else "it said nothing"


def without_addresses(text: str) -> str:
    """Which registry a machine uses is its own business."""
    words = ("…" if "://" in word else word for word in text.split())
    return " ".join(words)[:KEPT_CHARACTERS]


def main() -> int:
    vulnerable = skipped = False
    for audit in audits():
        try:
            findings = audit.ask()
        except Skipped as why:
            skipped = True
            print(f"skipped: {audit.title}: {why}")
            continue
        vulnerable |= bool(findings)
        print(f"{'vulnerable' if findings else 'nothing known'}: {audit.title}")
        for finding in findings:
            print(f"    {finding.package}: {finding.advisory}")
    required = os.environ.get("HANDOFF_AUDIT") == "required"
    return 1 if vulnerable or (skipped and required) else 0


if __name__ == "__main__":
    sys.exit(main())
