package dev.handoff.http.websocket;

import dev.handoff.testing.Splits.Split;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Property: however the bytes of a client are cut, its reader hears the same, and holds no more
 * than a message and what decompresses it; and what a server writes as a message comes back, once
 * it has a mask.
 */
public final class WebSocketFuzz {
    private WebSocketFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        boolean compressed = (input[0] & 1) == 1;
        List<String> whole = Heard.of(input.clone(), compressed, Split.WHOLE);
        requireSame(whole, input, compressed, IntStream.range(1, input.length).boxed().toList());
        requireSame(whole, input, compressed, List.of((input[0] & 0xff) % input.length));
        requireComesBack(input);
    }

    private static void requireSame(
            List<String> whole, byte[] input, boolean compressed, List<Integer> cuts) {
        List<String> cut = Heard.of(input.clone(), compressed, new Split("", cuts));
        if (!whole.equals(cut)) {
            throw new AssertionError(whole + " became " + cut);
        }
    }

    /** A client's frame has four more bytes and another bit. */
    private static void requireComesBack(byte[] message) {
        if (message.length > Heard.MOST_MESSAGE_BYTES) {
            return;
        }
        ByteBuffer head = ByteBuffer.allocate(FrameWriter.MOST_HEAD_BYTES);
        FrameWriter.messageHead(false, false, message.length, head);
        ByteBuffer frame = ByteBuffer.allocate(head.position() + 4 + message.length);
        frame.put(head.flip()).putInt(0).put(message);
        frame.put(1, (byte) (frame.get(1) | 0x80));
        String shown = new String(message, StandardCharsets.UTF_8);
        List<String> expected =
                List.of("binary " + (message.length > 40 ? message.length + " bytes" : shown));
        List<String> heard = Heard.of(frame.array(), false, Split.WHOLE);
        if (!heard.equals(expected)) {
            throw new AssertionError(heard + " in place of " + expected);
        }
    }
}
