package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.Request;
import jakarta.json.spi.JsonProvider;
import jakarta.json.stream.JsonGenerator;
import jakarta.json.stream.JsonGeneratorFactory;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes frames. Each loop has its own: it is not thread-safe, since all frames share one buffer.
 */
public final class FrameEncoder {
    private static final JsonGeneratorFactory GENERATORS =
            JsonProvider.provider().createGeneratorFactory(Map.of());

    private final Utf8Writer scratch = new Utf8Writer();

    /** The whole frame with a copy of the body; {@link #encodeRequest} makes no such copy. */
    public byte[] encode(Message message) {
        scratch.reset();
        try (JsonGenerator json = GENERATORS.createGenerator(scratch)) {
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

    /** The frame of a piece without its body, which the caller writes next. */
    public byte[] encodePiece(Message.Data message, ByteBuffer body) {
        byte[] frame = encode(message);
        ByteBuffer.wrap(frame).putInt(Integer.BYTES, body.remaining());
        return frame;
    }

    /**
     * The part of a request's frame that is known before a worker gets it.
     *
     * @param client the peer as {@code address:port}
     * @param requestId what to call it in logs, or null
     */
    public EncodedRequest encodeRequest(
            Request request, String client, @Nullable String requestId) {
        scratch.reset();
        try (JsonGenerator json = GENERATORS.createGenerator(scratch)) {
            json.writeStartObject();
            json.write(Key.METHOD.wireName, request.method());
            json.write(Key.TARGET.wireName, request.target());
            json.write(Key.VERSION.wireName, request.version().number());
            RequestHeaders.write(request, json);
            json.write(Key.CLIENT.wireName, client);
            MessageWriter.optional(Key.REQUEST_ID, requestId, json);
            json.writeEnd();
        }
        return new EncodedRequest(scratch.toBytes(), request.body());
    }
}
