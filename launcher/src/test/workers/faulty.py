"""A good worker, but for the one fault that its argument names: `handoff check` has to find each of them.

Without an argument it has none. It echoes as the page of the protocol says, responds in pieces at /stream, and takes
WebSockets at /socket.
"""

import json
import os
import random
import select
import signal
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any

Head = dict[str, Any]

FAULT = ""

FRAGMENT_BYTES = 16384


def has(fault: str) -> bool:
    return fault == FAULT


class Refused(Exception):
    def __init__(self, code: str) -> None:
        self.code = code


class Worker:
    def __init__(self) -> None:
        self.core = socket.socket(socket.AF_UNIX)
        self.core.connect(os.environ["HANDOFF_SOCKET"])
        self.woken, wakes = socket.socketpair()
        wakes.setblocking(False)
        signal.set_wakeup_fd(wakes.fileno())  # or a signal right before select would wait for the next frame
        self.wakes = wakes
        self.unread = b""
        self.unsent = b""
        self.json_limit = 65536
        self.limit = 0
        self.welcomed = False
        self.drained = False
        self.stopping = False
        self.streams: dict[int, int] = {}  # ids with their credit
        self.sockets: dict[int, int] = {}  # ids with their credit
        self.fragments: list[tuple[Head, bytes]] = []  # what waits for credit
        self.uploads: dict[int, tuple[Head, bytes]] = {}
        self.answered: set[int] = set()
        self.delayed: list[tuple[float, Head, bytes]] = []

    def send(self, head: Head, body: bytes = b"") -> None:
        text = json.dumps(head).encode()
        if has("little_endian"):
            self.unsent += struct.pack("<II", len(text), len(body)) + text + body
        else:
            self.unsent += struct.pack(">II", len(text), len(body)) + text + body

    def flush(self) -> None:
        if self.unsent:
            self.core.settimeout(1 if has("impatient_writes") else None)
            while self.unsent:
                self.unsent = self.unsent[self.core.send(self.unsent) :]
        self.unsent = b""

    def hello(self) -> None:
        wanted = os.environ.get("HANDOFF_CONCURRENCY")
        window = int(wanted or 0) if has("empty_is_zero") else int(wanted or 4)
        hello: Head = {"type": "hello", "protocol": 1, "concurrency": window}
        hello |= {"pool": os.environ.get("HANDOFF_POOL"), "token": os.environ.get("HANDOFF_TOKEN"), "pid": os.getpid()}
        hello |= {"features": ["streams", "websockets", "fragments"], "streams": 8, "streamBytes": 65536}
        if has("window_as_text"):
            hello["concurrency"] = str(window)
        if has("negative_window"):
            hello["concurrency"] = -1
        if has("no_protocol"):
            del hello["protocol"]
        if has("large_hello"):
            hello["unknown"] = "x" * 100_000
        if has("forgets_token"):
            del hello["token"]
        if has("forgets_pool"):
            del hello["pool"]
        if has("never_opens"):
            hello["concurrency"] = 0
        if has("other_window"):
            hello["concurrency"] = 8
        if has("speaks_http"):
            self.core.sendall(b"GET / HTTP/1.1\r\nHost: core\r\n\r\n")
        if has("pong_first"):
            self.send({"type": "pong"})
        self.send(hello)
        if has("speaks_before_welcome"):
            self.send({"type": "capacity", "concurrency": window})
        self.flush()

    def serve(self) -> None:
        self.hello()
        while True:
            wait = 0.02 if self.delayed or self.streams else None
            ready = select.select([self.core, self.woken], [], [], wait)[0]
            if self.woken in ready:
                self.woken.recv(64)
            if self.stopping and not self.drained and not has("ignores_term"):
                self.leave()
            if self.core in ready:
                chunk = self.core.recv(1 << 20)
                if not chunk:
                    return
                self.unread += chunk
                self.take_frames()
                if has("whole_reads") and len(self.unread) < 8:
                    self.unread = b""
            self.later()
            self.flush()

    def leave(self) -> None:
        self.drained = True
        self.ready(False)
        self.send({"type": "drain"})
        self.end_streams()
        self.flush()
        if has("forgets_crossing"):
            self.delayed.clear()
            while self.core.recv(65536):
                pass

    def take_frames(self) -> None:
        count = 0
        while len(self.unread) >= 8:
            json_bytes, body_bytes = struct.unpack_from(">II", self.unread)
            start, end = 8 + json_bytes, 8 + json_bytes + body_bytes
            if (has("small_heads") and json_bytes > 65536) or (has("heads_below_limit") and json_bytes >= 1 << 20):
                raise SystemExit("too long")
            if has("small_bodies") and body_bytes > 500_000:
                raise SystemExit("too long")
            if len(self.unread) < end:
                return
            text = self.unread[8:start]
            body, self.unread = self.unread[start:end], self.unread[end:]
            if has("json_by_pattern") and text.startswith(b"{") and not text.startswith(b'{"'):
                continue
            if has("ascii_only"):
                text.decode("ascii")
            try:
                head = json.loads(text)
            except ValueError:
                if has("survives_broken_json"):
                    continue
                raise
            if has("survives_arrays") and isinstance(head, list):
                continue
            count += 1
            if (has("few_frames_at_once") and count > 20) or (has("window_of_31") and count > 31):
                continue
            self.take(head, body)
            if has("one_frame_a_read") and head.get("type") != "welcome":
                self.unread = b""

    def take(self, head: Head, body: bytes) -> None:
        kind, id = head["type"], head.get("id", 0)
        if kind == "request":
            self.request(head, body)
        elif kind == "data" and id in self.uploads:
            first, so_far = self.uploads.pop(id)
            so_far += body
            if head.get("more"):
                self.uploads[id] = (first, so_far)
                if not has("grants_nothing"):
                    self.send({"type": "credit", "id": id, "bytes": len(body)})
            else:
                self.answer(first, so_far)
        elif kind == "welcome":
            if has("knows_all_of_welcome") and "unknown" in head:
                raise SystemExit("unknown key")
            self.welcomed = True
            self.ready(True)
            self.json_limit = head["limits"]["jsonBytes"]
            self.limit = head["limits"]["bodyBytes"]
            self.may_stream = "streams" in head.get("features", []) or has("streams_unasked")
        elif kind == "ping" and not has("no_pong"):
            if has("deaf_while_streaming") and self.streams:
                return
            self.send({"type": "pong"})
        elif kind == "cancel":
            self.cancel(head)
        elif kind == "credit" and id in self.streams:
            self.streams[id] += head["bytes"]
        elif kind == "credit" and id in self.sockets:
            self.sockets[id] += 0 if has("forgets_message_credit") else head["bytes"]
            self.send_fragments()
        elif kind == "message":
            self.message(id, head.get("text", False) and not has("messages_as_binary"), body)
        elif kind == "close" and id in self.sockets and not has("no_close"):
            del self.sockets[id]
            self.fragments.clear()
            self.send({"type": "close", "id": id})
        elif kind == "drain":
            self.drained = True
            if has("drops_at_drain") and self.delayed:
                raise SystemExit(0)
            self.ready(False)
            self.end_streams()
        elif kind == "refused":
            if not has("hides_refusal"):
                print("refused:", head["message"])
            raise Refused(head["code"])
        elif kind not in ("ping", "data", "credit", "close") and has("knows_all_types"):
            raise SystemExit("unknown type")

    def message(self, id: int, text: bool, body: bytes) -> None:
        cuts = [0] if has("sends_large_messages_whole") else range(0, max(1, len(body)), FRAGMENT_BYTES)
        for start in cuts:
            end = start + FRAGMENT_BYTES if len(cuts) > 1 else len(body)
            head = {"type": "message", "id": id, "text": text, "more": end < len(body)}
            if has("forgets_last_fragment") and len(cuts) > 1:
                head["more"] = True
            self.fragments.append((head, body[start:end]))
        if has("shuffles_fragments") and len(cuts) > 1:
            self.fragments.reverse()
        self.send_fragments()

    def send_fragments(self) -> None:
        while self.fragments and (self.sockets[self.fragments[0][0]["id"]] > 0 or has("ignores_message_credit")):
            head, part = self.fragments.pop(0)
            self.sockets[head["id"]] -= len(part) + 64
            self.send(head, part)

    def request(self, head: Head, body: bytes) -> None:
        if "id" not in head:
            if has("invents_ids"):
                return
            raise SystemExit("a request without an id")
        id = head["id"]
        if has("needs_time") and "timeoutMillis" not in head:
            return
        if has("knows_all_keys") and "unknown" in head:
            raise SystemExit("unknown key")
        if has("null_is_something") and "websocket" in head and head["websocket"] is None:
            self.send({"type": "response", "id": str(id), "status": 101})
            return
        if has("ids_as_floats"):
            head["id"] = int(float(id * 3) / 3) if id < 1 << 52 else int(float(id + 2))
        if has("times_of_31_bits") and head.get("timeoutMillis", 0) >= 1 << 31:
            return
        if has("knows_few_methods") and head["method"] not in ("GET", "POST", "HEAD"):
            raise SystemExit("which method?")
        if has("needs_host") and not head["headers"]:
            raise SystemExit("which host?")
        if has("never_answers"):
            return
        if head.get("more"):
            self.uploads[id] = (head, body)
        elif any(has(each) for each in ("forgets_cancelled", "knows_reasons", "drops_at_drain", "forgets_crossing")):
            self.delayed.append((time.monotonic() + 0.05, head, body))
        else:
            self.answer(head, body)

    def later(self) -> None:
        now = time.monotonic()
        due = [each for each in self.delayed if each[0] <= now]
        self.delayed = [each for each in self.delayed if each[0] > now]
        for _, head, body in due:
            self.answer(head, body)
        for id in list(self.streams):
            if self.streams[id] > 0 or has("ignores_credit"):
                self.streams[id] -= 16384
                self.send({"type": "data", "id": id, "more": True}, b"x" * 16384)

    def end_streams(self) -> None:
        while self.streams and not has("streams_through_drain"):
            self.send({"type": "data", "id": self.streams.popitem()[0]})

    def ready(self, now: bool) -> None:
        """Tells health checks, where nobody else does."""
        path = os.environ.get("HANDOFF_READY_FILE")
        if path and not os.environ.get("HANDOFF_TOKEN"):
            if now:
                Path(path).write_text(f"{os.getpid()}\n")
            elif not has("keeps_ready_file"):
                Path(path).unlink(missing_ok=True)

    def answer(self, head: Head, body: bytes) -> None:
        id, target = head["id"], head["target"]
        if target == "/stream" and self.may_stream:
            self.send({"type": "response", "id": id, "status": 200, "more": True})
            self.streams[id] = 1 << 16
            return
        if target == "/socket" and (head.get("websocket") is not None or has("always_accepts")):
            self.send({"type": "response", "id": id, "status": 101, "more": True})
            self.sockets[id] = 1 << 16
            return
        response: Head = {"type": "response", "id": id, "status": 200}
        got = head["headers"]
        method = head["method"]
        if has("sorts_headers"):
            got = sorted(got)
        if has("decodes_target"):
            target = target.replace("%41", "A")
        if has("joins_headers"):
            got = list(dict(got).items())
        headers = [["echo-method", method], ["echo-target", target], ["echo-headers", json.dumps(got)]]
        if has("line_end_in_header"):
            headers.append(["location", "/\r\nset-cookie: a=1"])
        if has("strange_status"):
            response["status"] = 99
        if has("status_as_text"):
            response["status"] = "200"
        if has("euro_in_header"):
            headers.append(["x-price", "\u20ac 5"])
        if has("keeps_alive"):
            headers.append(["Connection", "keep-alive"])
        if has("lies_about_length"):
            headers.append(["content-length", "12345"])
        if has("body_in_json"):
            response["body"] = "hello"
        if has("text_bodies"):
            body = body.decode("utf-8", "replace").encode()
        if has("swaps_bodies") and self.answered and len(body) in range(101, 200):
            body = body[::-1]
        json_bytes = len(json.dumps(response | {"headers": headers}))
        too_large = len(body) > self.limit and not has("ignores_limits")
        if too_large or (json_bytes > self.json_limit and not has("ignores_json_limit")):
            self.send({"type": "failure", "id": id, "message": "the response is too large"})
        else:
            self.send(response | {"headers": headers}, body)
            if has("answers_twice"):
                self.send(response | {"headers": headers}, body)
        self.answered.add(id)

    def cancel(self, head: Head) -> None:
        id = head["id"]
        known = id in self.streams or id in self.uploads or id in self.answered
        if has("fears_unknown_cancel") and not known:
            raise SystemExit("cancel of what?")
        if has("answers_cancel") and id in self.answered:
            self.send({"type": "failure", "id": id, "message": "cancelled"})
        if has("knows_reasons") and head["reason"] == "bored":
            self.delayed.clear()
        if has("forgets_cancelled"):
            self.delayed = [each for each in self.delayed if each[1]["id"] != id]
        if id in self.streams and not has("streams_on"):
            del self.streams[id]
            self.send({"type": "data", "id": id})
        if id in self.uploads:
            del self.uploads[id]
            if not has("forgets_uploads"):
                self.send({"type": "failure", "id": id, "message": "cancelled"})


def run() -> int:
    """Returns the exit code."""
    worker: Worker | None = None

    def terminate(*_: object) -> None:
        if worker:
            worker.stopping = True  # the loop is woken, and says drain

    if has("never_connects"):
        raise SystemExit("no idea")
    if not has("dies_at_term"):
        signal.signal(signal.SIGTERM, terminate)
    from_core = bool(os.environ.get("HANDOFF_TOKEN"))
    delay = 0.1
    while True:
        refused = ""
        try:
            worker = Worker()
            worker.serve()
        except Refused as reason:
            refused = reason.code
        except OSError:
            pass
        if worker:
            worker.core.close()
        if worker and worker.drained and (from_core or not has("forgets_term")):
            if has("outlives_drain"):
                time.sleep(60)
            return 3 if has("drain_is_error") else 0
        if from_core and refused and has("stays_refused"):
            time.sleep(60)
        if from_core and not (refused not in ("", "unknown_pool") and has("forgets_who_started_it")):
            if has("outlives_core") and not refused:
                time.sleep(60)
            return 0 if has("refused_is_fine") else 1
        if has("leaves_with_core") and not refused:
            return 0
        if has(f"gives_up_at_{refused}"):
            return 1
        if has(f"hangs_at_{refused}"):
            time.sleep(60)
        if worker and worker.welcomed:
            delay = 0.1
        time.sleep(0 if has("hammers") else 0.2 if has("steady_pauses") else delay * random.uniform(0.5, 1.5))
        delay = min(2 * delay, 5)


def main(fault: str) -> int:
    global FAULT
    FAULT = fault
    return run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
