package dev.handoff.launcher.check;

import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The bytes of a frame, and how a transcript shows them. A case may make frames that no core sends.
 *
 * @param bytes not to be changed
 */
@SuppressWarnings("ArrayRecordComponent")
record Frame(byte[] bytes, String shown) {
    private static final int PREFIX_BYTES = 8;

    static Frame of(Message message) {
        byte[] frame = new FrameEncoder().encode(message);
        ByteBuffer prefix = ByteBuffer.wrap(frame);
        int jsonBytes = prefix.getInt();
        int bodyBytes = prefix.getInt();
        return new Frame(
                frame,
                shown(
                        new String(frame, PREFIX_BYTES, jsonBytes, StandardCharsets.UTF_8),
                        bodyBytes));
    }

    static Frame of(String json, byte[] body) {
        byte[] text = json.getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(PREFIX_BYTES + text.length + body.length);
        frame.putInt(text.length).putInt(body.length).put(text).put(body);
        return new Frame(frame.array(), shown(json, body.length));
    }

    static Frame of(String json) {
        return of(json, new byte[0]);
    }

    /** All of them, for one write. */
    static byte[] bytesOf(List<Frame> frames) {
        ByteBuffer bytes =
                ByteBuffer.allocate(frames.stream().mapToInt(frame -> frame.bytes.length).sum());
        frames.forEach(frame -> bytes.put(frame.bytes));
        return bytes.array();
    }

    /** The JSON of a message, to be changed. */
    static String json(Message message) {
        byte[] frame = new FrameEncoder().encode(message);
        int jsonBytes = ByteBuffer.wrap(frame).getInt();
        return new String(frame, PREFIX_BYTES, jsonBytes, StandardCharsets.UTF_8);
    }

    /** The frame of a message with more keys, written as JSON without the braces. */
    static Frame withKeys(Message message, String keys) {
        return of("{" + keys + "," + json(message).substring(1));
    }

    int jsonBytes() {
        return ByteBuffer.wrap(bytes).getInt();
    }

    private static String shown(String json, int bodyBytes) {
        return bodyBytes == 0 ? json : json + " + " + bodyBytes + " bytes of body";
    }
}
