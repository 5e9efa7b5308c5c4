"""h11 on asyncio: says in a field of its answer which request it saw, its parts in hex."""

import asyncio
import hashlib

import h11


def shown(body: bytes) -> str:
    return body.hex() if len(body) <= 1024 else f"{len(body)}:{hashlib.sha256(body).hexdigest()}"


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.protocol = h11.Connection(h11.SERVER)
        self.request: h11.Request | None = None
        self.body = b""

    async def serve(self) -> None:
        try:
            while await self.take(self.protocol.next_event()):
                pass
        except h11.RemoteProtocolError as error:
            self.refuse(error)
        self.writer.close()

    async def take(self, event: h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]) -> bool:
        """Whether to go on."""
        if event is h11.NEED_DATA:
            self.protocol.receive_data(await self.reader.read(65536))
        elif isinstance(event, h11.Request):
            self.request = event
        elif isinstance(event, h11.Data):
            self.body += event.data
        elif isinstance(event, h11.EndOfMessage):
            return self.answer()
        return not isinstance(event, h11.ConnectionClosed)

    def answer(self) -> bool:
        assert self.request is not None
        echo = f"{self.request.method.hex()}.{self.request.target.hex()}.{shown(self.body)}"
        self.send(200, [("Echo", echo), ("Content-Length", "0")])
        self.body = b""
        if self.protocol.our_state is not h11.DONE:
            return False
        self.protocol.start_next_cycle()
        return True

    def refuse(self, error: h11.RemoteProtocolError) -> None:
        reason = "".join(c if " " <= c <= "~" else "?" for c in str(error))
        if self.protocol.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            fields = [("Refused", reason), ("Content-Length", "0"), ("Connection", "close")]
            self.send(error.error_status_hint, fields)

    def send(self, status: int, fields: list[tuple[str, str]]) -> None:
        for event in (h11.Response(status_code=status, headers=fields), h11.EndOfMessage()):
            self.writer.write(self.protocol.send(event) or b"")


async def main() -> None:
    server = await asyncio.start_server(lambda reader, writer: Connection(reader, writer).serve(), "127.0.0.1", 0)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
