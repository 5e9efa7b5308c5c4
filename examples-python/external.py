"""A Handoff worker that is started by itself, as in a container of its own, and outlives the server.

It connects to HANDOFF_SOCKET, and again when the server went away: after a random time that grows while nobody is there.
On SIGTERM it says drain, finishes what it has, and exits with 0. For a health check it keeps HANDOFF_READY_FILE. In the target's query, `delay=MILLIS` delays an answer.
"""

import asyncio
import json
import os
import random
import signal
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

Head = dict[str, Any]  # the JSON of a frame

FIRST_DELAY, LONGEST_DELAY = 0.1, 5.0  # seconds between two attempts to connect
HELLO: Head = {"type": "hello", "protocol": 1, "concurrency": 16, "name": "external.py", "pid": os.getpid()}
HELLO["host"] = socket.gethostname()
READY_FILE = None if "HANDOFF_TOKEN" in os.environ else os.environ.get("HANDOFF_READY_FILE")
stopping = asyncio.Event()


async def handle(request: Head, body: bytes) -> tuple[int, list[list[str]], bytes]:
    """The handler: status, headers and body of the response."""
    delay = parse_qs(request["target"].partition("?")[2]).get("delay", ["0"])[0]
    await asyncio.sleep(int(delay) / 1000)
    return 200, [["content-type", "text/plain"]], f"{os.environ.get('HANDOFF_POOL', 'default')}\n".encode()


def frame(head: Head, body: bytes = b"") -> bytes:
    text = json.dumps(head).encode()
    return struct.pack(">II", len(text), len(body)) + text + body


async def answer(id: int, request: Head, body: bytes, core: asyncio.StreamWriter) -> None:
    try:
        status, headers, content = await handle(request, body)
        core.write(frame({"type": "response", "id": id, "status": status, "headers": headers}, content))
    except Exception as error:  # noqa: BLE001  whatever was raised, the core waits for this id
        core.write(frame({"type": "failure", "id": id, "message": repr(error)}))


def takes_requests(does: bool) -> None:
    if READY_FILE and does:
        Path(READY_FILE).write_text(f"{os.getpid()}\n")
    elif READY_FILE:
        Path(READY_FILE).unlink(missing_ok=True)


async def drain_when_stopped(core: asyncio.StreamWriter) -> None:
    await stopping.wait()
    takes_requests(False)
    core.write(frame({"type": "drain"}))  # no new requests; the core hangs up after the last response


async def serve() -> bool:
    """Serves until the core hangs up; returns whether it had welcomed us."""
    source, core = await asyncio.open_unix_connection(os.environ["HANDOFF_SOCKET"])
    core.write(frame(HELLO | {"pool": os.environ.get("HANDOFF_POOL"), "token": os.environ.get("HANDOFF_TOKEN")}))
    welcomed, tasks = False, {asyncio.create_task(drain_when_stopped(core))}
    try:
        while True:
            json_bytes, body_bytes = struct.unpack(">II", await source.readexactly(8))
            head, body = json.loads(await source.readexactly(json_bytes)), await source.readexactly(body_bytes)
            match head["type"]:
                case "welcome":
                    welcomed = True
                    takes_requests(not stopping.is_set())
                case "request":
                    tasks.add(task := asyncio.create_task(answer(head["id"], head, body, core)))
                    task.add_done_callback(tasks.discard)
                case "drain":
                    takes_requests(False)
                case "ping":
                    core.write(frame({"type": "pong"}))
                case "refused":
                    print("refused:", head["message"], file=sys.stderr)
    except (asyncio.IncompleteReadError, ConnectionError):
        return welcomed
    finally:
        takes_requests(False)
        for task in tasks:
            task.cancel()
        core.close()


async def main() -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    takes_requests(False)  # whatever a killed process has left
    delay = FIRST_DELAY
    while not stopping.is_set():
        try:
            delay = FIRST_DELAY if await serve() else min(2 * delay, LONGEST_DELAY)
        except OSError as error:
            print("no server yet:", error, file=sys.stderr)
            delay = min(2 * delay, LONGEST_DELAY)
        if "HANDOFF_TOKEN" in os.environ:  # a worker that the core started leaves with it
            break
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), delay * random.uniform(0.5, 1.5))


asyncio.run(main())
