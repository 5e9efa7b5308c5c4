# A whole Handoff worker in Ruby, with the standard library alone; docs/PROTOCOL.md tells what it says and hears.
require "json"
require "socket"

# Your part: from a request to status, headers and content. Requests come one after the other.
def handle(request, body)
  text = [["content-type", "text/plain"]]
  case request["target"][/[^?]*/]
  when "/" then [200, text, "hello\n"]
  when "/echo"
    headers = [["Echo-Method", request["method"]], ["Echo-Target", request["target"]]]
    [200, headers << ["Echo-Headers", JSON.generate(request["headers"], ascii_only: true)], body]
  else [404, text, "There is nothing here.\n"]
  end
end

# One connection to the core.
class Worker
  SECOND = 1
  EVENTS = [["content-type", "text/event-stream"], ["cache-control", "no-store"]]

  def initialize(core)
    @core, @out, @streams = core, "".b, false
    @clocks, @uploads = {}, {} # event streams and requests in pieces under way, by id
    @credit = {} # the bytes that may still be sent to each clock and each WebSocket
  end

  # Goes on until the core hangs up, and tells whether one of the two has said drain.
  def serve
    hello = {type: "hello", protocol: 1, pool: ENV["HANDOFF_POOL"], token: ENV["HANDOFF_TOKEN"], pid: Process.pid}
    window = ENV.fetch("HANDOFF_CONCURRENCY", "").to_i
    hello[:concurrency] = window > 0 ? window : 64 # 1 or 2 for a handler that waits for others
    send(hello.merge(language: "ruby #{RUBY_VERSION}", features: %w[streams websockets], streams: 1000))
    unread, tick = "".b, now + SECOND
    loop do
      @core.write(@out.slice!(0..)) unless @out.empty? # one write for one read: the speed
      if @core.wait_readable([tick - now, 0].max)
        unread << @core.readpartial(65_536)
        unread = take_frames(unread)
      end
      leave if $terminated && !@draining
      tick_clocks && tick = now + SECOND if now >= tick
    end
  rescue EOFError, Errno::EPIPE, Errno::ECONNRESET
    @draining
  end

  private

  # No new requests; the core hangs up when it has all responses.
  def leave
    @draining = true
    send(type: "drain")
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def send(head, body = "")
    json = JSON.generate(head)
    if head[:type] == "response" && (json.bytesize > @limits["jsonBytes"] || body.bytesize > @limits["bodyBytes"])
      return send(type: "failure", id: head[:id], message: "the response is larger than the core takes")
    end
    @out << [json.bytesize, body.bytesize].pack("NN") << json.b << body.b
  end

  def take_frames(unread)
    at = 0
    while unread.bytesize >= at + 8
      json_bytes, body_bytes = unread.byteslice(at, 8).unpack("NN")
      body_at = at + 8 + json_bytes
      break if unread.bytesize < body_at + body_bytes
      take(JSON.parse(unread.byteslice(at + 8, json_bytes).force_encoding("UTF-8")), unread.byteslice(body_at, body_bytes))
      at = body_at + body_bytes
    end
    at == 0 ? unread : unread.byteslice(at..)
  end

  def take(head, body)
    id = head["id"]
    case head["type"]
    when "welcome" then @limits, @streams = head["limits"], head["features"]&.include?("streams")
    when "request" then head["more"] ? @uploads[id] = [head, body] : start(head.fetch("id"), head, body)
    when "data"
      @uploads[id]&.last&.<< body
      start(id, *@uploads.delete(id)) if @uploads[id] && !head["more"]
    when "credit" then @credit[id] += head["bytes"] if @credit[id]
    when "message" then spend(id, body.bytesize + 64) { send({type: "message", id:, text: head["text"]}, body) }
    when "close" then @credit.delete(id) && send(type: "close", id:)
    when "cancel"
      end_clock(id) if @clocks[id]
      send(type: "failure", id:, message: "cancelled") if @uploads.delete(id)
    when "ping" then send(type: "pong")
    when "drain" then @draining = true
    when "refused" then raise IOError, "refused: #{head["message"]}"
    end
  end

  def start(id, head, body)
    if head["target"] == "/clock" && @streams
      send(type: "response", id:, status: 200, headers: EVENTS, more: true)
      @clocks[id], @credit[id] = true, @limits["streamBytes"]
    elsif head["target"] == "/chat" && head["websocket"]
      send(type: "response", id:, status: 101, more: true)
      @credit[id] = @limits["streamBytes"] || 65_536
    else
      status, headers, content = handle(head, body)
      send({type: "response", id:, status:, headers:}, content)
    end
  rescue StandardError => error
    send(type: "failure", id:, message: error.full_message(highlight: false))
  end

  # A client that does not read misses what is sent meanwhile.
  def spend(id, bytes)
    return unless @credit.fetch(id, 0) > 0
    @credit[id] -= bytes
    yield
  end

  def tick_clocks
    return @clocks.keys.each { |id| end_clock(id) } if @draining # browsers connect again, and find another worker
    event = Time.now.strftime("data: %H:%M:%S\n\n")
    @clocks.each_key { |id| spend(id, event.bytesize) { send({type: "data", id:, more: true}, event) } }
  end

  def end_clock(id)
    @clocks.delete(id)
    @credit.delete(id)
    send(type: "data", id:)
  end
end

socket = ENV["HANDOFF_SOCKET"].to_s
if socket.empty?
  warn "HANDOFF_SOCKET is not set: start this worker with 'handoff run worker.rb'"
  exit 2
end
trap("INT", "IGNORE") # Ctrl-C reaches the core, which drains its workers
trap("TERM") { $terminated = true }
pause = 0.1
loop do
  begin
    drained = UNIXSocket.open(socket) { |core| Worker.new(core).serve }
    pause = 0.1 if drained
  rescue SystemCallError, IOError, JSON::ParserError, KeyError => error
    warn "no core, or a broken frame: #{error.message}"
  end
  exit drained ? 0 : 1 if ENV["HANDOFF_TOKEN"] || $terminated # a worker that the core started leaves with it
  sleep pause * rand(0.5..1.5)
  pause = [2 * pause, 5].min
end
