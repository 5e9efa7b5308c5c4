package dev.handoff.process.protocol;

import java.nio.ByteBuffer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Property: whatever JSON a frame has, from either sender, the decoder does not throw, and a
 * message that it accepts is the same after it was encoded and decoded again.
 *
 * <p>The input is the JSON alone, or JSON, a zero byte and a body: the lengths before them are
 * added here, since a search that had to keep them right would get nowhere.
 */
public final class HeadsFuzz {
    private static final FrameLimits LIMITS = new FrameLimits(8 * 1024, 1024);

    /** JSON's escapes can write half a pair; UTF-8 can't, and the encoder puts U+FFFD there. */
    private static final Pattern HALF_A_PAIR =
            Pattern.compile(
                    "[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]");

    private static final FrameEncoder ENCODER = new FrameEncoder();

    private HeadsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        byte[] frame = frame(input);
        for (Peer from : Peer.values()) {
            Message message = messageOrNull(frame, from);
            if (message != null) {
                Message again = messageOrNull(ENCODER.encode(message), from);
                if (!message.equals(again)) {
                    requireSameWithoutHalfPairs(message, again);
                }
            }
        }
    }

    private static byte[] frame(byte[] input) {
        int jsonBytes = 0;
        while (jsonBytes < input.length && input[jsonBytes] != 0) {
            jsonBytes++;
        }
        int bodyAt = Math.min(input.length, jsonBytes + 1);
        int bodyBytes = input.length - bodyAt;
        ByteBuffer frame = ByteBuffer.allocate(FrameDecoder.PREFIX_BYTES + jsonBytes + bodyBytes);
        frame.putInt(jsonBytes).putInt(bodyBytes);
        frame.put(input, 0, jsonBytes).put(input, bodyAt, bodyBytes);
        return frame.array();
    }

    private static @Nullable Message messageOrNull(byte[] frame, Peer from) {
        FrameDecoder decoder = new FrameDecoder(LIMITS, from);
        return decoder.decode(frame, 0, frame.length) instanceof Decoded.Complete complete
                ? complete.message()
                : null;
    }

    private static void requireSameWithoutHalfPairs(Message message, @Nullable Message again) {
        String whole = HALF_A_PAIR.matcher(message.toString()).replaceAll("\ufffd");
        if (again == null || !whole.equals(again.toString())) {
            throw new AssertionError(message + " became " + again);
        }
    }
}
