"""One request, one answer, one connection."""

import http.client
from dataclasses import dataclass

from live.process import LIMIT_SECONDS


@dataclass(frozen=True)
class Answer:
    status: int
    type: str
    text: str


def ask(port: int, method: str, path: str, fields: dict[str, str] | None = None, host: str = "127.0.0.1") -> Answer:
    connection = http.client.HTTPConnection(host, port, timeout=LIMIT_SECONDS)
    try:
        connection.request(method, path, headers=fields or {})
        response = connection.getresponse()
        return Answer(response.status, response.getheader("content-type", ""), response.read().decode())
    finally:
        connection.close()
