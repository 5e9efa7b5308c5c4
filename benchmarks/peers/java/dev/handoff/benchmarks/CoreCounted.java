package dev.handoff.benchmarks;

import dev.handoff.admin.stats.Counters;
import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import java.io.IOException;

/** CoreHello with the statistics of an admin server, that nobody reads. The argument is the port. */
final class CoreCounted {
    private CoreCounted() {}

    public static void main(String[] arguments) throws IOException {
        Response hello = Response.of(200, Headers.of("Content-Type", "text/plain"), Body.utf8("hello\n"));
        Counters counters = new Counters(1);
        HttpServer.start(ServerOptions.of(exchange -> exchange.respond(hello))
                .withPort(Integer.parseInt(arguments[0]))
                .withLoops(EventLoops.start("handoff-loop", 1, Clock.SYSTEM, counters.loopListener()))
                .withListener(counters.serverListener()));
    }
}
