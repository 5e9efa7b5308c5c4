"""Each worker keeps the protocol as `handoff check` has it, and serves real clients behind a real core."""

import http.client
import json
import os
import re
import signal
import subprocess

import pytest
from other_languages import EXAMPLES, ROOT, Language, Unavailable, environment, jars_of_the_application, languages
from serving import PATIENCE, Serving, serving
from websocket import create_connection

ALL = languages()
NOT_ASCII = bytes(range(256))


@pytest.fixture(params=ALL, ids=lambda each: each.name)
def built(request: pytest.FixtureRequest) -> Language:
    language: Language = request.param
    try:
        language.build(jars_of_the_application)
    except Unavailable as why:
        if language.name in os.environ.get("HANDOFF_LANGUAGES", "").split():  # those that must not be missing
            raise
        pytest.skip(f"{language.name}: {why}")
    return language


# One test for a language, so that tests side by side never build the same.
def test_worker_passes_the_kit_and_serves_clients(built: Language) -> None:
    keeps_the_protocol(built)
    with serving(*built.run, folder=built.folder, environment=environment()) as server:
        assert server.ask("GET", "/") == (200, b"hello\n")
        assert server.ask("GET", "/no/such/page")[0] == 404
        echoes(server.port)
        if "--stream" in built.check:
            streams(server.port)
            talks(server.port)
            ends_its_streams(server)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
        assert not re.search("WARN(?!  the workers run as root)|ERROR", server.log), server.log


def keeps_the_protocol(language: Language) -> None:
    # The usual limit of a wait supposes a machine that has little else to do.
    command = [str(ROOT / "handoff"), "check", "--json", "--measure", "0s", "--timeout", "60s", *language.check]
    done = subprocess.run(command, cwd=language.folder, env=environment(), check=False, capture_output=True, text=True)
    assert done.stdout, done.stderr
    cases = json.loads(done.stdout)["cases"]
    assert [each for each in cases if each["verdict"] not in ("pass", "skipped")] == []
    assert len([each for each in cases if each["verdict"] == "pass"]) > 40
    assert done.returncode == 0, done.stderr


def echoes(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("PUT", "/echo?a=%2F", NOT_ASCII, {"X-Name": "J\u00fcrgen"})
    response = connection.getresponse()
    assert response.status == 200
    assert response.read() == NOT_ASCII
    assert (response.getheader("echo-method"), response.getheader("echo-target")) == ("PUT", "/echo?a=%2F")
    assert ["x-name", "J\u00fcrgen"] in json.loads(response.getheader("echo-headers") or "")
    connection.close()


def streams(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/clock")
    clock = connection.getresponse()
    assert clock.getheader("content-type") == "text/event-stream"
    for _ in range(2):
        assert re.fullmatch(rb"data: \d\d:\d\d:\d\d\n\n", clock.read(16))
    clock.close()
    connection.close()


def ends_its_streams(server: Serving) -> None:
    """A worker that is told to end gives up a stream that has no end; the core starts the next worker."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", "/clock")
    clock = connection.getresponse()
    clock.read(16)
    (worker,) = server.workers()
    os.kill(worker, signal.SIGTERM)
    clock.read()  # raises where it breaks off
    connection.close()
    assert server.ask("GET", "/") == (200, b"hello\n")


def talks(port: int) -> None:
    chat = create_connection(f"ws://127.0.0.1:{port}/chat", timeout=PATIENCE)
    for text in ("hello", "", "gr\u00fc\u00dfe \u20ac\U0001f600"):
        chat.send(text)
        assert chat.recv() == text
    chat.close()


def test_readme_is_short_and_says_how_to_check() -> None:
    assert len(ALL) >= 17
    for language in ALL:
        text = (EXAMPLES / language.name / "README.md").read_text()
        assert 10 <= len(text.splitlines()) <= 15
        assert "--echo /echo" in text


@pytest.mark.parametrize("language", ALL, ids=lambda each: each.name)
def test_dockerfile_does_what_the_readme_says(language: Language) -> None:
    text = (EXAMPLES / language.name / "Dockerfile").read_text()
    first = re.search(r"--no-install-recommends ([^&]+) &&", text)
    assert first and tuple(first[1].split()) == language.packages
    assert tuple(re.findall(r"^RUN (?!.*apt-get)(.+)$", text, re.MULTILINE)) == language.builds
    for copied in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE):
        for name in copied.split():
            assert (EXAMPLES / language.name / name).is_file(), name


@pytest.mark.parametrize("language", ["java", "kotlin"])
def test_pom_names_the_library_that_the_application_has(language: str) -> None:
    pom = (EXAMPLES / language / "pom.xml").read_text()
    version = re.search(r"<artifactId>parsson</artifactId>\s*<version>([^<]+)</version>", pom)
    assert version and list(jars_of_the_application().glob(f"parsson-{version[1]}.jar"))
