package outside;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.http.websocket.Handshake;
import dev.handoff.process.PoolListener;
import dev.handoff.server.Handler;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ResponseStream;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerOptions;
import dev.handoff.server.WebSocket;
import dev.handoff.server.WebSocketListener;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

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

        Handler echoes =
                exchange -> {
                    if (exchange.handshake() instanceof Handshake.Offer) {
                        exchange.accept(Headers.EMPTY, new Echo());
                    } else {
                        exchange.respond(Response.text(426, "WebSockets only\n"));
                    }
                };
        System.out.print(answer(ServerOptions.of(echoes)));
        System.out.print(echo(ServerOptions.of(echoes), "echo\n"));

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

    /** What comes back by a WebSocket. */
    private static String echo(ServerOptions options, String message) throws Exception {
        HttpServer server = HttpServer.start(options);
        HttpClient client = HttpClient.newHttpClient();
        CompletableFuture<String> back = new CompletableFuture<>();
        try {
            client.newWebSocketBuilder()
                    .buildAsync(
                            URI.create("ws://127.0.0.1:" + server.port() + "/"),
                            new java.net.http.WebSocket.Listener() {
                                @Override
                                public CompletionStage<?> onText(
                                        java.net.http.WebSocket socket,
                                        CharSequence text,
                                        boolean last) {
                                    back.complete(text.toString());
                                    return null;
                                }
                            })
                    .join()
                    .sendText(message, true);
            return back.get(30, TimeUnit.SECONDS);
        } finally {
            server.stop();
            client.shutdownNow();
        }
    }

    private static final class Echo implements WebSocketListener {
        private WebSocket socket;

        @Override
        public void onOpen(WebSocket opened) {
            socket = opened;
        }

        @Override
        public void onMessage(boolean text, Body message) {
            socket.send(text, message);
            socket.taken(message.sizeBytes() + WebSocket.MESSAGE_COST_BYTES);
        }

        @Override
        public void onClosed(int code, String reason) {}
    }
}
