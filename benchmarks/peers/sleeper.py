"""A Handoff worker whose requests take a known time each, so many at once as it is asked to take.

Like code that blocks, it cannot stop a request that is cancelled: it answers each when its time is over.
"""

import asyncio
import json
import os
import struct
from typing import Any

SERVICE_SECONDS = float(os.environ["SLEEPER_MILLIS"]) / 1000


def frame(head: dict[str, Any], body: bytes = b"") -> bytes:
    text = json.dumps(head).encode()
    return struct.pack(">II", len(text), len(body)) + text + body


async def main() -> None:
    incoming, outgoing = await asyncio.open_unix_connection(os.environ["HANDOFF_SOCKET"])
    hello = {"type": "hello", "protocol": 1, "concurrency": int(os.environ["HANDOFF_CONCURRENCY"])}
    outgoing.write(frame({**hello, "pool": os.environ["HANDOFF_POOL"], "token": os.environ["HANDOFF_TOKEN"]}))

    def answer(request: int) -> None:
        outgoing.write(frame({"type": "response", "id": request, "status": 200}, b"hello\n"))

    while prefix := await incoming.read(8):
        if len(prefix) < 8:
            prefix += await incoming.readexactly(8 - len(prefix))
        json_bytes, body_bytes = struct.unpack(">II", prefix)
        head = json.loads(await incoming.readexactly(json_bytes))
        await incoming.readexactly(body_bytes)
        if head["type"] == "request":
            asyncio.get_running_loop().call_later(SERVICE_SECONDS, answer, head["id"])
        elif head["type"] == "ping":
            outgoing.write(frame({"type": "pong"}))


asyncio.run(main())
