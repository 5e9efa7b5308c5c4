"""The workers of examples-other behind one core, and adapters beside the servers of their languages."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from harness.peers import Peer, handoff_node, handoff_python
from harness.workspace import ROOT, Unavailable, Workspace, find, output_of

sys.path.append(str(ROOT / "examples-other" / "tests"))
import other_languages

GO = ROOT / "adapters" / "go"
RACK = ROOT / "adapters" / "rack"
NAMES = {"c": "C", "cpp": "C++", "csharp": "C#", "d": "D", "ocaml": "OCaml", "php": "PHP"}
THREADS = 8
"""Of Puma, and of the adapter for Rack by itself."""

SOURCES: dict[str, Path] = {each.name: each.source for each in other_languages.languages()}
SOURCES |= {"python": ROOT / "examples-python" / "hello.py", "node": ROOT / "examples-node" / "hello.mjs"}


def worker(language: other_languages.Language, workspace: Workspace) -> Peer:
    try:
        language.build(workspace.handoff_jars)
    except other_languages.Unavailable as missing:
        raise Unavailable(str(missing)) from missing
    # Its commands hold in its folder, as do the parts of a class path.
    words = [
        ":".join(str(language.folder / part) for part in word.split(":")) if ":" in word else word
        for word in language.run
    ]
    words = [str(language.folder / word) if (language.folder / word).is_file() else word for word in words]
    title = NAMES.get(language.name, language.name.capitalize())
    return behind_core(language.name, title, words, workspace)


def behind_core(key: str, title: str, words: list[str], workspace: Workspace) -> Peer:
    workspace.handoff_jars()  # so that ./handoff does not build while the clock runs
    first = [str(ROOT / "handoff"), "run", "--workers", "1", "--admin-port", "0"]
    environment = workspace.environment() | {"PATH": other_languages.environment()["PATH"]}
    return Peer(key, title, "", lambda port: [*first, "--port", str(port), *words], environment)


def titled(title: str, builder: Callable[[Workspace], Peer], workspace: Workspace) -> Peer:
    peer = builder(workspace)
    return Peer(title.lower(), title, peer.versions, peer.command, peer.environment)


def go_server(workspace: Workspace) -> Path:
    server = workspace.folder("go") / "server"
    output_of(find("go"), "build", "-o", server, "./example", directory=GO)
    return server


def go_adapter(workspace: Workspace) -> Peer:
    return behind_core("go-handoff", "Go's `http.ServeMux` behind Handoff", [str(go_server(workspace))], workspace)


def go_itself(workspace: Workspace) -> Peer:
    server = str(go_server(workspace))
    return Peer("go-net-http", "the same by `net/http`", "", lambda port: [server, f"127.0.0.1:{port}"], {})


def rack_adapter(workspace: Workspace) -> Peer:
    find("puma")
    words = [str(RACK / "handoff.rb"), "--", str(RACK / "example" / "config.ru")]
    return behind_core("sinatra-handoff", "Sinatra behind Handoff", words, workspace)


def puma(workspace: Workspace) -> Peer:
    serve = [find("puma"), "--quiet", "--environment", "production", "--threads", f"{THREADS}:{THREADS}"]
    configuration = str(RACK / "example" / "config.ru")
    return Peer(
        "sinatra-puma",
        "the same by Puma",
        "",
        lambda port: [*serve, "--bind", f"tcp://127.0.0.1:{port}", configuration],
        workspace.environment(),
    )


WORKERS: dict[str, Callable[[Workspace], Peer]] = {
    "python": partial(titled, "Python", handoff_python),
    "node": partial(titled, "Node", handoff_node),
}
WORKERS |= {each.name: partial(worker, each) for each in other_languages.languages()}

ADAPTERS: dict[str, Callable[[Workspace], Peer]] = {
    "go-handoff": go_adapter,
    "go-net-http": go_itself,
    "sinatra-handoff": rack_adapter,
    "sinatra-puma": puma,
}
