#!/usr/bin/env python3
"""Writes the manual page and the completion for shells into an unpacked distribution: packaging/manual.py FOLDER JAVA

The page says what --help says, command by command.
"""

import re
import subprocess
import sys
from pathlib import Path

import components

HERE = Path(__file__).parent
COMMANDS = (
    "run",
    "serve",
    "config",
    "check",
    "new",
    "import",
    "top",
    "stats",
    "reset",
    "drain",
    "kill",
    "reload",
    "scale",
)
# That of the build, so that it can be repeated.
DATE = "2025-01-01"


def main(folder: Path, java: str) -> None:
    jars = components.jars_of(folder)
    path = ":".join(str(jar.path) for jar in jars)
    (launcher,) = (jar for jar in jars if jar.name == "handoff-launcher")

    def helped(*command: str) -> str:
        return _run(java, "-cp", path, "dev.handoff.launcher.Main", *command, "--help")

    page = folder / "share" / "man" / "man1" / "handoff.1"
    page.parent.mkdir(parents=True)
    page.write_text(manual(launcher.version, {name: helped(*name.split()) for name in ("", *COMMANDS)}))
    completion = folder / "share" / "bash-completion" / "completions" / "handoff"
    completion.parent.mkdir(parents=True)
    told = _run(java, "-cp", path, str(HERE / "Completion.java"))
    # picocli writes when it was.
    completion.write_text(re.sub(r"^# (Generated|Date).*\n", "", told, flags=re.MULTILINE | re.IGNORECASE))


def manual(version: str, helps: dict[str, str]) -> str:
    """
    :param helps: what each command says of itself, the whole by an empty name
    """
    lines = [f'.TH HANDOFF 1 "{DATE}" "Handoff {version}" "User Commands"']
    lines += [".SH NAME", "handoff \\- an HTTP/1.x server for handlers written in any language"]
    for command, text in helps.items():
        lines += [f".SH {command.upper() or 'DESCRIPTION'}", ".nf", *map(_escaped, text.strip().splitlines()), ".fi"]
    return "\n".join(lines) + "\n"


def _escaped(line: str) -> str:
    """As troff prints it: no command at the beginning of a line, hyphens that can be copied, and no letters that it lacks."""
    escaped = line.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
