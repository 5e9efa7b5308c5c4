package dev.handoff.http.websocket;

import dev.handoff.http.Body;
import dev.handoff.testing.Splits.Split;
import java.nio.ByteBuffer;
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
        requireSameHoweverCut(input, false);
        requireSameHoweverCut(input, true);
        requireComesBack(input);
        requireComesBackCompressed(input);
    }

    private static void requireSameHoweverCut(byte[] input, boolean compressed) {
        List<String> whole = Heard.of(input.clone(), compressed, Split.WHOLE);
        requireSame(whole, input, compressed, IntStream.range(1, input.length).boxed().toList());
        requireSame(whole, input, compressed, List.of((input[0] & 0xff) % input.length));
    }

    private static void requireSame(
            List<String> whole, byte[] input, boolean compressed, List<Integer> cuts) {
        List<String> cut = Heard.of(input.clone(), compressed, new Split("", cuts));
        if (!whole.equals(cut)) {
            throw new AssertionError(whole + " became " + cut);
        }
    }

    private static void requireComesBack(byte[] message) {
        if (message.length <= Heard.MOST_MESSAGE_BYTES) {
            requireHeard(message, frame(message, false), false);
        }
    }

    /** The input is too short to be worth it; repeated it is not. */
    private static void requireComesBackCompressed(byte[] input) {
        byte[] message = new byte[Heard.MOST_MESSAGE_BYTES];
        for (int i = 0; i < message.length; i++) {
            message[i] = input[i % input.length];
        }
        Compression compression = new Compression();
        Body compressed =
                compression.compress(Body.of(message), Compression.LARGEST_WINDOW_BYTES, true);
        compression.close();
        if (compressed != null) {
            requireHeard(message, frame(compressed.toArray(), true), true);
        }
    }

    /** A client's frame has four more bytes and another bit. */
    private static byte[] frame(byte[] payload, boolean compressed) {
        ByteBuffer head = ByteBuffer.allocate(FrameWriter.MOST_HEAD_BYTES);
        FrameWriter.messageHead(false, compressed, payload.length, true, head);
        ByteBuffer frame = ByteBuffer.allocate(head.position() + 4 + payload.length);
        frame.put(head.flip()).putInt(0).put(payload);
        frame.put(1, (byte) (frame.get(1) | 0x80));
        return frame.array();
    }

    private static void requireHeard(byte[] message, byte[] frame, boolean compressed) {
        Heard heard = new Heard(compressed);
        heard.read(frame);
        heard.close();
        if (!List.of(Body.of(message)).equals(heard.messages())) {
            throw new AssertionError("another message came back: " + heard.events());
        }
    }
}
