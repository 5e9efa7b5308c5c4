"""A bare Debian to install into: no Java, no Maven, no git, and no network but its own loopback. Made by debootstrap, once for all runs."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

QUICKSTART = Path(__file__).parent / "install" / "node"
"""What a Node developer has before Handoff."""
NEXT = "0.999.0"
"""A version to upgrade to."""

SUITE = "bookworm"
# For the newest Python that a Debian has.
NEWEST_SUITE = "forky"
# For a Python or a Node that is put into it, with the libraries of the former.
WITHOUT_LANGUAGE = ("busybox", "libffi8", "libssl3")
DEBOOTSTRAP_SECONDS = 1800
PATIENCE = 120
USER = 1000
NOBODY = 65534
URL = re.compile(r"http://\S+:(\d+)/")


@dataclass(frozen=True)
class BareRoot:
    folder: Path
    network: str
    """The name of a network namespace in which there is only this machine."""

    def path(self, inside: str) -> Path:
        return self.folder / inside.lstrip("/")

    def write(self, inside: str, text: str) -> None:
        path = self.path(inside)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for made in (path, path.parent):
            os.chown(made, USER, USER)

    def run(self, command: str, user: int = USER, home: str | None = "/home/ann", check: bool = True) -> str:
        """What it prints; an error where it fails, if that is to be checked."""
        done = subprocess.run(
            self._inside(command, user, home), check=False, capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode == 0 or not check, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def kill(self, *words: bytes) -> None:
        """The processes in it whose command lines have one of these words: they cannot clean up."""
        for process in Path("/proc").glob("[0-9]*"):
            # Those that have ended meanwhile have neither.
            with suppress(OSError):
                command = (process / "cmdline").read_bytes()
                if (process / "root").resolve() == self.folder.resolve() and any(word in command for word in words):
                    os.kill(int(process.name), signal.SIGKILL)

    @contextmanager
    def serving(
        self, command: str, user: int = USER, home: str | None = "/home/ann", by_terminal: bool = False
    ) -> Iterator[str]:
        """
        Has the command serve, and gives the address; it has to end well when it is told to.

        :param by_terminal: tells it as Ctrl-C does, to all processes of the command: npm does not pass on what it alone is told
        """
        server = subprocess.Popen(
            self._inside(f"exec {command} --port 0 --admin-port 0 --workers 1", user, home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        stuck = threading.Timer(PATIENCE, os.killpg, [server.pid, signal.SIGKILL])
        stuck.start()
        try:
            yield address(server)
        finally:
            if by_terminal:
                os.killpg(server.pid, signal.SIGINT)
            else:
                server.terminate()
            _, said = server.communicate()
            stuck.cancel()
            # For who reads of a failure.
            print(said)
        assert "stopped" in said if by_terminal else server.returncode == 0, said

    def ask(self, url: str, content: bytes = b"") -> str:
        asking = ["ip", "netns", "exec", self.network, "curl", "--silent", "--show-error", "--fail", "--max-time", "60"]
        sending = ["--data-binary", "@-"] if content else []
        return subprocess.run([*asking, *sending, url], input=content, check=True, capture_output=True).stdout.decode()

    def _inside(self, command: str, user: int, home: str | None) -> list[str | Path]:
        environment = ["PATH=/usr/local/bin:/usr/bin:/bin", *([f"HOME={home}"] if home else [])]
        chroot: list[str | Path] = [
            "chroot",
            f"--userspec={user}:{user}",
            self.folder,
            "env",
            "-i",
            "--default-signal=INT,HUP",
            *environment,
        ]
        folder = home if home == "/home/ann" else "/"
        return ["ip", "netns", "exec", self.network, *chroot, "sh", "-c", f"cd {folder} && {command}"]


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def address(server: "subprocess.Popen[str]") -> str:
    assert server.stdout and server.stderr
    for line in server.stdout:
        found = URL.search(line)
        if found:
            return f"http://127.0.0.1:{found[1]}/"
    raise AssertionError(f"it does not serve:\n{server.stderr.read()}")


@contextmanager
def bare_root(cache: Path, *packages: str, suite: str = SUITE) -> Iterator[BareRoot]:
    """A copy that the tests may change, with these of Debian's packages."""
    cache.mkdir(parents=True, exist_ok=True)
    tarball = cache / f"{'-'.join([suite, *packages])}.tar"
    if not tarball.exists():
        debootstrap(tarball, suite, packages)
    folder = Path(tempfile.mkdtemp(prefix="handoff-root-"))
    network = f"handoff-{folder.name[-8:]}"
    mounted = False
    subprocess.run(["ip", "netns", "add", network], check=True)
    try:
        subprocess.run(["ip", "netns", "exec", network, "ip", "link", "set", "lo", "up"], check=True)
        subprocess.run(["tar", "-xf", tarball, "-C", folder], check=True)
        folder.chmod(0o755)
        subprocess.run(["mount", "-t", "proc", "proc", folder / "proc"], check=True)
        mounted = True
        subprocess.run(["chroot", folder, "useradd", "--create-home", f"--uid={USER}", "ann"], check=True)
        yield BareRoot(folder, network)
    finally:
        # What still makes a cache, say.
        BareRoot(folder, network).kill(b"")
        if mounted:
            subprocess.run(["umount", folder / "proc"], check=True)
        subprocess.run(["ip", "netns", "delete", network], check=True)
        shutil.rmtree(folder)


def debootstrap(tarball: Path, suite: str, packages: tuple[str, ...]) -> None:
    include = [f"--include={','.join(packages)}"] if packages else []
    with tempfile.TemporaryDirectory(dir=tarball.parent) as scratch:
        root = Path(scratch, "root")
        # What it mounts goes with its mount namespace.
        making: list[str | Path] = ["unshare", "--mount", "debootstrap", "--variant=minbase", *include, suite, root]
        # From the usual mirror, as all suites of these years are made: an older debootstrap does not know the newest by its name.
        making += ["", "sid"]
        done = subprocess.run(making, check=False, capture_output=True, text=True, timeout=DEBOOTSTRAP_SECONDS)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr
        unfinished = tarball.with_suffix(".unfinished")
        excluded = ["--exclude=./var/cache/apt/archives/*.deb", "--exclude=./var/lib/apt/lists/*"]
        subprocess.run(["tar", "--numeric-owner", *excluded, "-C", root, "-cf", unfinished, "."], check=True)
        unfinished.rename(tarball)
