"""
The images that ours build on. Where one cannot be pulled, a stand-in under its name is made from Debian's packages, and npm's for Node;
only for an engine of the tests, so that nobody finds one among the images of his own.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from harness.commands import CommandFailed, run, say, succeeds
from harness.engine import Engine

PULL_SECONDS = 60
DEBOOTSTRAP_SECONDS = 1800

RECIPES = Path(__file__).with_name("stand-ins")
CERTIFICATES = Path("/usr/local/share/ca-certificates")
"""Those that this machine trusts besides the usual ones, such as of a proxy that packages come through."""

DEBIAN = "debian:trixie-slim"
PYTHON = "python:3.13-slim"
NODE = "node:24-trixie-slim"
PROMETHEUS = "prom/prometheus:v3.5.0"
HAPROXY = "haproxy:3.2"

STANDS_IN = "handoff.stands-in"
"""The label of a stand-in: what it was made from."""


def provide(
    engine: Engine, cache: Path, wanted: Sequence[str] = (DEBIAN, PYTHON, NODE, PROMETHEUS, HAPROXY)
) -> list[str]:
    """All that are wanted; returns which were replaced."""
    if not engine.own:
        return []
    makers: dict[str, Callable[[], None]] = {
        DEBIAN: lambda: make_debian(engine, cache),
        PYTHON: lambda: build(engine, PYTHON, RECIPES / "python"),
        NODE: lambda: make_node(engine, cache),
        PROMETHEUS: lambda: build(engine, PROMETHEUS, RECIPES / "prometheus"),
        HAPROXY: lambda: build(engine, HAPROXY, RECIPES / "haproxy"),
    }
    replaced = []
    for image in wanted:
        if not is_original(engine, image) and not pulled(engine, image):
            makers[image]()
            replaced.append(image)
    if replaced:
        say(f"stand-ins made of packages, since they cannot be pulled: {', '.join(replaced)}")
    return replaced


def is_original(engine: Engine, image: str) -> bool:
    exists = succeeds(["docker", "image", "inspect", image], engine.environment)
    return exists and not label(engine, image)


def label(engine: Engine, image: str) -> str:
    try:
        return engine.docker("image", "inspect", "--format", f'{{{{index .Config.Labels "{STANDS_IN}"}}}}', image)
    except CommandFailed:
        return ""


def pulled(engine: Engine, image: str) -> bool:
    if label(engine, image):
        # It could not be pulled before, and finding that out again takes as long as before.
        return False
    say(f"pulling {image}")
    try:
        engine.docker("pull", "--quiet", image, limit_seconds=PULL_SECONDS)
    except CommandFailed:
        return False
    return True


def make_debian(engine: Engine, cache: Path) -> None:
    certificates = sorted(CERTIFICATES.glob("*.crt"))
    made_from = hashlib.sha256(b"".join(each.read_bytes() for each in certificates)).hexdigest()
    if label(engine, DEBIAN) == made_from:
        return
    tarball = cache / f"trixie-{made_from[:12]}.tar"
    if not tarball.exists():
        say("debootstrapping Debian trixie, about a minute; the next run has it")
        debootstrap(tarball, certificates)
    engine.docker("import", "--change", f"LABEL {STANDS_IN}={made_from}", "--change", "CMD bash", tarball, DEBIAN)


def debootstrap(tarball: Path, certificates: Sequence[Path]) -> None:
    include = ["--include=ca-certificates"] if certificates else []
    with tempfile.TemporaryDirectory(dir=tarball.parent) as folder:
        root = Path(folder, "root")
        # What it mounts, such as /proc, goes with its mount namespace.
        run(
            ["unshare", "--mount", "debootstrap", "--variant=minbase", *include, "trixie", root],
            limit_seconds=DEBOOTSTRAP_SECONDS,
        )
        for certificate in certificates:
            shutil.copy(certificate, root / CERTIFICATES.relative_to("/"))
        if certificates:
            run(["chroot", root, "update-ca-certificates"])
        shutil.copy(RECIPES / "slim.dpkg", root / "etc/dpkg/dpkg.cfg.d/slim")
        left_out = ["./var/cache/apt/archives/*.deb", "./var/lib/apt/lists/*", "./usr/share/doc/*", "./usr/share/man/*"]
        unfinished = tarball.with_suffix(".unfinished")
        excluded = [f"--exclude={each}" for each in left_out]
        run(["tar", "--numeric-owner", *excluded, "-C", root, "-cf", unfinished, "."])
        unfinished.rename(tarball)


def make_node(engine: Engine, cache: Path) -> None:
    """npm's packages of Node and of itself are what the official image has, in other folders."""
    recipe = RECIPES / "node"
    made_from = hashlib.sha256((recipe / "package-lock.json").read_bytes()).hexdigest()
    context = cache / f"node-{made_from[:12]}"
    if not (context / "node_modules/node").exists():
        say("fetching Node 24")
        shutil.rmtree(context, ignore_errors=True)
        shutil.copytree(recipe, context)
        run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", context])
        # The one for this machine's processor.
        (node,) = context.glob("node_modules/node-for-*")
        node.rename(context / "node_modules/node")
    shutil.copy(recipe / "Dockerfile", context)
    build(engine, NODE, context)


def build(engine: Engine, image: str, context: Path) -> None:
    """Quick when nothing has changed: the engine remembers each step. The network is that of the machine, which has a way out."""
    arguments = ["build", "--quiet", "--network", "host", "--label", f"{STANDS_IN}={context.name}", "--tag", image]
    engine.with_environment({"DOCKER_BUILDKIT": "0"}).docker(*arguments, context, limit_seconds=1800)
