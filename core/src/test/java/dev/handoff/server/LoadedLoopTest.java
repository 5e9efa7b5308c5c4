package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/** A loop that has other things to do gets fewer connections. */
class LoadedLoopTest {
    private static final int CLIENTS = 16;

    @Test
    void withoutOtherWorkLoopsGetAsMany() throws IOException {
        assertEquals(List.of(8, 8), connectionsPerLoop(2, (loops, loop) -> 0));
    }

    /** 0.23 of 16 are 3.7 connections: 6 and 3.7 are about as many as the 10 of the other. */
    @Test
    void aLoopWithOtherWorkGetsFewer() throws IOException {
        assertEquals(
                List.of(10, 6),
                connectionsPerLoop(2, (loops, loop) -> loop.equals(loops.get(1)) ? 230 : 0));
    }

    @Test
    void workThatAllHaveChangesNothing() throws IOException {
        assertEquals(List.of(8, 8), connectionsPerLoop(2, (loops, loop) -> 115));
    }

    @Test
    void aLoopWithMoreWorkThanConnectionsMakeGetsNone() throws IOException {
        assertEquals(
                List.of(8, 8, 0),
                connectionsPerLoop(3, (loops, loop) -> loop.equals(loops.get(2)) ? 1000 : 0));
    }

    private interface Work {
        int of(EventLoops loops, EventLoop loop);
    }

    private static List<Integer> connectionsPerLoop(int count, Work work) throws IOException {
        TestLoops running = new TestLoops(count);
        EventLoops loops = running.all();
        Map<EventLoop, Integer> served = new HashMap<>();
        ToIntFunction<EventLoop> otherWork = loop -> work.of(loops, loop);
        Handler handler =
                exchange -> {
                    synchronized (served) {
                        served.merge(exchange.loop(), 1, Integer::sum);
                    }
                    HeldRequests.answer(exchange);
                };
        HttpServer server =
                HttpServer.start(
                        ServerOptions.of(handler).withLoops(loops).withOtherWork(otherWork));
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new RawClient(server.port()));
                clients.get(i).get("/").readResponse();
            }
            List<Integer> perLoop = new ArrayList<>();
            synchronized (served) {
                for (int i = 0; i < count; i++) {
                    perLoop.add(served.getOrDefault(loops.get(i), 0));
                }
            }
            return perLoop;
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
            server.stop();
            running.close();
        }
    }
}
