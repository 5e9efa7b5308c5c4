-- A whole Handoff worker in Lua 5.3 or later, with luaposix and dkjson; docs/PROTOCOL.md tells what it says and hears.
local errno = require "posix.errno"
local json = require "dkjson"
local poll = require "posix.poll"
local signal = require "posix.signal"
local socket = require "posix.sys.socket"
local time = require "posix.time"
local unistd = require "posix.unistd"

-- Your part: from a request to status, headers and content. Requests come one after the other.
local function handle(request, body)
  local text = {{"content-type", "text/plain"}}
  local path = request.target:match("^[^?]*")
  if path == "/" then
    return 200, text, "hello\n"
  elseif path == "/echo" then
    local headers = {{"Echo-Method", request.method}, {"Echo-Target", request.target}}
    headers[3] = {"Echo-Headers", json.encode(request.headers)}
    return 200, headers, body
  end
  return 404, text, "There is nothing here.\n"
end

local EVENTS = {{"content-type", "text/event-stream"}, {"cache-control", "no-store"}}
local out        -- what the core gets next, in one write for one read: the speed
local limits, streams
local clocks     -- event streams under way, by id
local uploads    -- requests in pieces, likewise
local credit     -- the bytes that may still be sent to each clock and each WebSocket
local draining, terminated = false, false

local function send(head, body)
  body = body or ""
  local text = json.encode(head)
  if head.type == "response" and (#text > limits.jsonBytes or #body > limits.bodyBytes) then
    return send {type = "failure", id = head.id, message = "the response is larger than the core takes"}
  end
  out[#out + 1] = string.pack(">I4I4", #text, #body) .. text .. body
end

-- A client that does not read misses what is sent meanwhile.
local function spend(id, bytes, head, body)
  if (credit[id] or 0) > 0 then
    credit[id] = credit[id] - bytes
    send(head, body)
  end
end

local function end_clock(id)
  clocks[id], credit[id] = nil, nil
  send {type = "data", id = id}
end

local function start(request, body)
  local id = request.id
  if request.target == "/clock" and streams then
    send {type = "response", id = id, status = 200, headers = EVENTS, more = true}
    clocks[id], credit[id] = true, limits.streamBytes
  elseif request.target == "/chat" and request.websocket then
    send {type = "response", id = id, status = 101, more = true}
    credit[id] = limits.streamBytes or 65536
  else
    local good, status, headers, content = pcall(handle, request, body)
    if good then
      send({type = "response", id = id, status = status, headers = headers}, content)
    else
      send {type = "failure", id = id, message = tostring(status)}
    end
  end
end

local take = {
  welcome = function(head)
    limits = head.limits
    streams = table.concat(head.features or {}, " "):find("streams") ~= nil
  end,
  request = function(head, body)
    assert(head.id, "a request without an id")
    if head.more then
      uploads[head.id] = {head, {body}}
    else
      start(head, body)
    end
  end,
  data = function(head, body)
    local upload = uploads[head.id]
    if upload then
      table.insert(upload[2], body)
      if not head.more then
        uploads[head.id] = nil
        start(upload[1], table.concat(upload[2]))
      end
    end
  end,
  credit = function(head)
    if credit[head.id] then
      credit[head.id] = credit[head.id] + head.bytes
    end
  end,
  message = function(head, body)
    spend(head.id, #body + 64, {type = "message", id = head.id, text = head.text}, body)
  end,
  close = function(head)
    if credit[head.id] then
      credit[head.id] = nil
      send {type = "close", id = head.id}
    end
  end,
  cancel = function(head)
    if clocks[head.id] then
      end_clock(head.id)
    elseif uploads[head.id] then
      uploads[head.id] = nil
      send {type = "failure", id = head.id, message = "cancelled"}
    end
  end,
  ping = function() send {type = "pong"} end,
  drain = function() draining = true end,
  refused = function(head) error("refused: " .. head.message, 0) end,
}

local function take_frames(unread)
  local at = 1
  while #unread >= at + 7 do
    local json_bytes, body_bytes, first = string.unpack(">I4I4", unread, at)
    local last = first + json_bytes + body_bytes - 1
    if #unread < last then
      break
    end
    local head, _, problem = json.decode(unread:sub(first, first + json_bytes - 1))
    local kind = type(head) == "table" and getmetatable(head).__jsontype
    assert(kind == "object", problem or "a frame is no object")
    local taker = take[head.type]
    if taker then
      taker(head, unread:sub(first + json_bytes, last))
    end
    at = last + 1
  end
  return unread:sub(at)
end

local function tick()
  local event = os.date("data: %H:%M:%S\n\n")
  for id in pairs(clocks) do
    spend(id, #event, {type = "data", id = id, more = true}, event)
    if draining then
      end_clock(id) -- browsers connect again, and find another worker
    end
  end
end

-- A signal that comes in a wait ends it, and is no fault.
local function waited(result, message, code)
  assert(result or code == errno.EINTR, message)
  return result
end

local function write(core)
  local all, at = table.concat(out), 1
  out = {}
  while at <= #all do
    at = at + (waited(unistd.write(core, at == 1 and all or all:sub(at))) or 0)
  end
end

local function now()
  local moment = time.clock_gettime(time.CLOCK_MONOTONIC)
  return moment.tv_sec * 1000 + moment.tv_nsec // 1000000
end

-- Goes on until the core hangs up.
local function serve(core)
  out, clocks, uploads, credit, draining = {}, {}, {}, {}, false
  send {
    type = "hello", protocol = 1, pool = os.getenv "HANDOFF_POOL", token = os.getenv "HANDOFF_TOKEN", pid = unistd.getpid(),
    concurrency = tonumber(os.getenv "HANDOFF_CONCURRENCY") or 64, -- 1 or 2 for a handler that waits for others
    language = _VERSION, features = {"streams", "websockets"}, streams = 1000,
  }
  local unread, next_tick = "", now() + 1000
  while true do
    write(core)
    if waited(poll.rpoll(core, math.max(0, next_tick - now()))) == 1 then
      local chunk = waited(unistd.read(core, 65536))
      if chunk == "" then
        return
      end
      unread = take_frames(unread .. (chunk or ""))
    end
    if terminated and not draining then
      draining = true
      send {type = "drain"} -- no new requests; the core hangs up when it has all responses
    end
    if now() >= next_tick then
      next_tick = now() + 1000
      tick()
    end
  end
end

local path = os.getenv "HANDOFF_SOCKET" or ""
if path == "" then
  io.stderr:write("HANDOFF_SOCKET is not set: start this worker with 'handoff run worker.lua'\n")
  os.exit(2)
end
signal.signal(signal.SIGINT, signal.SIG_IGN) -- Ctrl-C reaches the core, which drains its workers
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
signal.signal(signal.SIGTERM, function() terminated = true end)
local pause = 0.1
while true do
  local core = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0)
  local connected, problem = socket.connect(core, {family = socket.AF_UNIX, path = path})
  local good, reason = connected ~= nil, problem
  if good then
    good, reason = pcall(serve, core)
  end
  unistd.close(core)
  if not good then
    io.stderr:write(reason, "\n")
  end
  local drained = good and draining
  if terminated or (os.getenv "HANDOFF_TOKEN" or "") ~= "" then
    os.exit(drained and 0 or 1) -- a worker that the core started leaves with it
  end
  pause = drained and 0.1 or pause
  local seconds = pause * (0.5 + math.random())
  time.nanosleep {tv_sec = seconds // 1 | 0, tv_nsec = (seconds % 1 * 1e9) // 1 | 0}
  pause = math.min(2 * pause, 5)
end
