"""Answers with its user and group; asked with ?attack=CORE,OTHER, process ids, it tries what would harm them and says how that went.

It is started as it is, since it names HANDOFF_SOCKET.
"""

import errno
import grp
import os
import pwd
import socket
from collections.abc import Callable
from pathlib import Path

from worker import Head, frame, join, request, response, send

SOCKET = Path(os.environ["HANDOFF_SOCKET"])


def said_to(hello: Head) -> str:
    with socket.socket(socket.AF_UNIX) as core:
        core.connect(str(SOCKET))
        core.sendall(frame({"type": "hello", "protocol": 1, "concurrency": 1} | hello))
        answer = core.recv(65536).decode("latin-1")
    return next(word for word in ("bad_user", "bad_token", answer) if word in answer)


def tried(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as failure:
        return errno.errorcode[failure.errno or 0]
    return "done"


def attack(core: int, other: int) -> str:
    mine = os.environ["HANDOFF_TOKEN"]
    beside = SOCKET.with_name("mine")
    went = {
        "environment": tried(Path(f"/proc/{other}/environ").read_bytes),
        "environment of the core": tried(Path(f"/proc/{core}/environ").read_bytes),
        "memory": tried(lambda: os.open(f"/proc/{other}/mem", os.O_RDONLY)),
        "files": tried(lambda: os.listdir(f"/proc/{other}/fd")),
        "signal": tried(lambda: os.kill(other, 0)),
        "signal to the core": tried(lambda: os.kill(core, 0)),
        "folder": tried(lambda: os.listdir(SOCKET.parent)),
        "removal of the socket": tried(SOCKET.unlink),
        "another socket": tried(lambda: beside.symlink_to(SOCKET)),
        "rights of the socket": tried(lambda: SOCKET.chmod(0o777)),
        "another's pool": said_to({"pool": "b"}),
        "another's pool with its own token": said_to({"pool": "b", "token": mine}),
        "pool of visitors": said_to({"pool": "visited"}),
        "its own pool without a token": said_to({"pool": "a"}),
    }
    return "".join(f"{what}: {how}\n" for what, how in went.items())


def answer(target: str) -> str:
    if "?attack=" in target:
        core, other = target.partition("?attack=")[2].split(",")
        return attack(int(core), int(other))
    return f"{pwd.getpwuid(os.getuid()).pw_name} {grp.getgrgid(os.getgid()).gr_name} {os.getpid()}"


join(pool=os.environ["HANDOFF_POOL"])
while True:
    asked = request()
    send(response(asked), answer(asked["target"]).encode())
