# Serves any Rack application behind Handoff, unchanged: handoff run handoff.rb -- config.ru
require "json"
require "rack"
require "socket"
require "stringio"

# One connection to the core. A thread reads it, and others run the application.
class Handoff
  WHOLE = 1 << 20 # a response whose Content-Length is not above this leaves in one piece
  Left = Class.new(StandardError)

  def initialize(app, threads)
    @app, @threads, @lock, @granted = app, threads, Mutex.new, ConditionVariable.new
    @credit, @uploads, @requests = {}, {}, Queue.new
  end

  # Goes on until the core hangs up, and tells whether one of the two has said drain.
  def serve(core)
    @core, @draining = core, false
    send({type: "hello", protocol: 1, concurrency: @threads, streams: 0, features: ["streams"], pid: Process.pid,
          pool: ENV["HANDOFF_POOL"], token: ENV["HANDOFF_TOKEN"], sdk: "rack #{Rack.release}"})
    threads = Array.new(@threads) { Thread.new { (request = @requests.pop) ? answer(*request) : break while true } }
    while (prefix = core.read(8))
      json, body = prefix.unpack("NN")
      take(JSON.parse(core.read(json).force_encoding("UTF-8")), core.read(body))
    end
    @draining
  ensure
    @lock.synchronize { @credit.clear && @granted.broadcast }
    @requests.close
    threads&.each(&:join)
  end

  # No new requests; the core hangs up when it has all responses.
  def leave
    @draining = true
    send({type: "drain"})
  end

  private

  def send(head, body = "".b)
    json = JSON.generate(head)
    @lock.synchronize { @core.write([json.bytesize, body.bytesize].pack("NN"), json, body) }
  rescue Errno::EPIPE
    raise Left, "the core is gone"
  end

  def take(head, body)
    id = head["id"]
    case head["type"]
    when "welcome" then @limits, @streams = head["limits"], head["features"]&.include?("streams")
    when "request" then head["more"] ? @uploads[id] = [head, body] : start(head.fetch("id"), head, body)
    when "data"
      @uploads[id]&.last&.<< body
      start(id, *@uploads.delete(id)) if @uploads[id] && !head["more"]
    when "credit" then @lock.synchronize { @credit[id] += head["bytes"] if @credit[id]; @granted.broadcast }
    when "cancel"
      @lock.synchronize { @credit.delete(id); @granted.broadcast }
      send({type: "failure", id:, message: "cancelled"}) if @uploads.delete(id)
    when "ping" then send({type: "pong"})
    when "drain" then @draining = true
    when "refused" then raise IOError, "refused: #{head["message"]}"
    end
  end

  def start(id, head, body)
    @lock.synchronize { @credit[id] = @limits["streamBytes"] || 0 }
    @requests << [id, head, body]
  end

  def answer(id, head, content)
    status, headers, body = @app.call(environment(head, content))
    response = {type: "response", id:, status: status.to_i, headers: pairs(headers)}
    length = response[:headers].assoc("content-length")&.last
    whole = length ? length.to_i <= WHOLE : body.respond_to?(:to_ary)
    if head["method"] == "HEAD" || (whole && body.respond_to?(:each)) || !@streams
      content = "".b
      body.each { |part| content << part.b } unless head["method"] == "HEAD"
      fits = content.bytesize <= @limits["bodyBytes"] && JSON.generate(response).bytesize <= @limits["jsonBytes"]
      return send(fits ? response : {type: "failure", id:, message: "larger than the core takes"}, fits ? content : "")
    end
    send(response.merge(more: true))
    stream = Stream.new { |part| piece(id, part.b) }
    body.respond_to?(:each) ? body.each { |part| stream.write(part) } : body.call(stream)
    send({type: "data", id:})
  rescue Left, Exception => error # an application may raise anything, such as NotImplementedError
    warn error.full_message(highlight: false) unless error.is_a?(Left)
    fail_or_end(id, error)
  ensure
    body.close if body.respond_to?(:close)
    @lock.synchronize { @credit.delete(id) }
  end

  def fail_or_end(id, error)
    send({type: "failure", id:, message: "#{error.class}: #{error.message}"})
  rescue Left
    nil
  end

  # Waits until the client has room for more.
  def piece(id, part)
    @lock.synchronize do
      @granted.wait(@lock) while @credit[id]&.<= 0
      raise Left, "the client left" unless @credit[id]
      @credit[id] -= part.bytesize
    end
    send({type: "data", id:, more: true}, part)
  end

  # What Rack 3 calls a streaming body with.
  Stream = Struct.new(:sink) do
    def initialize(&sink) = super(sink)
    def write(part) = part.to_s.tap { |text| sink.call(text) unless text.empty? }.bytesize
    def <<(part) = write(part) && self
    def flush = self
    def close(*) = @closed = true
    def closed? = !!@closed
    alias_method :close_write, :close
  end

  def environment(head, content)
    path, query = head["target"].split("?", 2)
    address = head["client"][/\A\[?(.*?)\]?:\d+\z/, 1]
    env = {"REQUEST_METHOD" => head["method"], "SCRIPT_NAME" => "", "PATH_INFO" => path, "QUERY_STRING" => query || "",
           "SERVER_PROTOCOL" => "HTTP/#{head["version"]}", "SERVER_NAME" => "localhost", "SERVER_PORT" => "80",
           "REMOTE_ADDR" => address, "rack.version" => Rack::VERSION, "rack.url_scheme" => "http",
           "rack.input" => StringIO.new(content.b), "rack.errors" => $stderr, "rack.multithread" => @threads > 1,
           "rack.multiprocess" => true, "rack.run_once" => false}
    head["headers"].each do |name, value|
      key = name.tr("a-z-", "A-Z_")
      key = "HTTP_#{key}" unless %w[CONTENT_TYPE CONTENT_LENGTH].include?(key)
      octets = value.encode("ISO-8859-1").b
      env[key] = env[key] ? "#{env[key]}#{name == "cookie" ? "; " : ", "}#{octets}" : octets
    end
    host, port = env["HTTP_HOST"].to_s.match(/\A(.+?)(?::(\d+))?\z/)&.captures
    env.merge!("SERVER_NAME" => host, "SERVER_PORT" => port || "80") if host
    env
  end

  # Rack 2 has several values in lines, and Rack 3 in an array.
  def pairs(headers)
    headers.flat_map do |name, values|
      next [] if name.start_with?("rack.")
      Array(values).flat_map { |value| value.to_s.split("\n", -1) }.map do |value|
        [name.downcase, value.b.force_encoding("ISO-8859-1").encode("UTF-8")]
      end
    end
  end
end

if $PROGRAM_NAME == __FILE__
  app, = [Rack::Builder.parse_file(ARGV[0] || "config.ru")].flatten(1)
  threads = [ENV["HANDOFF_CONCURRENCY"].to_i, 0].find(&:positive?) || 8
  socket = ENV["HANDOFF_SOCKET"].to_s
  abort("HANDOFF_SOCKET is not set: handoff run handoff.rb -- config.ru") if socket.empty?
  current = terminated = nil
  trap("INT", "IGNORE") # Ctrl-C reaches the core, which drains its workers
  trap("TERM") { terminated = true; Thread.new { current&.leave } } # no lock may be waited for in a trap
  pause = 0.1
  loop do
    drained = begin
      UNIXSocket.open(socket) { |core| (current = Handoff.new(app, threads)).serve(core) }
    rescue SystemCallError, IOError, JSON::ParserError, KeyError, Handoff::Left => error
      warn "no core, or a broken frame: #{error.message}"
    end
    exit drained ? 0 : 1 if terminated || ENV["HANDOFF_TOKEN"] # a worker that the core started leaves with it
    sleep pause * rand(0.5..1.5)
    pause = drained ? 0.1 : [2 * pause, 5].min
  end
end
