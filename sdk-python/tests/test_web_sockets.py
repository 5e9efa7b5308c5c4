"""WebSockets of real frameworks through a real core, with real clients."""

import json
import os
import shutil
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import socketio
from serving import PATIENCE, Serving, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

SITES = Path(__file__).with_name("web_socket_sites")
LARGE = 1024 * 1024


def site(folder: Path) -> Path:
    shutil.copytree(SITES, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def starlette(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving("starlette_site:app", folder=site(tmp_path_factory.mktemp("starlette"))) as server:
        yield server


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving("plain_site.py", folder=site(tmp_path_factory.mktemp("plain"))) as server:
        yield server


def opened(server: Serving, path: str, **options: object) -> ClientConnection:
    address = f"ws://127.0.0.1:{server.port}{path}"
    return connect(address, open_timeout=PATIENCE, close_timeout=PATIENCE, max_size=None, **options)  # type: ignore[arg-type]


def end_of(client: ClientConnection) -> tuple[int, str]:
    with pytest.raises(ConnectionClosed) as closed:
        client.recv(PATIENCE)
    received = closed.value.rcvd
    assert received is not None, closed.value
    return received.code, received.reason


def test_the_chat_of_fastapis_tutorial(tmp_path: Path) -> None:
    with (
        serving("fastapi_chat:app", folder=site(tmp_path)) as server,
        opened(server, "/ws/1") as one,
    ):
        assert b"WebSocket Chat" in server.ask("GET", "/")[1]
        with opened(server, "/ws/2") as other:
            one.send("hello")
            assert [one.recv(PATIENCE), one.recv(PATIENCE)] == ["You wrote: hello", "Client #1 says: hello"]
            assert other.recv(PATIENCE) == "Client #1 says: hello"
        assert one.recv(PATIENCE) == "Client #2 left the chat"


def test_the_chat_of_the_channels_tutorial(tmp_path: Path) -> None:
    with (
        serving("mysite.asgi:application", folder=site(tmp_path)) as server,
        opened(server, "/ws/chat/lobby/") as one,
        opened(server, "/ws/chat/lobby/") as other,
        opened(server, "/ws/chat/kitchen/") as elsewhere,
    ):
        one.send(json.dumps({"message": "hello"}))
        for each in (one, other):
            assert json.loads(each.recv(PATIENCE)) == {"message": "hello"}
        with pytest.raises(TimeoutError):
            elsewhere.recv(0)


@pytest.mark.parametrize("transports", [["websocket"], ["polling", "websocket"]], ids=["websocket", "upgrade"])
def test_a_chat_of_socket_io(tmp_path: Path, transports: list[str]) -> None:
    address = "http://127.0.0.1:{}"
    with serving("socketio_chat:app", folder=site(tmp_path)) as server:
        clients = [socketio.SimpleClient() for _ in range(2)]
        for each in clients:
            each.connect(address.format(server.port), transports=transports, wait_timeout=int(PATIENCE))
            assert each.transport == "websocket"
        clients[0].emit("chat message", "hello")
        for each in clients:
            assert each.receive(timeout=PATIENCE) == ["chat message", "hello"]
        for each in clients:
            each.disconnect()


@pytest.mark.parametrize("message", ["", "grüße €😀", b"", b"\x00\xff", "x" * LARGE, bytes(LARGE)], ids=range(6))
@pytest.mark.parametrize("compression", [None, "deflate"])
def test_messages_come_back(starlette: Serving, message: str | bytes, compression: str | None) -> None:
    with opened(starlette, "/echo", compression=compression) as client:
        client.send(message)
        assert client.recv(PATIENCE) == message


def test_many_messages_come_back_in_order(starlette: Serving) -> None:
    with opened(starlette, "/echo") as client:
        for i in range(5000):
            client.send(f"message {i}")
        for i in range(5000):
            assert client.recv(PATIENCE) == f"message {i}"


def test_subprotocol_and_fields_of_the_application_arrive(starlette: Serving) -> None:
    with opened(starlette, "/echo", subprotocols=["other", "chat"]) as client:
        assert client.subprotocol == "chat"
        assert client.response is not None
        assert client.response.headers["x-a"] == "1"
    with opened(starlette, "/echo") as client:
        assert client.subprotocol is None


def test_an_application_hears_how_its_client_closed(starlette: Serving) -> None:
    with opened(starlette, "/echo") as client:
        client.close(4001, "lunch")
    starlette.await_log("disconnected 4001 lunch")
    client = opened(starlette, "/echo")
    client.socket.close()
    starlette.await_log("disconnected 1006")


def test_an_application_may_refuse(starlette: Serving) -> None:
    for path, status, body in (("/refuse", 403, b""), ("/deny", 451, b"not today"), ("/nowhere", 403, b"")):
        with pytest.raises(InvalidStatus) as refused:
            opened(starlette, path)
        assert (refused.value.response.status_code, refused.value.response.body or b"") == (status, body)


@pytest.mark.parametrize(
    ("path", "end"), [("/close", (4002, "enough")), ("/returns", (1000, "")), ("/fail", (1011, "handler_failed"))]
)
def test_an_application_ends_it(starlette: Serving, path: str, end: tuple[int, str]) -> None:
    with opened(starlette, path) as client:
        assert end_of(client) == end


def test_a_message_that_the_core_does_not_take_costs_its_sender_alone(starlette: Serving, plain: Serving) -> None:
    with opened(starlette, "/echo") as other, opened(starlette, "/large") as client:
        assert end_of(client) == (1011, "handler_failed")
        starlette.await_log("33554432 at most")
        other.send("still there")
        assert other.recv(PATIENCE) == "still there"
    with opened(plain, "/large") as client:
        for size in (35651584, 34603008):
            assert f"has {size} bytes" in str(client.recv(PATIENCE))
        assert end_of(client) == (1000, "")


def test_a_client_that_reads_nothing_holds_its_application(starlette: Serving) -> None:
    client = opened(starlette, "/flood", max_queue=1)
    with opened(starlette, "/echo") as other:
        for i in range(100):
            other.send(str(i))
            assert other.recv(PATIENCE) == str(i)
    client.socket.shutdown(socket.SHUT_RDWR)
    starlette.await_log("flood ended")


def test_members_that_read_late_get_all_of_a_broadcast(tmp_path: Path) -> None:
    """More than the core and the kernel hold. What they have not taken waits with the application."""
    small_heap = {"HANDOFF_JAVA_OPTS": "-XX:+UseSerialGC -Xmx64m"}
    late = ("--write-timeout", "5m")  # the last one begins to read when all others have read
    with (
        serving(*late, "starlette_site:app", folder=site(tmp_path), environment=small_heap) as server,
        ExitStack() as stack,
    ):
        members = [stack.enter_context(member_that_reads_late(server)) for _ in range(30)]
        assert server.ask("GET", "/broadcast") == (200, b"30 members")
        with opened(server, "/echo") as other:
            for _ in range(5):
                assert server.ask("GET", "/pieces") == (200, bytes(1_000_000))
                other.send(bytes(50_000))
                assert other.recv(PATIENCE) == bytes(50_000)
        for each in members:
            for i in range(10):
                assert each.recv(PATIENCE) == bytes([i]) * LARGE


def member_that_reads_late(server: Serving) -> ClientConnection:
    """One for which neither its kernel nor its library takes much, and which expects no pong meanwhile."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", server.port))
    return opened(server, "/room", sock=client, max_queue=1, compression=None, ping_interval=None)


def test_plain_functions_share_a_room(plain: Serving) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(opened(plain, "/room")) for _ in range(3)]
        assert plain.ask("GET", "/")[1] == b"page\n"
        clients[0].send("hello")
        clients[1].send(b"bytes")
        for each in clients:
            assert {each.recv(PATIENCE), each.recv(PATIENCE)} == {"hello", b"bytes"}
    plain.await_log("over 1000 ")


def test_a_plain_function_closes_and_fails(plain: Serving) -> None:
    with opened(plain, "/closes") as client:
        assert end_of(client) == (4003, "bye")
    plain.await_log("closed 4003 bye")
    with opened(plain, "/fails") as client:
        assert end_of(client) == (1011, "handler_failed")
    plain.await_log("LookupError: as tested")


def test_a_plain_function_chooses_the_first_subprotocol_it_speaks(plain: Serving) -> None:
    for offered, chosen in ((["chat", "chat.v2"], "chat.v2"), (["chat"], "chat"), (["other"], None)):
        with opened(plain, "/room", subprotocols=offered) as client:
            assert client.subprotocol == chosen


def test_pages_of_other_origins_are_refused(plain: Serving) -> None:
    with opened(plain, "/room", origin="https://example.org"):
        pass
    with pytest.raises(InvalidStatus) as refused:
        opened(plain, "/room", origin="https://evil.example")
    assert refused.value.response.status_code == 403


def test_a_killed_worker_is_told_as_1012(tmp_path: Path) -> None:
    with serving("starlette_site:app", folder=site(tmp_path)) as server, opened(server, "/echo") as client:
        worker = int(server.await_log(r"\(process (\d+)")[1])
        os.kill(worker, signal.SIGKILL)
        assert end_of(client) == (1012, "worker_lost")


def test_a_reload_is_told_as_1001(tmp_path: Path) -> None:
    with serving("starlette_site:app", folder=site(tmp_path)) as server, opened(server, "/echo") as client:
        server.process.send_signal(signal.SIGHUP)
        assert end_of(client) == (1001, "worker_drained")
        with opened(server, "/echo") as next_one:
            next_one.send("still served")
            assert next_one.recv(PATIENCE) == "still served"
        server.await_log("disconnected 1001")


def test_the_end_of_the_server_is_told_as_1001(tmp_path: Path) -> None:
    with serving("starlette_site:app", folder=site(tmp_path)) as server, opened(server, "/echo") as client:
        server.process.send_signal(signal.SIGTERM)
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(PATIENCE)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1001
