# An application for the comparison with Puma: Rack::Lint checks what the server gives, and what is given to it.
require "json"
require "uri" # which Rack::Lint uses and does not load

class Application
  CRITICAL = %w[REQUEST_METHOD SCRIPT_NAME PATH_INFO QUERY_STRING SERVER_NAME SERVER_PORT CONTENT_TYPE CONTENT_LENGTH REMOTE_ADDR]

  def call(env)
    case env["PATH_INFO"]
    when "/request"
      kept = env.select { |name, _| CRITICAL.include?(name) || name.start_with?("HTTP_") }
      kept.delete("HTTP_X_REQUEST_ID") # which the core gives to each
      kept.delete("HTTP_CONNECTION") # which it keeps to itself, as all that belongs to the connection
      kept.delete("HTTP_VERSION")
      content = env["rack.input"].read
      text = JSON.generate([kept.transform_values { |value| value.b.unpack1("H*") }.sort, content.b.unpack1("H*")])
      [200, {"Content-Type" => "application/json", "Content-Length" => text.bytesize.to_s}, [text]]
    when "/headers"
      [201, {"Content-Type" => "text/plain", "Set-Cookie" => "a=1\nb=2", "X-Latin" => "J\xfcrgen".b}, ["x"]]
    when "/empty" then [204, {}, []]
    when "/parts" then [200, {"Content-Type" => "text/plain"}, Parts.new]
    when "/large" then [200, {"Content-Type" => "text/plain", "Content-Length" => "3000000"}, Parts.new(3, "x" * 1_000_000)]
    when "/raises" then raise NotImplementedError, "as it should"
    else [404, {"Content-Type" => "text/plain"}, ["nothing"]]
    end
  end

  # A body that only has each.
  Parts = Struct.new(:count, :text) do
    def each
      (count || 3).times { |number| yield(text || "part #{number}\n") }
    end
  end
end

use Rack::Lint
run Application.new
