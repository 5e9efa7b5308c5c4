"""A server that a test has started."""

import json
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_SECONDS = 90


class Server:
    """A running Handoff with an admin server on a port of its own."""

    def __init__(self, *arguments: str) -> None:
        subprocess.run([ROOT / "scripts/build", "fresh"], check=True, stdout=subprocess.DEVNULL)
        command = [str(ROOT / "handoff"), *arguments, "--port", "0", "--admin-port", "0"]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout
        self.admin = ""
        while not self.admin:
            line = self.process.stdout.readline()
            assert line, f"it ended: {command}"
            if line.startswith("  dashboard "):
                self.admin = line.split()[1].rstrip("/")

    def await_ready(self) -> None:
        deadline = time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.admin}/ready", timeout=LIMIT_SECONDS).close()
            except urllib.error.HTTPError:
                continue
            return
        raise AssertionError("it does not get ready")

    def await_workers(self, count: int) -> None:
        """Until so many workers take requests; one of them is enough to be ready."""
        deadline = time.monotonic() + LIMIT_SECONDS
        ready = 0
        while ready < count:
            assert time.monotonic() < deadline, f"{ready} of {count} workers are ready"
            with urllib.request.urlopen(f"{self.admin}/workers", timeout=LIMIT_SECONDS) as answer:
                pools = json.load(answer)["pools"]
            ready = sum(worker["state"] == "ready" for pool in pools for worker in pool["workers"])

    def is_running(self) -> bool:
        return self.process.poll() is None

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
