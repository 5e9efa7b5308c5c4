package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.websocket.ClientFrames;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A handler that keeps requests for WebSockets until the test accepts them, and notes what it hears
 * of them. It takes no message unless the test does.
 */
final class HeldWebSockets implements Handler {
    static final String[] HANDSHAKE = {
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    };

    final HeldRequests held = new HeldRequests();
    final AtomicLong room = new AtomicLong();
    boolean answersLater;
    private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();

    /** Looks at once whether a WebSocket is asked for, as every handler has to that serves them. */
    @Override
    public void handle(Exchange exchange) {
        assertNotNull(exchange.handshake());
        held.handle(exchange);
    }

    /** Has a client's WebSocket accepted, and opened. */
    WebSocket open(RawClient client, String... fields) throws IOException, InterruptedException {
        client.get("/chat", handshake(fields));
        WebSocket socket = held.take().accept(Headers.EMPTY, listener());
        assertEquals(101, client.readHead().status());
        return socket;
    }

    WebSocketListener listener() {
        return new WebSocketListener() {
            @Override
            public void onMessage(boolean text, Body message) {
                int bytes = message.sizeBytes();
                events.add((text ? "text " : "binary ") + (bytes > 40 ? bytes : message.toUtf8()));
            }

            @Override
            public void onRoom(long costBytes) {
                room.addAndGet(costBytes);
            }

            @Override
            public boolean answersLater() {
                return answersLater;
            }

            @Override
            public void onClosed(int code, String reason) {
                events.add("closed " + code + " " + reason);
            }
        };
    }

    void note(String event) {
        events.add(event);
    }

    void expectEvent(String expected) throws InterruptedException {
        assertEquals(expected, events.poll(10, TimeUnit.SECONDS));
    }

    void expectNoEvent() {
        assertTrue(events.isEmpty(), events::toString);
    }

    static void expect(RawClient client, String latin1) throws IOException {
        byte[] expected = latin1.getBytes(StandardCharsets.ISO_8859_1);
        assertArrayEquals(expected, client.read(expected.length));
    }

    static ClientFrames frames() {
        return new ClientFrames();
    }

    static String[] handshake(String... fields) {
        String[] all = Arrays.copyOf(HANDSHAKE, HANDSHAKE.length + fields.length);
        System.arraycopy(fields, 0, all, HANDSHAKE.length, fields.length);
        return all;
    }
}
