package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is kept behind a request holds no more than it counts. */
class UnreadBytesTest {
    private final UnreadBytes unread = new UnreadBytes();

    @Test
    void countsTheWholeArrayAndKeepsNoLargeOneForAFewBytes() {
        byte[] bytes = new byte[128 * 1024];
        new Random(1).nextBytes(bytes);
        unread.add(bytes, 0, bytes.length);
        unread.skipTo(unread.from() + bytes.length / 2);
        assertTrue(unread.heldBytes() >= unread.sizeBytes());
        unread.skipTo(unread.to() - 20);
        assertEquals(20, unread.sizeBytes());
        assertTrue(unread.heldBytes() <= 80, unread.heldBytes() + " for 20 bytes");
        byte[] left = Arrays.copyOfRange(unread.array(), unread.from(), unread.to());
        assertArrayEquals(Arrays.copyOfRange(bytes, bytes.length - 20, bytes.length), left);
        unread.skipTo(unread.to());
        assertEquals(0, unread.heldBytes());
    }
}
