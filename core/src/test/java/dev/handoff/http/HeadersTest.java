package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class HeadersTest {
    private static final Headers SOME = Headers.of("a", "1", "B", "2", "A", "3");

    @Test
    void findsNamesInAnyCase() {
        assertEquals("1", SOME.first("A"));
        assertEquals("2", SOME.first("b"));
        assertNull(SOME.first("c"));
        assertEquals(List.of("1", "3"), SOME.all("a"));
        assertEquals(List.of(), SOME.all("c"));
        assertTrue(SOME.contains("b"));
        assertFalse(SOME.contains("2"));
    }

    @Test
    void builtAndGivenAreEqual() {
        Headers.Builder builder = new Headers.Builder();
        builder.add("a", "1").add("B", "2").add("A", "3");
        assertEquals(3, builder.size());
        Headers built = builder.build();
        assertEquals(SOME, built);
        assertEquals(SOME.hashCode(), built.hashCode());
        assertEquals("[a, 1, B, 2, A, 3]", built.toString());
        assertNotEquals(Headers.of("a", "1", "B", "2"), built);
        assertEquals(3, built.size());
    }

    @Test
    void builderStartsAfreshAfterBuilding() {
        Headers.Builder builder = new Headers.Builder();
        assertSame(Headers.EMPTY, builder.build());
        Headers first = builder.add("a", "1").build();
        assertEquals(0, builder.size());
        Headers second = builder.add("b", "2").build();
        assertEquals(Headers.of("a", "1"), first);
        assertEquals(Headers.of("b", "2"), second);
    }

    @Test
    void builderGrows() {
        Headers.Builder builder = new Headers.Builder();
        for (int i = 0; i < 100; i++) {
            builder.add("n" + i, "v" + i);
        }
        Headers built = builder.build();
        assertEquals(100, built.size());
        assertEquals("v99", built.first("N99"));
        assertEquals("n50", built.name(50));
    }

    @Test
    void hasNoFieldsBeyondItsSize() {
        Headers built = new Headers.Builder().add("a", "1").build();
        assertThrows(IndexOutOfBoundsException.class, () -> built.name(1));
        assertThrows(IndexOutOfBoundsException.class, () -> built.value(-1));
        assertThrows(IllegalArgumentException.class, () -> Headers.of("a"));
    }

    @Test
    void doesNotSeeLaterChangesOfWhatItWasMadeFrom() {
        String[] fields = {"a", "1"};
        Headers headers = Headers.of(fields);
        fields[1] = "2";
        assertEquals("1", headers.first("a"));
    }
}
