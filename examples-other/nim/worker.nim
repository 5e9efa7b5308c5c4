## A whole Handoff worker in Nim, with the standard library alone; docs/PROTOCOL.md tells what it says and hears.
import std/[json, monotimes, os, posix, random, sequtils, sets, strutils, tables, times]

type Response = tuple[status: int, headers: JsonNode, content: string]

## Your part: from a request to a response. Requests come one after the other.
proc handle(request: JsonNode, body: string): Response =
  let text = %*[["content-type", "text/plain"]]
  let target = request["target"].getStr
  case target.split('?')[0]
  of "/": (200, text, "hello\n")
  of "/echo":
    let echo = %*[["Echo-Method", request["method"]], ["Echo-Target", target], ["Echo-Headers", $request["headers"]]]
    (200, echo, body)
  else: (404, text, "There is nothing here.\n")

const Second = initDuration(seconds = 1)
let events = %*[["content-type", "text/event-stream"], ["cache-control", "no-store"]]
var terminated {.volatile.}: bool

## One connection to the core.
type Worker = object
  core: SocketHandle
  output: string # what the core gets next, in one write for one read: the speed
  limits: JsonNode
  streams, draining: bool
  clocks: HashSet[int] # event streams under way
  uploads: Table[int, tuple[head: JsonNode, body: string]] # requests in pieces
  credit: Table[int, int] # the bytes that may still be sent to each clock and each WebSocket

proc number(size: int): string =
  for shift in [24, 16, 8, 0]: result.add char(size shr shift and 255)

proc send(worker: var Worker, head: JsonNode, body = "") =
  let json = $head
  if head["type"].getStr == "response" and (json.len > worker.limits{"jsonBytes"}.getInt(int.high) or
      body.len > worker.limits{"bodyBytes"}.getInt(int.high)):
    worker.send(%*{"type": "failure", "id": head["id"], "message": "the response is larger than the core takes"})
  else:
    worker.output.add number(json.len) & number(body.len) & json & body

proc fail(worker: var Worker, id: int, why: string) =
  worker.send(%*{"type": "failure", "id": id, "message": why})

## A client that does not read misses what is sent meanwhile.
proc spend(worker: var Worker, id, bytes: int, head: JsonNode, body: string) =
  if worker.credit.getOrDefault(id) > 0:
    worker.credit[id] -= bytes
    worker.send(head, body)

proc tick(worker: var Worker) =
  let event = now().format("'data: 'HH:mm:ss") & "\n\n"
  for id in worker.clocks: worker.spend(id, event.len, %*{"type": "data", "id": id, "more": true}, event)

proc endClock(worker: var Worker, id: int) =
  worker.clocks.excl id
  worker.credit.del id
  worker.send(%*{"type": "data", "id": id})

## Browsers connect again, and find another worker.
proc endClocks(worker: var Worker) =
  for clock in toSeq(worker.clocks): worker.endClock clock

proc start(worker: var Worker, id: int, head: JsonNode, body: string) =
  let credit = worker.limits{"streamBytes"}.getInt(65536)
  if worker.streams and head["target"].getStr == "/clock":
    worker.send(%*{"type": "response", "id": id, "status": 200, "headers": events, "more": true})
    worker.clocks.incl id
    worker.credit[id] = credit
  elif head["target"].getStr == "/chat" and head{"websocket"} != nil and head["websocket"].kind == JArray:
    worker.send(%*{"type": "response", "id": id, "status": 101, "more": true})
    worker.credit[id] = credit
  else:
    try:
      let (status, headers, content) = handle(head, body)
      worker.send(%*{"type": "response", "id": id, "status": status, "headers": headers}, content)
    except Exception as error:
      worker.fail(id, $error.name & ": " & error.msg)

proc take(worker: var Worker, head: JsonNode, body: string) =
  if head.kind != JObject: raise newException(IOError, "the core sent a frame that is no object")
  let id = head{"id"}.getInt
  let more = head{"more"}.getBool
  case head{"type"}.getStr
  of "welcome":
    worker.limits = head["limits"]
    worker.streams = %"streams" in head{"features"}.getElems
  of "request":
    if id == 0: raise newException(IOError, "the core sent a request without an id")
    if more: worker.uploads[id] = (head, body) else: worker.start(id, head, body)
  of "data":
    if id in worker.uploads:
      worker.uploads[id].body.add body
      if not more:
        let (request, whole) = worker.uploads[id]
        worker.uploads.del id
        worker.start(id, request, whole)
  of "credit":
    if id in worker.credit: worker.credit[id] += head["bytes"].getInt
  of "message":
    worker.spend(id, body.len + 64, %*{"type": "message", "id": id, "text": head{"text"}}, body)
  of "close":
    if id in worker.credit: worker.send(%*{"type": "close", "id": id})
    worker.credit.del id
  of "cancel":
    if id in worker.clocks: worker.endClock id
    if id in worker.uploads: worker.fail(id, "cancelled")
    worker.uploads.del id
  of "ping": worker.send(%*{"type": "pong"})
  of "drain":
    worker.draining = true
    worker.endClocks()
  of "refused": raise newException(IOError, "refused: " & head["message"].getStr)
  else: discard

## How many bytes were whole frames.
proc takeFrames(worker: var Worker, unread: string): int =
  proc length(at: int): int =
    for octet in unread[at ..< at + 4]: result = result shl 8 or octet.int
  while unread.len >= result + 8:
    let body = result + 8 + length(result)
    let ends = body + length(result + 4)
    if unread.len < ends: break
    worker.take(parseJson(unread[result + 8 ..< body]), unread[body ..< ends])
    result = ends

proc write(core: SocketHandle, bytes: string) =
  var at = 0
  while at < bytes.len:
    let sent = posix.send(core, unsafeAddr bytes[at], bytes.len - at, MSG_NOSIGNAL)
    if sent >= 0: at += sent
    elif errno != EINTR: raiseOSError(osLastError())

## Goes on until the core hangs up, which is no fault.
proc serve(worker: var Worker) =
  let window = try: max(parseInt(getEnv("HANDOFF_CONCURRENCY")), 1) except ValueError: 64 # 1 or 2 for a handler that waits for others
  let hello = %*{"type": "hello", "protocol": 1, "concurrency": window, "pid": getCurrentProcessId(), "language": "nim " & NimVersion,
    "features": ["streams", "websockets"], "streams": 1000}
  for (key, variable) in {"pool": "HANDOFF_POOL", "token": "HANDOFF_TOKEN"}:
    if getEnv(variable) != "": hello[key] = %getEnv(variable)
  worker.send(hello)
  var
    unread = ""
    chunk = newString(65536)
    tick = getMonoTime() + Second
    ready = TPollfd(fd: worker.core.cint, events: POLLIN)
  while true:
    worker.core.write(worker.output)
    worker.output.setLen 0
    if poll(addr ready, 1, max((tick - getMonoTime()).inMilliseconds, 0).int) > 0:
      let count = recv(worker.core, addr chunk[0], chunk.len, 0)
      if count == 0: return
      if count < 0: raiseOSError(osLastError())
      unread.add chunk[0 ..< count]
      let taken = worker.takeFrames(unread)
      if taken > 0: unread = unread[taken .. ^1]
    if terminated and not worker.draining:
      worker.draining = true # no new requests; the core hangs up when it has all responses
      worker.send(%*{"type": "drain"})
      worker.endClocks()
    if getMonoTime() >= tick:
      tick = getMonoTime() + Second
      worker.tick()

proc connect(path: string): SocketHandle =
  var address = Sockaddr_un(sun_family: AF_UNIX.TSa_Family)
  if path.len >= address.sun_path.len: raise newException(IOError, "the path of the socket is too long")
  copyMem(addr address.sun_path, unsafeAddr path[0], path.len)
  result = socket(AF_UNIX, SOCK_STREAM, 0)
  if connect(result, cast[ptr SockAddr](addr address), sizeof(address).SockLen) != 0:
    let error = osLastError()
    discard close(result)
    raiseOSError(error)

proc main =
  let path = getEnv("HANDOFF_SOCKET")
  if path == "": quit("HANDOFF_SOCKET is not set: start this worker with 'handoff run ./worker'", 2)
  signal(SIGINT, SIG_IGN) # Ctrl-C reaches the core, which drains its workers
  signal(SIGTERM, proc (_: cint) {.noconv.} = terminated = true)
  randomize()
  var pause = 0.1
  while true:
    var drained = false
    try:
      var worker = Worker(core: connect(path), limits: newJObject())
      try:
        worker.serve()
        drained = worker.draining
      finally:
        discard close(worker.core)
    except CatchableError as error:
      stderr.writeLine "no core, or a broken frame: ", error.msg
    if terminated or getEnv("HANDOFF_TOKEN") != "": quit(if drained: 0 else: 1) # a worker that the core started leaves with it
    if drained: pause = 0.1
    sleep int(pause * rand(500.0 .. 1500.0))
    pause = min(2 * pause, 5)

main()
