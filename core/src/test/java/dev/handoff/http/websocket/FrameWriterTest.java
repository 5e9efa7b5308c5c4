package dev.handoff.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Body;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 6455 section 5.2, and the examples of section 5.7 that have no mask. */
class FrameWriterTest {
    @ParameterizedTest
    @CsvSource({
        "0, 8200",
        "125, 827d",
        "126, 827e007e",
        "256, 827e0100",
        "65535, 827effff",
        "65536, 827f0000000000010000",
        "2147483647, 827f000000007fffffff"
    })
    void writesTheShortestLength(int bytes, String head) {
        assertEquals(head, written(out -> FrameWriter.messageHead(false, false, bytes, true, out)));
    }

    @Test
    void marksTextAndCompression() {
        assertEquals("8105", written(out -> FrameWriter.messageHead(true, false, 5, true, out)));
        assertEquals("c107", written(out -> FrameWriter.messageHead(true, true, 7, true, out)));
        assertEquals("c207", written(out -> FrameWriter.messageHead(false, true, 7, true, out)));
    }

    /**
     * RFC 6455 section 5.4: only the last frame is final, and only the first one says what it is.
     */
    @Test
    void writesFragments() {
        assertEquals("0103", written(out -> FrameWriter.messageHead(true, false, 3, false, out)));
        assertEquals("4203", written(out -> FrameWriter.messageHead(false, true, 3, false, out)));
        assertEquals("007e0100", written(out -> FrameWriter.continuationHead(256, false, out)));
        assertEquals("8002", written(out -> FrameWriter.continuationHead(2, true, out)));
    }

    @Test
    void writesPingsAndPongs() {
        assertEquals("8900", written(FrameWriter::ping));
        assertEquals("8a00", written(out -> FrameWriter.pong(Body.EMPTY, out)));
        assertEquals("8a0548656c6c6f", written(out -> FrameWriter.pong(Body.utf8("Hello"), out)));
        assertEquals(
                "8a7d" + "78".repeat(125),
                written(out -> FrameWriter.pong(Body.utf8("x".repeat(125)), out)));
    }

    @Test
    void writesClosesWithAndWithoutACode() {
        assertEquals("8800", written(out -> FrameWriter.close(CloseCode.NONE, "", out)));
        assertEquals("880203e8", written(out -> FrameWriter.close(CloseCode.NORMAL, "", out)));
        String longest = "x".repeat(CloseCode.LONGEST_REASON_BYTES);
        assertEquals(
                "887d03e9" + "78".repeat(123),
                written(out -> FrameWriter.close(CloseCode.GOING_AWAY, longest, out)));
    }

    private static String written(Consumer<ByteBuffer> write) {
        ByteBuffer out = ByteBuffer.allocate(FrameWriter.MOST_CONTROL_BYTES);
        write.accept(out);
        return HexFormat.of().formatHex(out.array(), 0, out.position());
    }
}
