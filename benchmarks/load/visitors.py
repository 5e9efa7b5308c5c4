#!/usr/bin/env python3
"""
Clients that shake hands by TLS 1.3, ask once, and leave: visitors.py PORT VISITS [resumed]

Four at a time. Prints a line of JSON as load.lua does. Each of them resumes its session of before, where they resume.
"""

import json
import socket
import ssl
import sys
import threading
import time

VISITORS = 4
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class Visitor(threading.Thread):
    def __init__(self, port: int, visits: int, resumes: bool) -> None:
        super().__init__()
        self._port, self._visits, self._resumes = port, visits, resumes
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._context.check_hostname = False
        # What checking costs is the client's own affair.
        self._context.verify_mode = ssl.CERT_NONE
        self._context.minimum_version = ssl.TLSVersion.TLSv1_3
        self._session: ssl.SSLSession | None = None
        self.micros: list[int] = []
        self.errors = 0

    def run(self) -> None:
        if self._resumes:
            self._visit(False)
        for _ in range(self._visits):
            begun = time.perf_counter()
            try:
                served = self._visit(self._resumes)
            except OSError:
                served = False
            self.micros.append(int((time.perf_counter() - begun) * 1e6))
            self.errors += not served

    def _visit(self, resumed: bool) -> bool:
        """Whether it was served, by a whole handshake or by half of one, as it is to be."""
        with (
            socket.create_connection(("127.0.0.1", self._port), 60) as plain,
            self._context.wrap_socket(plain, session=self._session if resumed else None) as secure,
        ):
            secure.sendall(REQUEST)
            told = b""
            while some := secure.recv(4096):
                told += some
            if self._resumes:
                self._session = secure.session
            return told.startswith(b"HTTP/1.1 200 ") and bool(secure.session_reused) == resumed


def main(port: int, visits: int, resumes: bool) -> None:
    visitors = [Visitor(port, visits // VISITORS, resumes) for _ in range(VISITORS)]
    begun = time.perf_counter()
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join()
    micros = int((time.perf_counter() - begun) * 1e6)
    taken = sorted(each for visitor in visitors for each in visitor.micros)
    figures = dict.fromkeys(("connect", "read", "write", "timeout"), 0)
    figures |= {"requests": len(taken), "micros": micros, "status": sum(visitor.errors for visitor in visitors)}
    figures |= {"p50": taken[len(taken) // 2], "p99": taken[len(taken) * 99 // 100]}
    print(json.dumps(figures))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] == ["resumed"])
