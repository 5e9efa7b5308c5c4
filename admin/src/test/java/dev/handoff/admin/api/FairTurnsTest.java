package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Response;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerOptions;
import dev.handoff.testing.RawClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FairTurnsTest {
    private static final int PIPELINED = 20;

    private final List<Integer> turns = new ArrayList<>();
    private int turn;

    /** Between two turns the loop looks at all other connections. */
    @Test
    void answersOneRequestOfAConnectionATurn() throws Exception {
        EventLoops loops = EventLoops.start("test", 1, Clock.SYSTEM, LoopListener.NONE);
        ApiHandler handler =
                new ApiHandler(
                        "127.0.0.1",
                        null,
                        List.of(Endpoint.get("/", this::answer)),
                        new RefusedCalls(new CallListener() {}));
        HttpServer server =
                HttpServer.start(
                        ServerOptions.of(handler)
                                .withLoops(loops)
                                .withLimits(ServerLimits.DEFAULT.withPipelinedRequests(1)));
        try (RawClient client = new RawClient(server.port())) {
            String request = "GET / HTTP/1.1\r\nHost: localhost\r\n";
            String all =
                    (request + "\r\n").repeat(PIPELINED - 1)
                            + request
                            + "Connection: close\r\n\r\n";
            client.send(all).readToEnd();
        } finally {
            server.stop();
            loops.stop();
        }
        assertEquals(IntStream.range(0, PIPELINED).boxed().toList(), turns);
    }

    private CompletionStage<Response> answer(Call call) {
        turns.add(turn);
        // Runs in the next turn.
        call.loop().execute(() -> turn++);
        return CompletableFuture.completedFuture(Response.text(200, "answer\n"));
    }
}
