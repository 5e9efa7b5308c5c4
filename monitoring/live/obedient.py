"""A worker for tests, which does what the path says; one request at a time.

/anything        200
/fails           failure: the handler could not answer
/invalid         a response that is not HTTP
/crashes         the process ends
/until/NAME      200 as soon as there is a file of this name in the folder that the command line names
"""

import json
import os
import socket
import struct
import sys
import time
from pathlib import Path

FOLDER = Path(sys.argv[1])

Message = dict[str, object]


def answer(target: str) -> Message:
    match target.split("/")[1:]:
        case ["fails"]:
            return {"type": "failure", "message": "told to"}
        case ["invalid"]:
            return {"type": "response", "status": 200, "headers": [["split", "a\r\nb"]]}
        case ["crashes"]:
            sys.exit(3)
        case ["until", name]:
            while not (FOLDER / name).exists():
                time.sleep(0.01)
    return {"type": "response", "status": 200, "headers": []}


def main() -> None:
    with socket.socket(socket.AF_UNIX) as core:
        core.connect(os.environ["HANDOFF_SOCKET"])
        wire = core.makefile("rwb")

        def send(head: Message) -> None:
            text = json.dumps(head).encode()
            wire.write(struct.pack(">II", len(text), 0) + text)
            wire.flush()

        send({"type": "hello", "protocol": 1, "concurrency": 1, "token": os.environ.get("HANDOFF_TOKEN")})
        while prefix := wire.read(8):
            json_bytes, body_bytes = struct.unpack(">II", prefix)
            head = json.loads(wire.read(json_bytes))
            wire.read(body_bytes)
            match head["type"]:
                case "request":
                    send({**answer(head["target"]), "id": head["id"]})
                case "ping":
                    send({"type": "pong"})
                case "drain":
                    return


main()
