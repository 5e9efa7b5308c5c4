package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a server tells of the bytes and the connections that it has. */
class TrafficTest {
    @Test
    void tellsTheBytesThatComeAndLeave() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            String request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
            client.send(request + request);
            long responses = (long) size(client.readResponse()) + size(client.readResponse());
            server.settle();
            assertEquals(2L * request.length(), server.listener.receivedBytes());
            assertEquals(responses, server.listener.sentBytes());
        }
    }

    /** Each is work of its own, and all of a read is done in one turn of the loop. */
    @Test
    void readsLittleAtOnceOfContentInSmallChunks() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            String head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
            client.send(head + "1\r\nx\r\n".repeat(100_000) + "0\r\n\r\n");
            client.readResponse();
            List<Integer> small = server.listener.reads();
            assertTrue(small.stream().skip(1).allMatch(bytes -> bytes <= 4096), small::toString);

            String chunk = "1000\r\n" + "x".repeat(4096) + "\r\n";
            client.send(head + chunk.repeat(1000) + "0\r\n\r\n");
            client.readResponse();
            List<Integer> all = server.listener.reads();
            assertTrue(all.stream().skip(small.size()).anyMatch(bytes -> bytes > 4096));
        }
    }

    @Test
    void hasAnActiveConnectionWhileARequestIsOnItsWay() throws Exception {
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held);
                RawClient _ = server.connect();
                RawClient client = server.connect()) {
            server.settleUntil(() -> server.http.connections() == 2);
            assertEquals(new ServerLoad(0, 0), load(server));
            client.send("GET /he");
            server.settle();
            assertEquals(1, load(server).active());
            client.send("ld HTTP/1.1\r\nHost: a\r\n\r\n");
            server.settle();
            assertEquals(1, load(server).active());
            assertTrue(load(server).bufferedBytes() > 0);
            HeldRequests.answer(held.take());
            client.readResponse();
            server.settle();
            assertEquals(new ServerLoad(0, 0), load(server));
        }
    }

    @Test
    void hasNoActiveConnectionWhenThatIsGone() throws IOException {
        try (TestServer server = TestServer.start(new HeldRequests());
                RawClient client = server.connect()) {
            client.get("/held");
            server.settleUntil(() -> load(server).active() == 1);
            client.reset();
            server.settleUntil(() -> load(server).active() == 0);
        }
    }

    @Test
    void tellsHowManyConnectionsThereAreWithANewOne() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient first = server.connect()) {
            first.get("/").readResponse();
            server.settle();
            assertEquals(1, server.listener.mostOpen());
            try (RawClient second = server.connect()) {
                second.get("/").readResponse();
                server.settle();
                assertEquals(2, server.listener.mostOpen());
            }
        }
    }

    private static int size(RawResponse response) {
        return response.head().length() + "\r\n".length() + response.body().sizeBytes();
    }

    private static ServerLoad load(TestServer server) {
        return CompletableFuture.supplyAsync(() -> server.http.load(0), server.loops.get(0)).join();
    }
}
