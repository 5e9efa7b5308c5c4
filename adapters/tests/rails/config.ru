# A page of Rails, in one file.
require "action_controller/railtie"

class Pages < ActionController::Base
  def hello
    cookies[:seen] = "yes"
    session[:count] = session[:count].to_i + 1
    render inline: "<p>Hello <%= params[:name] %>, <%= session[:count] %></p>\n"
  end

  def form = render(plain: "sum #{params.require(:numbers).sum(&:to_i)}\n")
end

class Application < Rails::Application
  config.eager_load = false
  config.secret_key_base = "x" * 64
  config.hosts.clear
  config.logger = Logger.new($stderr, level: Logger::WARN)
  config.session_store :cookie_store, key: "session"
  config.action_controller.allow_forgery_protection = false
  routes.append do
    get "/hello/:name", to: "pages#hello"
    post "/form", to: "pages#form"
  end
end

PagesController = Pages
Application.initialize!
run Application
