package dev.handoff.benchmarks;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import java.io.IOException;

/** Hello on Handoff's core as a library, without workers, with one event loop. The argument is the port. */
final class CoreHello {
    private CoreHello() {}

    public static void main(String[] arguments) throws IOException {
        Response hello = Response.of(200, Headers.of("Content-Type", "text/plain"), Body.utf8("hello\n"));
        HttpServer server = HttpServer.start(ServerOptions.of(exchange -> exchange.respond(hello))
                .withPort(Integer.parseInt(arguments[0]))
                .withLoops(1));
        // For whoever waits until it serves.
        System.out.println("http://127.0.0.1:" + server.port() + "/");
    }
}
