require "sinatra/base"

class Example < Sinatra::Base
  set :environment, :production

  get("/") { [200, {"Content-Type" => "text/plain"}, "hello\n"] }
  get("/greetings/:name") { |name| "<p>Hello #{Rack::Utils.escape_html(name)}, from #{request.host}\n" }
  post("/sum") { params.fetch("numbers").sum(&:to_i).to_s }

  get "/clock" do
    content_type "text/event-stream"
    stream do |out|
      loop do
        out << Time.now.strftime("data: %H:%M:%S\n\n")
        sleep 1
      end
    end
  end
end

run Example
