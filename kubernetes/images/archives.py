"""Builds the images once for each state of the sources, by the harness of docker/, and keeps them as archives in the cache."""

import hashlib
import subprocess
from pathlib import Path

from cluster.processes import say
from harness import cache, stand_ins
from harness.engine import Engine, found_or_started

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
BUILD_SECONDS = 3600

CORE = "registry.example.org/handoff:0.1.0"
NEXT_CORE = "registry.example.org/handoff:0.2.0"
WORKER = "registry.example.org/app:1"
NEXT_WORKER = "registry.example.org/app:2"
BROKEN_WORKER = "registry.example.org/app:3"
PAUSE = "pause:1"

READ = (
    *("core/", "handlers-process/", "admin/", "launcher/", "sdk-python/", "sdk-node/", "scripts/", "packaging/"),
    *("Dockerfile", "handoff", "pom.xml", "kubernetes/images/"),
)
"""What the images are made from; a change of it makes new ones, but for tests."""


def archived(folder: Path) -> Path:
    """One archive with all of them, for `ctr images import`."""
    archive = folder / f"images-{sources()}.tar"
    if not archive.exists():
        with cache.held() as kept, found_or_started(kept) as engine:
            stand_ins.provide(engine, kept, (stand_ins.DEBIAN, stand_ins.PYTHON))
            build_all(engine)
            unfinished = archive.with_suffix(".unfinished")
            images = (CORE, NEXT_CORE, WORKER, NEXT_WORKER, BROKEN_WORKER, PAUSE)
            engine.docker("save", "--output", unfinished, *images)
        for old in folder.glob("images-*.tar"):
            old.unlink()
        unfinished.rename(archive)
    return archive


def sources() -> str:
    """What the images are made from."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    hashed = hashlib.sha256()
    for name in sorted(set(listed.stdout.split("\0")) - {""}):
        file = ROOT / name
        if file.is_file() and name.startswith(READ) and "/test" not in name:
            hashed.update(name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return hashed.hexdigest()[:16]


def build_all(engine: Engine) -> None:
    say("building the images for the cluster; minutes, when the sources have changed")
    build(engine, "handoff", ROOT, "--target", "handoff")
    engine.docker("tag", "handoff", CORE)
    build(engine, NEXT_CORE, HERE / "next")
    for image in (WORKER, NEXT_WORKER, BROKEN_WORKER):
        build(engine, image, HERE / "worker", "--build-arg", f"VERSION={image.rpartition(':')[2]}")
    build(engine, PAUSE, HERE / "pause")


def build(engine: Engine, image: str, context: Path, *options: str) -> None:
    engine.docker(
        "build", "--quiet", "--network", "host", "--tag", image, *options, context, limit_seconds=BUILD_SECONDS
    )
