package dev.handoff.loop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.SocketPair;
import dev.handoff.testing.SocketPair.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** How a socket ends: by either side, by a fault, with its loop. */
@ParameterizedClass
@EnumSource
class SocketEndTest extends ConnectedSocket {
    SocketEndTest(Kind kind) throws IOException {
        super(kind);
    }

    @Test
    void endsItsOutputBehindWhatWaitsAndStillReads() throws IOException {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        socket.endOutput();
        CompletableFuture<byte[]> received = receive(LARGE_BYTES + 1);
        turned.turnUntil(received::isDone);
        assertEquals(LARGE_BYTES, received.join().length);

        far.write(ascii("still here"));
        turned.turnUntil(() -> owner.bytes.size() == 10);

        assertFalse(socket.isClosed());
    }

    @Test
    void stillWritesAfterThePeerEndedItsOutput() throws IOException {
        far.shutdownOutput();
        turned.turnUntil(() -> owner.events.contains("end"));
        socket.write(ascii("answer"));
        CompletableFuture<byte[]> received = receive(6);
        turned.turnUntil(received::isDone);

        assertEquals("answer", new String(received.join(), US_ASCII));
        assertFalse(socket.isClosed());
    }

    @Test
    void closesWhenBothDirectionsHaveEnded() throws IOException {
        far.shutdownOutput();
        turned.turnUntil(() -> owner.events.contains("end"));
        socket.endOutput();
        turned.turn();

        assertEquals(List.of("end", "closed LOCAL"), owner.events);
        assertEquals(-1, far.read(ByteBuffer.allocate(1)));
    }

    @Test
    void closesWhenThePeerEndsAfterUs() throws IOException {
        socket.endOutput();
        turned.turn();
        far.shutdownOutput();
        turned.turnUntil(socket::isClosed);

        assertEquals("closed LOCAL", owner.events.getLast());
    }

    @Test
    void tellsAResetOnce() throws IOException {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();
        reset();

        turned.turnUntil(socket::isClosed);
        socket.write(ascii("into the void"));
        socket.close();
        turned.turn();

        assertEquals(List.of("closed RESET"), owner.events);
    }

    @Test
    void anOwnerThatThrowsCostsItsOwnSocketOnly() throws IOException {
        IllegalStateException bug = new IllegalStateException("on purpose");
        RecordingOwner throwing =
                new RecordingOwner() {
                    @Override
                    public void onBytes(byte[] source, int from, int to) {
                        throw bug;
                    }
                };
        try (SocketPair other = Kind.TCP.open()) {
            StreamSocket broken = new StreamSocket(turned.loop, other.near(), STALL, throwing);
            other.far().write(ascii("x"));
            far.write(ascii("hello"));
            turned.turnUntil(() -> broken.isClosed() && owner.bytes.size() == 5);
        }

        assertEquals(List.of("closed FAILED"), throwing.events);
        assertEquals(List.of(bug), turned.takeFailures());
        assertFalse(socket.isClosed());
    }

    @Test
    void anOwnerThatThrowsAtTheEndOfATurnCostsItsSocket() throws IOException {
        RecordingOwner throwing =
                new RecordingOwner() {
                    @Override
                    public void onFlushed() {
                        throw new IllegalStateException("on purpose");
                    }
                };
        try (SocketPair other = Kind.TCP.open()) {
            new StreamSocket(turned.loop, other.near(), STALL, throwing).write(ascii("x"));
            turned.turn();
        }

        assertEquals(List.of("closed FAILED"), throwing.events);
        assertEquals(1, turned.takeFailures().size());
    }

    @Test
    void closesWhenTheLoopStops() throws IOException {
        turned.close();

        assertEquals(List.of("closed LOOP_STOPPED"), owner.events);
        assertEquals(-1, far.read(ByteBuffer.allocate(1)));
    }

    @Test
    void countsWhatWasSentAlsoAfterItIsClosed() {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();
        long sent = socket.sentBytes();
        assertTrue(sent > 0 && sent < LARGE_BYTES);
        assertEquals(LARGE_BYTES, socket.givenBytes());

        socket.close();
        socket.write(ascii("into the void"));

        assertEquals(sent, socket.sentBytes());
    }
}
