"""An HTTP server at the Unix socket that its argument names: it says who it is and where, and makes a link of the socket for ?link=PATH."""

import http.server
import os
import pwd
import socketserver
import sys
from pathlib import Path

PLACE = Path(sys.argv[1])


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = f"{pwd.getpwuid(os.getuid()).pw_name} {PLACE}".encode()
        _, linked, target = self.path.partition("?link=")
        if linked:
            PLACE.unlink()
            PLACE.symlink_to(target)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Its clients have no address to log."""


with socketserver.ThreadingUnixStreamServer(str(PLACE), Answer) as server:
    server.serve_forever()
