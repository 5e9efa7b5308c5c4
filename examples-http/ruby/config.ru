# A Rack application on Puma: handoff run --http --concurrency 5 -- puma -b 'unix://{socket}' config.ru
# Puma has five threads by default, and each takes one request.

clock = lambda do |out|
  loop do
    out << Time.now.strftime("data: %H:%M:%S\n\n")
    sleep 1
  end
rescue IOError, Errno::EPIPE
  # the client is gone
ensure
  out.close
end

run lambda { |env|
  case env["PATH_INFO"]
  when "/echo"
    target = env["QUERY_STRING"].empty? ? env["PATH_INFO"] : "#{env["PATH_INFO"]}?#{env["QUERY_STRING"]}"
    headers = {"echo-method" => env["REQUEST_METHOD"], "echo-target" => target, "echo-client" => env["HTTP_X_FORWARDED_FOR"]}
    [200, headers, [env["rack.input"].read]]
  when "/clock"
    [200, {"content-type" => "text/event-stream", "rack.hijack" => clock}, []]
  else
    [200, {}, ["hello\n"]]
  end
}
