package dev.handoff.loop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.SocketPair.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class StreamSocketTest extends ConnectedSocket {
    StreamSocketTest(Kind kind) throws IOException {
        super(kind);
    }

    @Test
    void tellsWhatThePeerTakesAndNothingThatWaits() throws IOException {
        socket.write(ByteBuffer.wrap(new byte[LARGE_BYTES]));
        turned.turn();
        assertTrue(socket.pendingBytes() > 0);
        assertEquals(socket.sentBytes(), owner.sentBytes);
        CompletableFuture<byte[]> received = receive(LARGE_BYTES);
        turned.turnUntil(received::isDone);
        assertEquals(LARGE_BYTES, owner.sentBytes);
    }

    @Test
    void givesItsOwnerTheBytesThatCome() throws IOException {
        far.write(ascii("hello"));

        turned.turnUntil(() -> owner.bytes.size() == 5);

        assertEquals("hello", owner.bytes.toString(US_ASCII));
    }

    @Test
    void sendsTheOutputOfATurnInOrder() throws IOException {
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            // Copied, kept as they are, and written in place, all mixed.
            String small = "small" + i;
            String large = Integer.toString(i % 10).repeat(OutputQueue.COPY_BYTES + i);
            String inPlace = "in place" + i;
            socket.write(ascii(small));
            socket.write(ascii(large));
            socket.reserve(100).put(ascii(inPlace));
            socket.written(inPlace.length());
            expected.append(small).append(large).append(inPlace);
        }
        assertEquals(expected.length(), socket.pendingBytes());
        CompletableFuture<byte[]> received = receive(expected.length());

        turned.turnUntil(received::isDone);

        assertEquals(expected.toString(), new String(received.join(), US_ASCII));
        assertEquals(0, socket.pendingBytes());
    }

    @Test
    void sendsNothingBeforeTheEndOfTheTurn() throws IOException {
        far.configureBlocking(false);
        turned.loop.execute(() -> socket.write(ascii("first")));
        List<Integer> counts = new ArrayList<>();
        turned.loop.execute(() -> {
            counts.add(readAvailable());
            socket.write(ascii("second"));
        });

        turned.turn();

        assertEquals(List.of(0), counts);
        assertEquals(11, readAvailable());
    }

    @Test
    void largeOutputArrivesIdenticalAtASlowReader() throws IOException {
        byte[] large = randomBytes(LARGE_BYTES);
        socket.write(ascii("head"));
        socket.write(ByteBuffer.wrap(large));
        socket.write(ascii("tail"));
        // Nobody reads: the socket takes a part, and a further part when asked again.
        turned.turn();
        assertTrue(socket.pendingBytes() > 0);
        assertFalse(owner.events.contains("flushed"));

        CompletableFuture<byte[]> received = receive(LARGE_BYTES + 8);
        turned.turnUntil(received::isDone);
        turned.turnUntil(() -> owner.events.contains("flushed"));

        ByteBuffer expected = ByteBuffer.allocate(LARGE_BYTES + 8);
        expected.put(ascii("head")).put(large).put(ascii("tail"));
        assertArrayEquals(expected.array(), received.join());
        assertEquals(LARGE_BYTES + 8, socket.sentBytes());
    }

    @Test
    void outputAddedWhileOtherOutputWaitsKeepsItsPlace() throws IOException {
        byte[] large = randomBytes(LARGE_BYTES);
        socket.write(ByteBuffer.wrap(large));
        turned.turn();
        socket.write(ascii("later"));
        turned.turn();

        CompletableFuture<byte[]> received = receive(LARGE_BYTES + 5);
        turned.turnUntil(received::isDone);

        assertEquals("later", new String(received.join(), LARGE_BYTES, 5, US_ASCII));
    }

    @Test
    void tellsWhenAllOutputHasLeftAlsoIfNoneHadToWait() {
        socket.write(ascii("hello"));

        turned.turn();

        assertEquals(List.of("flushed"), owner.events);
    }

    @Test
    void neverWritesOnItsOwnersBytes() throws IOException {
        // As large as the loop's own buffers.
        byte[] given = randomBytes(EventLoop.READ_BYTES);
        byte[] copy = given.clone();
        socket.write(ByteBuffer.wrap(given));
        CompletableFuture<byte[]> received = receive(given.length);
        turned.turnUntil(received::isDone);

        socket.write(ascii("something else".repeat(1000)));
        turned.turn();

        assertArrayEquals(copy, given);
    }

    @Test
    void leavesBytesInTheKernelWhileReadingIsPaused() throws IOException {
        socket.pauseReading();
        far.write(ascii("hello"));
        turned.loop.turn(Duration.ofMillis(20).toNanos());
        assertEquals(0, owner.bytes.size());

        socket.resumeReading();
        turned.turnUntil(() -> owner.bytes.size() == 5);
    }

    @Test
    void aDetachedChannelServesOnTheSameLoop() throws IOException {
        StreamSocket moved =
                new StreamSocket(
                        turned.loop, socket.detach(turned.loop), STALL, new RecordingOwner());
        moved.write(ascii("moved"));
        CompletableFuture<byte[]> received = receive(5);
        turned.turnUntil(received::isDone);

        assertEquals("moved", new String(received.join(), US_ASCII));
        assertEquals(List.of(), owner.events);
    }

    @Test
    void aDetachedChannelServesOnAnotherLoop() throws IOException {
        RecordingOwner next = new RecordingOwner();
        try (TurnedLoop other = new TurnedLoop()) {
            new StreamSocket(other.loop, socket.detach(other.loop), STALL, next);
            far.write(ascii("hello"));
            turned.turn();
            other.turnUntil(() -> next.bytes.size() == 5);
            turned.turn();
        }

        assertEquals(0, owner.bytes.size());
    }

    @Test
    void aSocketWithWaitingOutputCannotMove() {
        socket.write(ascii("waits"));

        assertThrows(IllegalStateException.class, () -> socket.detach(turned.loop));
    }
}
