package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {
    @Test
    void pausesAcceptingAtTheLimitAndResumesBelowIt() throws IOException, InterruptedException {
        ServerLimits.Builder limits = ServerLimits.builder().connections(2);
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits);
                RawClient first = server.connect()) {
            first.get("/first").readResponse();
            assertFalse(server.listener.told().contains("paused"));
            try (RawClient second = server.connect()) {
                second.get("/second").readResponse();
                server.listener.await("paused");
                try (RawClient third = server.connect()) {
                    // In the kernel's backlog: connected, but not read.
                    third.get("/third");
                    server.settle();
                    assertEquals(2, server.http.connections());
                    second.leave();
                    server.listener.await("resumed");

                    assertEquals("/third", third.readResponse().text());
                }
            }
        }
    }

    @Test
    void givesConnectionsToTheLoopThatHasTheFewest() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = TestServer.startOnLoops(3, held)) {
            Map<String, Integer> perLoop = new HashMap<>();
            for (int i = 0; i < 9; i++) {
                RawClient client = server.connect();
                clients.add(client);
                client.get("/");
                Exchange exchange = held.take();
                perLoop.merge(exchange.loop().name(), 1, Integer::sum);
                HeldRequests.answer(exchange);
                client.readResponse();
            }

            assertEquals(Map.of("test-0", 3, "test-1", 3, "test-2", 3), perLoop);
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }
}
