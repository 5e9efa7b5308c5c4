import sys
from pathlib import Path

from harness.peers import Peer
from harness.server import running
from harness.shapes import SHAPES

# Answers 503 once, as a server does whose worker is still on its way, and then what it was started in.
SERVES = """
import http.server, os, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answers.append(503 if not answers else 200)
        self.send_response(answers[-1])
        self.send_header("Content-Length", "6")
        self.send_header("Folder", os.getcwd())
        self.end_headers()
        self.wfile.write(b"hello\\n")

answers = []
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def test_waits_for_a_server_in_a_folder_without_a_virtual_environment(tmp_path: Path) -> None:
    peer = Peer("one", "one", "", lambda port: [sys.executable, "-c", SERVES, str(port)], {})
    with running(peer, tmp_path, SHAPES["hello"]) as server:
        assert f"Folder: {tmp_path}" in server.check(SHAPES["hello"])
