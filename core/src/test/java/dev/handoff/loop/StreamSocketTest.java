package dev.handoff.loop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.SocketPair;
import dev.handoff.testing.SocketPair.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class StreamSocketTest {
    private static final Duration STALL = Duration.ofSeconds(30);
    private static final int LARGE_BYTES = 5 * 1024 * 1024;

    /** What a peer has to take within the write stall timeout. */
    private static final int ENOUGH_BYTES = 64 * 1024;

    private final Kind kind;
    private final TurnedLoop turned;
    private final SocketPair pair;
    private final SocketChannel far;
    private final RecordingOwner owner = new RecordingOwner();
    private final StreamSocket socket;

    StreamSocketTest(Kind kind) throws IOException {
        this.kind = kind;
        turned = new TurnedLoop();
        pair = kind.open();
        far = pair.far();
        socket = new StreamSocket(turned.loop, pair.near(), STALL, owner);
    }

    @AfterEach
    void closeAll() throws IOException {
        turned.close();
        pair.close();
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
        byte[] given = randomBytes(EventLoop.LARGE_BUFFER_BYTES);
        byte[] copy = given.clone();
        socket.write(ByteBuffer.wrap(given));
        CompletableFuture<byte[]> received = receive(given.length);
        turned.turnUntil(received::isDone);

        socket.write(ascii("something else".repeat(1000)));
        turned.turn();

        assertArrayEquals(copy, given);
    }

    @Test
    void closesAPeerThatTakesNothingForTheWriteStallTimeout() {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();

        turned.advance(STALL.minusNanos(1));
        assertEquals(List.of(), owner.events);
        turned.advance(Duration.ofNanos(1));
        if (kind == Kind.TCP) {
            // The kernel may have taken more for the peer since, as it does some 40 ms later.
            turned.turnUntil(() -> {
                turned.clock.advance(STALL);
                return socket.isClosed();
            });
        }

        assertEquals(List.of("closed WRITE_TIMEOUT"), owner.events);
    }

    @Test
    void aPeerThatIsHeldBackIsNotStalledUntilItHasHadItsTime() {
        owner.holdsPeerBack = true;
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();
        turned.advance(STALL);
        turned.advance(STALL);
        assertEquals(List.of(), owner.events);

        owner.holdsPeerBack = false;
        turned.turnUntil(() -> {
            turned.clock.advance(STALL);
            return socket.isClosed();
        });
        assertEquals(List.of("closed WRITE_TIMEOUT"), owner.events);
    }

    @Test
    void aPeerThatTakesEnoughIsNotStalled() throws IOException {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();
        long before = socket.pendingBytes();
        turned.advance(STALL.minusNanos(1));
        far.configureBlocking(false);
        turned.turnUntil(() -> {
            readAvailable();
            return before - socket.pendingBytes() >= ENOUGH_BYTES;
        });

        turned.advance(STALL.minusNanos(1));

        assertFalse(socket.isClosed());
    }

    @Test
    void aPeerThatTakesALittleNowAndThenIsStalled() throws IOException {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();
        ByteBuffer little = ByteBuffer.allocate(ENOUGH_BYTES - 4096);
        // Less than enough, each time; the kernel may take more for a peer that begins to read.
        for (int i = 0; i < 50 && !socket.isClosed(); i++) {
            far.read(little.clear());
            turned.advance(STALL);
        }

        assertEquals(List.of("closed WRITE_TIMEOUT"), owner.events);
    }

    @Test
    void outputThatLeftEntirelyIsNotStalled() throws IOException {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();
        CompletableFuture<byte[]> received = receive(LARGE_BYTES);
        turned.turnUntil(received::isDone);
        turned.turnUntil(() -> socket.pendingBytes() == 0);

        turned.advance(STALL.multipliedBy(2));

        assertFalse(socket.isClosed());
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
    void leavesBytesInTheKernelWhileReadingIsPaused() throws IOException {
        socket.pauseReading();
        far.write(ascii("hello"));
        turned.loop.turn(Duration.ofMillis(20).toNanos());
        assertEquals(0, owner.bytes.size());

        socket.resumeReading();
        turned.turnUntil(() -> owner.bytes.size() == 5);
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
        assertEquals(List.of(bug), turned.failures);
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
        assertEquals(1, turned.failures.size());
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

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(US_ASCII));
    }

    private static byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    /** Reads until {@code count} bytes or the end, on a thread of its own. */
    private CompletableFuture<byte[]> receive(int count) {
        InputStream in = Channels.newInputStream(far);
        return CompletableFuture.supplyAsync(() -> {
            try {
                return in.readNBytes(count);
            } catch (IOException failure) {
                throw new IllegalStateException(failure);
            }
        });
    }

    private int readAvailable() {
        try {
            return far.read(ByteBuffer.allocate(64 * 1024));
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private void reset() throws IOException {
        if (far.supportedOptions().contains(StandardSocketOptions.SO_LINGER)) {
            far.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        far.close();
    }
}
