package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FragmentTest {
    /** The claim that trickled input costs linear time: copies are rare and double each time. */
    @Test
    void copiesRarelyHoweverSmallThePortions() {
        Fragment fragment = new Fragment();
        byte[] source = new byte[100_000];
        new Random(1).nextBytes(source);
        int copied = 0;
        int room = 0;
        for (int i = 0; i < source.length; i++) {
            fragment.append(source, i, i + 1);
            if (fragment.bytes().length != room) {
                copied += room;
                room = fragment.bytes().length;
            }
        }
        assertTrue(copied < 2 * source.length, "copied " + copied);
        assertEquals(source.length, fragment.length());
        assertArrayEquals(source, Arrays.copyOf(fragment.bytes(), fragment.length()));
    }

    @Test
    void holdsNoMemoryWhenCleared() {
        Fragment fragment = new Fragment();
        fragment.append(new byte[1000], 10, 1000);
        fragment.clear();
        assertTrue(fragment.isEmpty());
        assertEquals(0, fragment.bytes().length);
    }
}
