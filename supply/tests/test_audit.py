"""The audit tells what is known, by which code it ends, and names who did not answer."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import audit
import pins
import pytest
from pins import ROOT, Artifact

BAD = Artifact("org.example", "bad", "1.0")
GOOD = Artifact("org.example", "good", "2.0")


@contextmanager
def answering(answer: object, status: int = 200) -> Iterator[tuple[str, list[Any]]]:
    """A server that answers everything so, and what it was asked."""
    asked: list[Any] = []

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            content = json.dumps(answer(asked[-1]) if callable(answer) else answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def knows_of_bad(question: Any) -> Any:
    bad = [f"pkg:maven/{BAD.group}/{BAD.name}@{BAD.version}" == each["package"]["purl"] for each in question["queries"]]
    return {"results": [{"vulns": [{"id": "GHSA-0000"}]} if each else {} for each in bad]}


def test_osv_is_asked_about_each_jar(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(knows_of_bad) as (address, asked):
        monkeypatch.setenv("OSV_URL", address)
        assert audit.ask_osv([GOOD, BAD]) == [audit.Finding("org.example:bad:1.0", "GHSA-0000")]
    assert len(asked) == 1


def test_osv_is_asked_so_often_that_no_question_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [GOOD] * audit.QUESTIONS_AT_ONCE
    with answering(knows_of_bad) as (address, asked):
        monkeypatch.setenv("OSV_URL", address)
        assert audit.ask_osv(many) == []
        assert [len(each["queries"]) for each in asked] == [audit.QUESTIONS_AT_ONCE]
        assert audit.ask_osv([*many, BAD]) == [audit.Finding("org.example:bad:1.0", "GHSA-0000")]
        assert [len(each["queries"]) for each in asked[1:]] == [audit.QUESTIONS_AT_ONCE, 1]


def test_an_answer_that_is_none_is_no_good_news(monkeypatch: pytest.MonkeyPatch) -> None:
    for answer, status in (({"results": []}, 200), ({}, 200), ([], 200), ("<html>", 200), ({"results": [{}]}, 500)):
        with answering(answer, status) as (address, _):
            monkeypatch.setenv("OSV_URL", address)
            with pytest.raises(audit.Skipped):
                audit.ask_osv([GOOD])


def test_npms_report_is_understood() -> None:
    advisory = {"title": "Denial of service", "url": "https://github.com/advisories/GHSA-1111"}
    report = {"vulnerabilities": {"koa": {"via": [advisory]}, "app": {"via": ["koa"]}}}
    assert audit.findings_of_npm(json.dumps(report)) == [audit.Finding("koa", advisory["url"])]
    assert audit.findings_of_npm(json.dumps({"vulnerabilities": {}})) == []
    for told in ("", "no JSON", json.dumps({"message": "405 - POST http://registry.internal/x", "error": {}})):
        with pytest.raises(audit.Skipped) as skipped:
            audit.findings_of_npm(told)
        assert "internal" not in str(skipped.value)


def test_pip_audits_report_is_understood() -> None:
    bad = {"name": "bad", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": []}]}
    report = {"dependencies": [bad, {"name": "good", "version": "2", "vulns": []}], "fixes": []}
    assert audit.findings_of_pip_audit(json.dumps(report)) == [audit.Finding("bad 1", "PYSEC-1")]


def test_what_is_accepted_is_no_finding_for_its_package_alone() -> None:
    [(package, name)] = audit.ACCEPTED
    known = [{"id": "GHSA-0000", "aliases": [name]}, {"id": "GHSA-1111", "aliases": []}]
    report = {"dependencies": [{"name": each, "version": "1", "vulns": known} for each in (package, "other")]}
    found = [(finding.package, finding.advisory) for finding in audit.findings_of_pip_audit(json.dumps(report))]
    assert found == [(f"{package} 1", "GHSA-1111"), ("other 1", "GHSA-0000"), ("other 1", "GHSA-1111")]


@pytest.mark.parametrize(
    ("findings", "reached", "required", "code"),
    [
        ([], True, "", 0),
        ([], True, "required", 0),
        ([audit.Finding("bad 1", "X")], True, "", 1),
        ([], False, "", 0),
        ([], False, "required", 1),
    ],
)
def test_ends_with_1_for_what_is_known_or_for_silence_where_an_answer_is_required(
    findings: list[audit.Finding],
    reached: bool,
    required: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def ask() -> list[audit.Finding]:
        if not reached:
            raise audit.Skipped("nobody there")
        return findings

    monkeypatch.setattr(audit, "audits", lambda: iter([audit.Audit("a question", ask)]))
    monkeypatch.setenv("HANDOFF_AUDIT", required)
    assert audit.main() == code
    word = "skipped" if not reached else "vulnerable" if findings else "nothing known"
    assert capsys.readouterr().out.startswith(f"{word}: a question")


def test_asks_about_every_lock() -> None:
    titles = "\n".join(each.title for each in audit.audits())
    locks = [*map(pins.lock_of, pins.PYTHON_LISTS), *pins.NPM_LOCKS]
    assert [str(lock) for lock in locks if str(lock.relative_to(ROOT)) not in titles] == []
    assert "Maven" in titles


def test_names_whoever_did_not_answer() -> None:
    """The program itself, where nobody answers: neither pip-audit and npm, which are not on its PATH, nor OSV."""
    environment = {
        **os.environ,
        "PATH": "/nowhere:/usr/bin",
        "OSV_URL": "http://127.0.0.1:1",
        "HANDOFF_AUDIT": "required",
    }
    environment["npm_config_registry"] = "http://127.0.0.1:1"
    environment["npm_config_fetch_retries"] = "0"
    done = subprocess.run(
        [sys.executable, ROOT / "supply" / "audit.py"], check=False, env=environment, capture_output=True, text=True
    )
    told = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    assert [line for line in told if not line.startswith("skipped: ")] == []
    assert len(told) == len(pins.PYTHON_LISTS) + len(pins.NPM_LOCKS) + 1
