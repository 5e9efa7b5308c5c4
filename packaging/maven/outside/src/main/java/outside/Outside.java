package outside;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.process.PoolListener;
import dev.handoff.server.Handler;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ResponseStream;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** The examples of the overview of core, each asked once. */
final class Outside {
    private Outside() {}

    public static void main(String[] arguments) throws Exception {
        Handler hello = Handler.blocking(request -> Response.text(200, "hello\n"));
        System.out.print(answer(ServerOptions.of(hello)));

        Handler ticks =
                exchange -> {
                    Response head =
                            Response.of(
                                    200, Headers.of("Content-Type", "text/plain"), Body.EMPTY);
                    ResponseStream stream = exchange.stream(head, room -> {});
                    Thread.startVirtualThread(
                            () -> {
                                stream.write(Body.utf8("one\n"));
                                stream.write(Body.utf8("two\n"));
                                stream.end();
                            });
                };
        System.out.print(answer(ServerOptions.of(ticks)));

        ServerLimits limits =
                ServerLimits.DEFAULT
                        .withConnections(10_000)
                        .withRequestTimeout(Duration.ofSeconds(5));
        System.out.print(answer(ServerOptions.of(hello).withLimits(limits)));
        System.out.println(PoolListener.class.getName());
    }

    private static String answer(ServerOptions options) throws Exception {
        HttpServer server = HttpServer.start(options);
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI address = URI.create("http://127.0.0.1:" + server.port() + "/");
            return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
                    .body();
        } finally {
            server.stop();
        }
    }
}
