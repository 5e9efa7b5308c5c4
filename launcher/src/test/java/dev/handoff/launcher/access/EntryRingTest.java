package dev.handoff.launcher.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EntryRingTest {
    private static final AccessEntry ENTRY = Entries.full();
    private final EntryRing ring = new EntryRing(Long.MAX_VALUE);

    @Test
    void takesAsManyAsItHasRoomForAndNotOneMore() {
        for (int i = 0; i < EntryRing.ENTRIES; i++) {
            assertTrue(ring.offer(ENTRY));
            assertEquals(i + 1 == EntryRing.ENTRIES / 2, ring.isHalfFull());
        }
        assertFalse(ring.offer(ENTRY));
        assertSame(ENTRY, ring.poll());
        assertTrue(ring.offer(ENTRY));
        assertFalse(ring.offer(ENTRY));
    }

    @Test
    void holdsNoMoreBytesThanItMayAndNotOneMore() {
        EntryRing small = new EntryRing(10L * ENTRY.heldBytes());
        AccessEntry longer = Entries.withTarget("x".repeat(AccessEntry.MOST_CHARACTERS));
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 10; i++) {
                assertTrue(small.offer(ENTRY));
                assertEquals(i + 1 == 5, small.isHalfFull());
            }
            assertFalse(small.offer(ENTRY));
            assertSame(ENTRY, small.poll());
            assertFalse(small.offer(longer));
            assertTrue(small.offer(ENTRY));
            for (int i = 0; i < 10; i++) {
                assertSame(ENTRY, small.poll());
            }
            assertTrue(small.isEmpty());
        }
    }

    @Test
    void oneLongEntryMayPassTheMiddle() {
        AccessEntry longer = Entries.withTarget("x".repeat(AccessEntry.MOST_CHARACTERS));
        EntryRing small = new EntryRing(2L * longer.heldBytes() - ENTRY.heldBytes());
        assertTrue(small.offer(ENTRY));
        assertFalse(small.isHalfFull());
        assertTrue(small.offer(longer));
        assertTrue(small.isHalfFull());
    }

    @Test
    void isEmptyWhenAllIsTaken() {
        assertTrue(ring.isEmpty());
        ring.offer(ENTRY);
        assertFalse(ring.isEmpty());
        ring.poll();
        assertTrue(ring.isEmpty());
        assertNull(ring.poll());
    }

    @Test
    void passesEverythingFromOneThreadToAnotherInOrder() throws InterruptedException {
        int count = 10 * EntryRing.ENTRIES;
        Thread putter =
                Thread.ofPlatform()
                        .start(() -> {
                            for (int i = 0; i < count; i++) {
                                AccessEntry entry = Entries.withTarget("/" + i);
                                while (!ring.offer(entry)) {
                                    Thread.onSpinWait();
                                }
                            }
                        });
        int taken = 0;
        while (taken < count) {
            AccessEntry entry = ring.poll();
            if (entry != null) {
                assertEquals("/" + taken, entry.target());
                taken++;
            }
        }
        putter.join();
        assertTrue(ring.isEmpty());
    }
}
