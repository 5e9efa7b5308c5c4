"""An HTTP server as Python has it, for "handoff run --http". It knows nothing of Handoff but PORT."""

import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        # The content of a request has to be read, also of a GET: Python takes what is left for the next request.
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/clock":
            self.clock()
        else:
            self.respond(b"hello\n")

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.respond(
            body,
            ("Echo-Method", self.command),
            ("Echo-Target", self.path),
            ("Echo-Client", self.headers["X-Forwarded-For"]),
        )

    def clock(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")  # which ends it: this server knows no chunks
        self.end_headers()
        try:
            while True:
                self.wfile.write(time.strftime("data: %H:%M:%S\n\n").encode())
                time.sleep(1)
        except OSError:
            pass  # the client is gone

    def respond(self, body: bytes, *fields: tuple[str, str]) -> None:
        self.send_response(200)
        for name, value in (("Content-Length", str(len(body))), *fields):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, *_: object) -> None:
        """Handoff has an access log."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
