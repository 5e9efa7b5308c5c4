package dev.handoff.launcher.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class AccessEntryTest {
    private static final String LONGEST = "x".repeat(AccessEntry.MOST_CHARACTERS);

    @Test
    void keepsATextAtTheLimitWhole() {
        AccessEntry entry = Entries.withText(LONGEST, null);
        assertEquals(LONGEST, entry.method());
        assertEquals(LONGEST, entry.target());
        assertEquals(LONGEST, entry.userAgent());
        assertEquals(LONGEST, entry.referer());
    }

    @Test
    void countsWhatItHolds() {
        int least = Entries.withText("", null).heldBytes();
        assertTrue(least >= 300, "of " + least);
        // Method, target, id, user agent and referer.
        assertEquals(least + 5 * LONGEST.length(), Entries.withText(LONGEST, null).heldBytes());
        assertTrue(Entries.refused().heldBytes() < least);
    }

    @Test
    void holdsNoMoreOfAClientsTextThanTheLimit() {
        AccessEntry entry = Entries.withText(LONGEST + "y", null);
        assertEquals(LONGEST + "...", entry.method());
        assertEquals(LONGEST + "...", entry.target());
        assertEquals(LONGEST + "...", entry.userAgent());
        assertEquals(LONGEST + "...", entry.referer());
    }
}
