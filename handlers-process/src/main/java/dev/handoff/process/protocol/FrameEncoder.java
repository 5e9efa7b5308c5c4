package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import jakarta.json.stream.JsonGenerator;
import java.nio.ByteBuffer;

/**
 * Writes messages as frames; a request on its way to a worker is an {@link RequestFrame} instead.
 * Each loop has its own: it is not thread-safe, since all frames share one buffer.
 */
public final class FrameEncoder {
    private final Utf8Writer scratch = new Utf8Writer();

    /** The whole frame, with a copy of the body. */
    public byte[] encode(Message message) {
        scratch.reset();
        try (JsonGenerator json = MessageWriter.generator(scratch)) {
            MessageWriter.write(message, json);
        }
        Body body = MessageWriter.bodyOf(message);
        int headBytes = FrameDecoder.PREFIX_BYTES + scratch.sizeBytes();
        byte[] frame = new byte[headBytes + body.sizeBytes()];
        ByteBuffer buffer = ByteBuffer.wrap(frame);
        buffer.putInt(scratch.sizeBytes()).putInt(body.sizeBytes());
        scratch.copyTo(frame, FrameDecoder.PREFIX_BYTES);
        body.copyTo(buffer.position(headBytes));
        return frame;
    }

    /**
     * The frame of a message without its body. The caller writes the body next.
     *
     * @param bodyBytes the size of the body
     */
    public byte[] encodeHead(Message message, int bodyBytes) {
        byte[] frame = encode(message);
        ByteBuffer.wrap(frame).putInt(Integer.BYTES, bodyBytes);
        return frame;
    }
}
