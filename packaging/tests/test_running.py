"""The archive runs where it was not built, by somebody who may write nowhere in it."""

import http.client
import os
import re
import shutil
from pathlib import Path

import pytest
from clean_room import PATIENCE, CleanRoom
from components import jars_of

FUNCTION = """
import handoff_worker
handoff_worker.serve(lambda request: handoff_worker.Response("from a function\\n"))
"""
WSGI = """
def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"from WSGI\\n"]
"""
OF_RANDOM_NUMBERS = "at java.security.SecureRandom.<init>"
"""What asks for the form of a method that a start makes. Two threads do at the same time, and one start in 20 makes it twice."""
FETCH = 'export default { fetch: () => new Response("from fetch\\n") };\n'

# As in a container of 128 MB, and what an operator may take against the advice of the start script.
OTHER_FLAGS = [
    "-XX:+UseSerialGC",
    "-XX:+UseG1GC",
    "-XX:+UseZGC",
    "-XX:-UseCompressedOops",
    "-XX:+UseParallelGC -XX:MaxRAM=128m",
    "-Xmx24m",
    "-Xshare:off",
    "-XX:AOTMode=off",
    "--add-opens java.base/java.lang=ALL-UNNAMED",
]


def ask(port: int) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/")
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_tells_its_version(clean_room: CleanRoom, unpacked: Path) -> None:
    done = clean_room.run(unpacked / "handoff", "--version")

    version = unpacked.name.removeprefix("handoff-server-")
    assert done.stdout.startswith(f"Handoff {version} (Java 25")
    assert (done.returncode, done.stderr) == (0, "")


def test_runs_through_a_link_and_by_name_alone(clean_room: CleanRoom, unpacked: Path, elsewhere: Path) -> None:
    link = elsewhere / "linked handoff"
    link.symlink_to(os.path.relpath(unpacked / "handoff", elsewhere))

    by_link = clean_room.run(link, "--version")
    by_name = clean_room.run("/bin/sh", "-c", f"cd '{unpacked}' && exec /bin/sh handoff --version")

    assert (by_link.returncode, by_link.stderr) == (0, "")
    assert by_link.stdout == by_name.stdout != ""


def test_serves_its_example(clean_room: CleanRoom, unpacked: Path) -> None:
    with clean_room.serving(unpacked / "handoff", unpacked / "examples-python" / "hello.py") as port:
        assert ask(port) == (200, b"hello\n")


@pytest.mark.parametrize(
    ("file", "source", "target", "answer"),
    [
        ("function.py", FUNCTION, "{file}", b"from a function\n"),
        ("site.py", WSGI, "{stem}:app", b"from WSGI\n"),
        ("fetch.mjs", FETCH, "{file}", b"from fetch\n"),
    ],
)
def test_workers_find_the_sdks_in_it(
    clean_room: CleanRoom, unpacked: Path, file: str, source: str, target: str, answer: bytes
) -> None:
    path = clean_room.home / f"own_{file}"
    path.write_text(source)

    handler = target.format(file=path, stem=path.stem)
    with clean_room.serving(unpacked / "handoff", handler) as port:
        assert ask(port) == (200, answer)


@pytest.mark.parametrize("flags", OTHER_FLAGS)
def test_starts_silently_with_other_flags_for_java(clean_room: CleanRoom, unpacked: Path, flags: str) -> None:
    done = clean_room.run(unpacked / "handoff", "--version", java_options=flags)

    assert done.stdout.startswith("Handoff ")
    assert done.stdout.count("\n") == 1
    assert (done.returncode, done.stderr) == (0, "")


def test_flags_for_java_are_no_patterns_of_files(clean_room: CleanRoom, unpacked: Path) -> None:
    flag = clean_room.home / "-Dfound=1"
    flag.touch()
    try:
        done = clean_room.run(unpacked / "handoff", "--version", java_options="-Dfound=* -XshowSettings:properties")
    finally:
        flag.unlink()

    assert "    found = *\n" in done.stderr


def test_says_that_java_takes_no_path_with_a_colon(clean_room: CleanRoom, unpacked: Path, elsewhere: Path) -> None:
    place = elsewhere / "with:colon"
    (place / "runtime").mkdir(parents=True)
    shutil.copy(unpacked / "handoff", place)
    for link in ("lib", "runtime/bin"):
        (place / link).symlink_to(unpacked / link)

    done = clean_room.run(place / "handoff", "--version")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("handoff: Java takes a colon for the end of a path: rename or move the folder ")


def test_classes_come_from_the_cache(clean_room: CleanRoom, unpacked: Path) -> None:
    flags = "-XX:+UseParallelGC -XX:-UsePerfData -Xlog:class+load"
    loaded = clean_room.run(unpacked / "handoff", "--version", java_options=flags).stdout.splitlines()

    jars = {jar.path.name for jar in jars_of(unpacked)}
    from_jars = [line for line in loaded if any(f"/{name}" in line for name in jars)]
    assert from_jars == []
    for ours in ("dev.handoff.launcher.Main ", "picocli.CommandLine "):
        assert any(ours in line and "shared objects file" in line for line in loaded)


def test_makes_no_code_at_a_start_that_no_cache_keeps(clean_room: CleanRoom, unpacked: Path) -> None:
    """Chains of comparators, comparisons of records and switches over types: each takes milliseconds (decision 12)."""
    place = clean_room.home / "classes"
    place.mkdir()
    place.chmod(0o777)
    log = place / "loaded"
    logged = "-XX:LogClassLoadingCauseFor=LambdaForm -Xlog:class+load,class+load+cause:file=classes/loaded"
    flags = f"-XX:+UseParallelGC -XX:-UsePerfData {logged}"
    with clean_room.serving(unpacked / "handoff", unpacked / "examples-python" / "hello.py", java_options=flags):
        told = log.read_text()
    made = [line for line in told.splitlines() if " source: " in line and "shared objects file" not in line]
    forms = re.findall(r" (java\.lang\.invoke\.LambdaForm\S*) source: __JVM", told)
    stacks = {form: told.split(f"when loading {form}:")[1].split("when loading ")[0] for form in forms}

    # Those of dev.handoff.process come when the worker does, beside its own start.
    assert [line for line in made if " java.util.Comparator" in line] == []
    assert [line for line in made if " dev.handoff." in line and " dev.handoff.process." not in line] == []
    assert [stack for stack in stacks.values() if OF_RANDOM_NUMBERS not in stack] == []


def test_nobody_wrote_into_it(clean_room: CleanRoom, unpacked: Path) -> None:
    before = {path: path.lstat().st_mtime_ns for path in unpacked.rglob("*")}

    with clean_room.serving(unpacked / "handoff", unpacked / "examples-python" / "sdk_hello.py") as port:
        assert ask(port)[0] == 200

    assert {path: path.lstat().st_mtime_ns for path in unpacked.rglob("*")} == before
