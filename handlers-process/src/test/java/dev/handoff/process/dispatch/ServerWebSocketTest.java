package dev.handoff.process.dispatch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.loop.CloseCause;
import dev.handoff.loop.StreamSocket;
import dev.handoff.loop.TurnedLoop;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.WebSocket;
import dev.handoff.testing.SocketPair;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ServerWebSocketTest implements ServerWebSocket.Owner, StreamSocket.Owner {
    private static final int FRAMES = 500;
    private static final int LARGER_THAN_KERNELS_BUFFERS = 30_000_000;

    private final TurnedLoop turned = new TurnedLoop();
    private final SocketPair pair = SocketPair.Kind.TCP.open();
    private final StreamSocket socket;
    private final ServerWebSocket webSocket;
    private final List<String> messages = new ArrayList<>();

    ServerWebSocketTest() throws IOException {
        socket = new StreamSocket(turned.loop, pair.near(), Duration.ofMinutes(1), this);
        webSocket = new ServerWebSocket(1, turned.loop, socket, this);
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
        pair.close();
        turned.close();
    }

    /** Pongs, pings, messages and parts of one: hundreds of bytes would be the work of 64 KiB. */
    @ParameterizedTest
    @ValueSource(strings = {"\u008a\u0000", "\u0089\u0000", "\u0082\u0000", "\u0082\u0001x", ""})
    void smallFramesLeaveEachTurnToOthers(String frame) throws IOException {
        String parts = "\u0002\u0000" + "\u0000\u0000".repeat(FRAMES) + "\u0080\u0000";
        send((frame.isEmpty() ? parts : frame.repeat(FRAMES)) + "\u0081\u0004last");
        int turns = 0;
        while (!messages.contains("last")) {
            turned.turn();
            turns++;
        }
        assertTrue(turns >= FRAMES / ServerWebSocket.FRAMES_AT_ONCE, "in " + turns + " turns");
        if (frame.startsWith("\u0082")) {
            assertEquals(FRAMES + 1, messages.size());
        }
    }

    @Test
    void littleIsReadAtOnceOfSmallFrames() {
        byte[] small = "\u0082\u0001x".repeat(FRAMES).getBytes(ISO_8859_1);
        byte[] large = ("\u0082d" + "x".repeat(100)).getBytes(ISO_8859_1);
        webSocket.onBytes(large, 0, large.length);
        assertFalse(webSocket.hasSmallFrames());
        assertTrue(webSocket.mayRead());
        webSocket.onBytes(small, 0, small.length);
        assertTrue(webSocket.hasSmallFrames());
        assertFalse(webSocket.mayRead(), "what waits comes first");
    }

    /** Each WebSocket has a connection to the server, and what waits there is the client's. */
    @Test
    void aMessageIsTakenWhenTheServerHasReadIt() throws IOException {
        Body large = Body.of(new byte[LARGER_THAN_KERNELS_BUFFERS]);
        List<Long> taken = new ArrayList<>();
        WorkerWebSocket client = new WorkerWebSocket(0);
        client.connect(new Taking(taken));
        webSocket.write(new Message.WebSocketMessage(1, false, large), client);
        for (int i = 0; i < 100; i++) {
            turned.turn();
        }
        assertEquals(List.of(), taken);
        assertTrue(webSocket.hasUnsent());

        pair.far().configureBlocking(false);
        ByteBuffer read = ByteBuffer.allocate(1 << 16);
        while (taken.isEmpty()) {
            pair.far().read(read.clear());
            turned.turn();
        }
        assertEquals(List.of(WorkerWebSocket.costBytes(large)), taken);
        assertFalse(webSocket.hasUnsent());
    }

    private record Taking(List<Long> costs) implements WebSocket {
        @Override
        public void taken(long costBytes) {
            costs.add(costBytes);
        }

        @Override
        public void send(boolean text, Body fragment, boolean last) {}

        @Override
        public void close(int code, String reason) {}
    }

    private void send(String bytes) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(bytes.getBytes(ISO_8859_1));
        while (all.hasRemaining()) {
            pair.far().write(all);
        }
    }

    @Override
    public void onBytes(byte[] bytes, int from, int to) {
        webSocket.onBytes(bytes, from, to);
    }

    @Override
    public void onFlushed() {
        webSocket.flushed();
    }

    @Override
    public void cameFromServer(Message.WebSocketMessage fragment) {
        messages.add(new String(fragment.body().toArray(), ISO_8859_1));
        webSocket.grant(WorkerWebSocket.costBytes(fragment.body()));
    }

    @Override
    public void onEnd() {}

    @Override
    public void onClosed(CloseCause cause) {}

    @Override
    public void closedByServer(int code, String reason) {}

    @Override
    public void brokenByServer(String why) {
        throw new AssertionError(why);
    }

    @Override
    public void readEnded() {}
}
