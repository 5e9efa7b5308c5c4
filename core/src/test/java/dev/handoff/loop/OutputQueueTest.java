package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The output of a socket, and the writes in which it leaves. */
class OutputQueueTest {
    private static final int LARGE_BYTES = 64 * 1024;

    private final OutputQueue queue = new OutputQueue(new SpareBuffers());
    private final Taker taker = new Taker();
    private final ByteArrayOutputStream given = new ByteArrayOutputStream();
    private final Random random = new Random(7);

    /** Takes as much of each write as it is told to. */
    private static final class Taker implements WritableByteChannel {
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private int mostBytes = Integer.MAX_VALUE;
        private int writes;
        private int offeredBytes;

        @Override
        public int write(ByteBuffer bytes) {
            writes++;
            offeredBytes += bytes.remaining();
            byte[] part = new byte[Math.min(mostBytes, bytes.remaining())];
            bytes.get(part);
            taken.writeBytes(part);
            return part.length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @Test
    void aLargePieceLeavesInOneWriteWithWhatIsAroundIt() throws IOException {
        give(8);
        give(LARGE_BYTES);
        give(2);
        queue.writeTo(taker);
        assertEquals(1, taker.writes);
        assertAllIsTaken();
    }

    @Test
    void whatTheChannelLeavesIsOfferedAgain() throws IOException {
        taker.mostBytes = 10;
        give(8);
        give(LARGE_BYTES);
        queue.writeTo(taker);
        assertEquals(1, taker.writes);
        assertEquals(8 + LARGE_BYTES - 10, queue.pendingBytes());

        taker.mostBytes = Integer.MAX_VALUE;
        give(3);
        queue.writeTo(taker);
        assertEquals(2, taker.writes);
        assertAllIsTaken();
    }

    @Test
    void aChannelThatTakesLittleIsNotOfferedEverything() throws IOException {
        taker.mostBytes = 1;
        for (int i = 0; i < 16; i++) {
            give(LARGE_BYTES);
        }
        queue.writeTo(taker);
        assertTrue(taker.offeredBytes <= 4 * LARGE_BYTES, "offered " + taker.offeredBytes);
    }

    @Test
    void anEmptyQueueWritesNothingAndHoldsNothing() throws IOException {
        queue.writeTo(taker);
        assertEquals(0, taker.writes);
        assertEquals(0, queue.heldBytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 5000, LARGE_BYTES, 200_000})
    void piecesOfAnySizeLeaveInOrderHoweverLittleIsTaken(int mostBytes) throws IOException {
        taker.mostBytes = mostBytes;
        for (int i = 0; i < 40; i++) {
            give(random.nextInt(i % 3 == 0 ? 3 * OutputQueue.COPY_BYTES : 100));
            queue.writeTo(taker);
        }
        taker.mostBytes = Integer.MAX_VALUE;
        queue.writeTo(taker);
        assertAllIsTaken();
    }

    private void give(int bytes) {
        byte[] piece = new byte[bytes];
        random.nextBytes(piece);
        given.writeBytes(piece);
        queue.add(ByteBuffer.wrap(piece));
    }

    private void assertAllIsTaken() {
        assertArrayEquals(given.toByteArray(), taker.taken.toByteArray());
        assertEquals(0, queue.pendingBytes());
        assertEquals(0, queue.heldBytes());
    }
}
