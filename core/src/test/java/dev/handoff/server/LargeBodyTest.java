package dev.handoff.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LargeBodyTest {
    private static final int LARGE_BYTES = 5 * 1024 * 1024;

    /** Around the sizes at which bodies are copied, sliced, and like the loop's own buffers. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 16_384, 16_385, 65_535, 65_536, 65_537, 131_073, LARGE_BYTES})
    void echoesABodyIdentically(int size) throws IOException {
        byte[] body = randomBytes(size);
        try (TestServer server = TestServer.start(TestServer.ECHO_BODY);
                RawClient client = server.connect()) {
            for (int i = 0; i < 3; i++) {
                client.send(
                        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(size));
                client.send(body);

                assertArrayEquals(body, client.readResponse().body().toArray());
            }
        }
    }

    @Test
    void aChunkedBodyReachesTheHandlerWhole() throws IOException {
        byte[] body = randomBytes(300_000);
        ByteArrayOutputStream chunked = new ByteArrayOutputStream();
        for (int from = 0, size = 1; from < body.length; from += size, size = 3 * size + 1) {
            size = Math.min(size, body.length - from);
            chunked.writeBytes((Integer.toHexString(size) + "\r\n").getBytes(ISO_8859_1));
            chunked.write(body, from, size);
            chunked.writeBytes("\r\n".getBytes(ISO_8859_1));
        }
        try (TestServer server = TestServer.start(TestServer.ECHO_BODY);
                RawClient client = server.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            client.send(chunked.toByteArray());
            client.send("0\r\n\r\n").get("/next");

            assertArrayEquals(body, client.readResponse().body().toArray());
            assertEquals(200, client.readResponse().status());
        }
    }

    @Test
    void aSlowReaderHoldsUpNobodyElse() throws IOException, InterruptedException {
        byte[] body = randomBytes(4 * LARGE_BYTES);
        Handler handler =
                exchange ->
                        exchange.respond(
                                exchange.request().target().equals("/large")
                                        ? Response.of(200, Headers.EMPTY, Body.of(body))
                                        : Response.text(200, "small"));
        try (TestServer server = TestServer.start(handler);
                RawClient slow = new RawClient(server.http.port(), 4096);
                RawClient quick = server.connect()) {
            slow.get("/large");
            server.listener.await("response /large 200");
            for (int i = 0; i < 100; i++) {
                assertEquals("small", quick.get("/").readResponse().text());
            }

            assertArrayEquals(body, slow.readResponse().body().toArray());
        }
    }

    @Test
    void theSameBodyMayBeSentToManyClients() throws IOException {
        // As large as the loop's own buffers, which are written on again and again.
        byte[] body = randomBytes(65_536);
        Response shared = Response.of(200, Headers.EMPTY, Body.of(body.clone()));
        try (TestServer server = TestServer.start(e -> e.respond(shared));
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            for (int i = 0; i < 10; i++) {
                first.get("/").get("/");
                second.get("/");
                assertArrayEquals(body, first.readResponse().body().toArray());
                assertArrayEquals(body, first.readResponse().body().toArray());
                assertArrayEquals(body, second.readResponse().body().toArray());
            }
        }
    }

    private static byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }
}
