"""
Properties of ASGI: the scope of any request that the core lets pass has its method, fields and body. Whatever an application
sends, in whichever order, its request is answered exactly once: with what it sent, where that is HTTP, else with a failure.
"""

from collections.abc import Coroutine
from typing import Any

from handoff_worker.asgi.call import Call
from handoff_worker.asgi.scope import scope_of
from handoff_worker.gateway.gathering_budget import GatheringBudget
from recorded import Outbox

from fuzz.inputs import lines, request_of
from fuzz.responses import GivenResponse, require_answered


def read(data: bytes) -> None:
    _answered(data)


def holds(data: bytes) -> None:
    exchange, fields = request_of(data)
    scope = scope_of(exchange, {})
    assert scope["method"] == exchange.method
    assert [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]] == fields
    sent, received, outbox = _answered(data)
    assert received == data.partition(b"\n\n")[2]
    require_answered(sent, outbox)


def _answered(data: bytes) -> tuple[GivenResponse, bytes, Outbox]:
    """The request of an input, and the response that its body says; what was sent, received, and came of it."""
    outbox = Outbox()
    exchange, _ = request_of(data, outbox)
    sent = GivenResponse(exchange.method)
    body = b""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal body
        body = (await receive())["body"]
        for message in _messages(body):
            await send(message)
            if message["type"] == "http.response.start":
                sent.start(
                    message["status"], [(n.decode("latin-1"), v.decode("latin-1")) for n, v in message["headers"]]
                )
            else:
                sent.body += message["body"]

    _run(Call(exchange, GatheringBudget()).run(app, scope_of(exchange, {}), "app"))
    return sent, body, outbox


def _messages(script: bytes) -> list[dict[str, Any]]:
    """Each line an event: `200` begins a response, `name: value` goes with the one before, `+text` and `.text` are its body."""
    messages: list[dict[str, Any]] = []
    for line in script.split(b"\n"):
        begin, rest = line[:1], line[1:]
        if begin in (b"+", b"."):
            messages.append({"type": "http.response.body", "body": rest, "more_body": begin == b"+"})
        elif begin.isdigit():
            messages.append(
                {"type": "http.response.start", "status": int(line[:6]) if line[:6].isdigit() else 0, "headers": []}
            )
        elif messages and "headers" in messages[-1]:
            name, _, value = line.partition(b":")
            messages[-1]["headers"].append((name, value.strip(b" ")))
        else:
            messages.append({"type": lines(line)[0]})
    return messages


def _run(coroutine: Coroutine[Any, Any, None]) -> None:
    """To its end, without an event loop: nothing in it waits."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise AssertionError("the call waits for something")
