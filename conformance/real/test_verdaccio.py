"""Verdaccio, a registry for npm: what npm publishes there and installs from there, and what it takes from the registry behind it."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from served import MODULES, free_port, handoff, own_server

PROGRAM = str(MODULES / "verdaccio" / "bin" / "verdaccio")
LARGE_BYTES = 50_000_000
"""npm sends a package as base64 within JSON: 67 MB, just within the default of --max-body."""
CONFIGURATION = """
storage: {folder}/storage
uplinks: {{behind: {{url: '{behind}'}}}}
packages: {{'**': {{access: $all, publish: $all, proxy: behind}}}}
max_body_size: 100mb
log: {{type: stdout, format: pretty, level: warn}}
"""


def npm(folder: Path, url: str, *words: str) -> str:
    """Runs npm against this registry alone, with nothing in its cache."""
    folder.mkdir(parents=True, exist_ok=True)
    address = url.removeprefix("http:")
    (folder / ".npmrc").write_text(
        f"registry={url}/\n{address}/:_authToken=anybody\ncache={folder}/cache\naudit=false\n"
    )
    run = subprocess.run(["npm", *words], check=False, cwd=folder, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return run.stdout


@contextmanager
def verdaccio(folder: Path, *, by_handoff: bool) -> Iterator[str]:
    folder.mkdir()
    behind = subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True, check=True).stdout
    configuration = folder / "config.yaml"
    configuration.write_text(CONFIGURATION.format(folder=folder, behind=behind.strip()))
    port = free_port()
    command = ("node", PROGRAM, "--config", str(configuration), "--listen", f"127.0.0.1:{port}")
    server: AbstractContextManager[str] = (
        handoff("--", *command, cwd=folder) if by_handoff else own_server(*command, port=port, cwd=folder)
    )
    with server as url:
        yield url


def use(folder: Path, url: str) -> dict[str, str]:
    """Publishes a package that needs another, and installs it; the versions of what there is then."""
    own = {"name": "handoff-real", "version": "1.2.3", "dependencies": {"debug": "4.4.3"}}
    published = folder / "published"
    published.mkdir()
    (published / "package.json").write_text(json.dumps(own))
    (published / "large.bin").write_bytes(os.urandom(LARGE_BYTES))
    npm(published, url, "publish")
    installed = folder / "installed"
    npm(installed, url, "install", "--ignore-scripts", "--no-fund", "handoff-real")
    assert (installed / "node_modules/handoff-real/large.bin").read_bytes() == (published / "large.bin").read_bytes()
    found = installed.glob("node_modules/*/package.json")
    return {path.parent.name: json.loads(path.read_text())["version"] for path in found}


def test_npm_publishes_and_installs(tmp_path: Path) -> None:
    with verdaccio(tmp_path / "a", by_handoff=True) as url:
        served = use(tmp_path / "a", url)
    with verdaccio(tmp_path / "b", by_handoff=False) as url:
        own = use(tmp_path / "b", url)
    print("Verdaccio:", served)
    assert served == own
    assert served == {"handoff-real": "1.2.3", "debug": "4.4.3", "ms": own["ms"]}
