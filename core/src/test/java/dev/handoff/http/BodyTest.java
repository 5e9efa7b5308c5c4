package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In how many pieces a body lies is nobody's business but the memory's. */
class BodyTest {
    private static final Body WHOLE = Body.utf8("hello world");
    private static final Body PIECES =
            Body.ofPieces(List.of(bytes("hel"), bytes("lo wor"), bytes("ld")));

    @Test
    void piecesAreTheSameAsTheWhole() {
        assertEquals(WHOLE, PIECES);
        assertEquals(WHOLE.hashCode(), PIECES.hashCode());
        assertEquals(11, PIECES.sizeBytes());
        assertEquals("hello world", PIECES.toUtf8());
        assertArrayEquals(WHOLE.toArray(), PIECES.toArray());
        assertEquals(WHOLE.asBuffer(), PIECES.asBuffer());
        ByteBuffer copy = ByteBuffer.allocate(11);
        PIECES.copyTo(copy);
        assertArrayEquals(WHOLE.toArray(), copy.array());
        assertNotEquals(WHOLE, Body.ofPieces(List.of(bytes("hello worl"), bytes("D"))));
    }

    @Test
    void givesItsPiecesInOrderAndUncopied() {
        List<String> given = new ArrayList<>();
        List<Integer> capacities = new ArrayList<>();
        PIECES.forEachPiece(piece -> {
            capacities.add(piece.capacity());
            given.add(StandardCharsets.UTF_8.decode(piece).toString());
        });
        assertEquals(List.of("hel", "lo wor", "ld"), given);
        assertEquals(List.of(3, 6, 2), capacities);
    }

    @Test
    void noPiecesAreTheEmptyBody() {
        assertSame(Body.EMPTY, Body.ofPieces(List.of()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
