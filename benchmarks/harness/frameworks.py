"""The servers that run the same unchanged Python application: each framework on Handoff, and on the servers of its kind."""

from collections.abc import Callable
from functools import partial

from harness.peers import Peer
from harness.workspace import PEER_SOURCES, ROOT, Workspace

THREADS = 8
"""Of servers for WSGI, which is also what Handoff takes by itself."""

TITLES = {
    "asgi": "bare ASGI",
    "wsgi": "bare WSGI",
    "starlette": "Starlette",
    "fastapi": "FastAPI",
    "django": "Django",
    "flask": "Flask",
}
SOURCES = {"asgi": "uvicorn_hello"} | {key: f"{key}_hello" for key in TITLES if key != "asgi"}
BESIDES = {"handoff": ("orjson", "uvloop"), "uvicorn": ("uvloop", "httptools"), "granian": ("uvloop",)}
"""Packages that make a server faster where they are installed."""


def handoff(application: str, workspace: Workspace) -> Peer:
    workspace.handoff_jars()  # so that ./handoff does not build while the clock runs
    run = [str(ROOT / "handoff"), "run", str(PEER_SOURCES / f"{SOURCES[application]}.py"), "--workers", "1"]
    return _peer(application, "handoff", workspace, lambda port: [*run, "--port", str(port), "--admin-port", "0"])


def uvicorn(application: str, workspace: Workspace) -> Peer:
    serve = [workspace.python(), "-m", "uvicorn", "--app-dir", str(PEER_SOURCES), f"{SOURCES[application]}:app"]
    quiet = ["--loop=uvloop", "--http=httptools", "--no-access-log", "--log-level=warning"]
    return _peer(application, "uvicorn", workspace, lambda port: [*serve, *quiet, "--port", str(port)])


def granian(interface: str, application: str, workspace: Workspace) -> Peer:
    serve = [workspace.python(), "-m", "granian", "--interface", interface, "--working-dir", str(PEER_SOURCES)]
    serve += ["--workers", "1", "--no-ws", "--log-level", "warning", f"{SOURCES[application]}:app"]
    if interface == "wsgi":
        serve += ["--blocking-threads", str(THREADS)]
    return _peer(application, "granian", workspace, lambda port: [*serve, "--port", str(port)])


def gunicorn(application: str, workspace: Workspace) -> Peer:
    serve = [workspace.python(), "-m", "gunicorn", "--chdir", str(PEER_SOURCES), f"{SOURCES[application]}:app"]
    serve += ["--workers", "1", "--worker-class", "gthread", "--threads", str(THREADS), "--log-level", "warning"]
    return _peer(application, "gunicorn", workspace, lambda port: [*serve, "--bind", f"127.0.0.1:{port}"])


def _peer(application: str, server: str, workspace: Workspace, command: Callable[[int], list[str]]) -> Peer:
    packages = workspace.once(workspace.python(), "-m", "pip", "freeze").splitlines()
    wanted = (application, server, *BESIDES.get(server, ()))
    versions = [package.replace("==", " ") for package in packages if package.partition("==")[0].lower() in wanted]
    environment = workspace.environment()
    if server == "handoff":
        accelerator = workspace.accelerator()
        if accelerator is not None:
            environment |= {"PYTHONPATH": str(accelerator)}
            versions.append("its accelerator")
        versions.append(workspace.java_version())
    versions.append(_python(workspace))
    title = f"{TITLES[application]} on {server}"
    return Peer(f"{application}-{server}", title, ", ".join(versions), command, environment)


def _python(workspace: Workspace) -> str:
    return workspace.once(workspace.python(), "--version")


FRAMEWORK_GROUPS: dict[str, dict[str, Callable[[Workspace], Peer]]] = {
    "Bare ASGI and WSGI": {
        "asgi-handoff": partial(handoff, "asgi"),
        "asgi-uvicorn": partial(uvicorn, "asgi"),
        "asgi-granian": partial(granian, "asgi", "asgi"),
        "wsgi-handoff": partial(handoff, "wsgi"),
        "wsgi-granian": partial(granian, "wsgi", "wsgi"),
        "wsgi-gunicorn": partial(gunicorn, "wsgi"),
    },
    **{
        TITLES[application]: {
            f"{application}-handoff": partial(handoff, application),
            f"{application}-uvicorn": partial(uvicorn, application),
            f"{application}-granian": partial(granian, "asgi", application),
        }
        for application in ("starlette", "fastapi", "django")
    },
    "Flask": {
        "flask-handoff": partial(handoff, "flask"),
        "flask-granian": partial(granian, "wsgi", "flask"),
        "flask-gunicorn": partial(gunicorn, "flask"),
    },
}
"""Those of a group are compared with each other."""
