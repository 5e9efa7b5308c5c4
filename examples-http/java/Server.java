import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.Executors;

/** The JDK's HTTP server, for "handoff run --http". It knows nothing of Handoff but PORT. */
class Server {
    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", exchange -> respond(exchange, "hello\n".getBytes()));
        server.createContext("/echo", Server::echo);
        server.createContext("/clock", Server::clock);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }

    private static void echo(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().set("Echo-Method", exchange.getRequestMethod());
        exchange.getResponseHeaders().set("Echo-Target", exchange.getRequestURI().toString());
        exchange.getResponseHeaders()
                .set("Echo-Client", exchange.getRequestHeaders().getFirst("X-Forwarded-For"));
        respond(exchange, body);
    }

    private static void clock(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        try (var out = exchange.getResponseBody()) {
            while (true) {
                String time = LocalTime.now().format(DateTimeFormatter.ofPattern("HH:mm:ss"));
                out.write("data: %s\n\n".formatted(time).getBytes());
                out.flush();
                Thread.sleep(1000);
            }
        } catch (IOException | InterruptedException gone) {
            exchange.close();
        }
    }

    private static void respond(HttpExchange exchange, byte[] body) throws IOException {
        // Here 0 would mean that the length is not known, and -1 that there is no content.
        exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
