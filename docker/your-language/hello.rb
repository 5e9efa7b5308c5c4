# A whole Handoff worker in plain Ruby, nothing to install: docs/PROTOCOL.md tells what it says and hears.
require "fileutils"
require "json"
require "socket"

def answer(request, body)
  [200, [["content-type", "text/plain"]], "hello from Ruby to #{request["target"]}\n"]
end

@writing = Mutex.new

def write(head, body = "")
  json = JSON.generate(head)
  @writing.synchronize { @core&.write([json.bytesize, body.bytesize].pack("NN"), json, body) }
end

# For a health check, and only for a worker that the core did not start.
READY_FILE = ENV["HANDOFF_TOKEN"] ? nil : ENV["HANDOFF_READY_FILE"]

def ready(now)
  return unless READY_FILE
  now ? File.write(READY_FILE, "#{Process.pid}\n") : FileUtils.rm_f(READY_FILE)
end

def take(head, body)
  case head["type"]
  when "request"
    status, headers, content = answer(head, body)
    write({type: "response", id: head["id"], status:, headers:}, content)
  when "welcome" then ready(!@stopping)
  when "ping" then write({type: "pong"})
  when "refused" then warn "refused: #{head["message"]}"
  end
end

def serve
  UNIXSocket.open(ENV.fetch("HANDOFF_SOCKET")) do |core|
    @core = core
    write({type: "hello", protocol: 1, concurrency: 8, pool: ENV["HANDOFF_POOL"], token: ENV["HANDOFF_TOKEN"]})
    while (lengths = core.read(8)&.unpack("NN"))
      head, body = JSON.parse(core.read(lengths[0])), core.read(lengths[1])
      break if head["type"] == "drain" # what came before it is answered: one request goes after the other
      take(head, body)
    end
  end
rescue SystemCallError, IOError, TypeError, JSON::ParserError => error # the last two: it ended in mid-frame
  warn "no server: #{error.message}"
ensure
  ready(false)
  @core = nil
end

# No new requests; the core hangs up when it has the last answer. A handler of a signal may not wait for a lock, but a thread may.
trap("TERM") { @stopping = true; Thread.new { ready(false); write({type: "drain"}) } }

ready(false) # whatever a killed process has left

loop do
  serve
  break if @stopping || ENV["HANDOFF_TOKEN"] # a worker that the core started leaves with it
  sleep rand(0.1..1.0)
end
