package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.ClientCertificate;
import dev.handoff.http.EndToEndFields;
import dev.handoff.http.Request;
import jakarta.json.stream.JsonGenerator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request's frame without its id and its timeout, which are known only when a worker gets it. It
 * may cross threads, and may be written more than once, since a replay gets another id.
 */
public final class RequestFrame implements EncodedRequest {
    /** Makes them. Each thread has its own: it is not thread-safe, since it keeps one buffer. */
    public static final class Encoder {
        private final Utf8Writer scratch = new Utf8Writer();

        /**
         * Writes all that is known before a worker gets the request. The body is not copied.
         *
         * @param client the peer as {@code address:port}
         * @param scheme that the client has spoken
         * @param certificate that the client has shown; null if none
         * @param prefix the first characters of the target, below which the worker serves; empty
         *     for the root
         * @param requestId what to call it in logs, or null
         * @param webSocket the subprotocols that the client offers; null unless it asks for a
         *     WebSocket
         */
        public RequestFrame encode(
                Request request,
                String client,
                String scheme,
                @Nullable ClientCertificate certificate,
                String prefix,
                @Nullable String requestId,
                @Nullable List<String> webSocket) {
            scratch.reset();
            try (JsonGenerator json = MessageWriter.generator(scratch)) {
                json.writeStartObject();
                json.write(Key.METHOD.wireName, request.method());
                json.write(Key.TARGET.wireName, request.target());
                json.write(Key.VERSION.wireName, request.version().number());
                json.writeStartArray(Key.HEADERS.wireName);
                EndToEndFields.forEach(
                        request, (name, value) -> MessageWriter.header(name, value, json));
                json.writeEnd();
                json.write(Key.CLIENT.wireName, client);
                MessageWriter.schemeAndPrefix(scheme, prefix, json);
                MessageWriter.certificate(certificate, json);
                MessageWriter.optional(Key.REQUEST_ID, requestId, json);
                MessageWriter.webSocket(webSocket, json);
                json.writeEnd();
            }
            return new RequestFrame(scratch.toBytes(), request.body());
        }
    }

    private static final byte[] BEFORE_ID = ascii("{\"type\":\"request\",\"id\":");
    private static final byte[] BEFORE_TIMEOUT = ascii(",\"timeoutMillis\":");

    /** In place of the closing brace. */
    private static final byte[] MORE = ascii(",\"more\":true}");

    /** An upper bound for what a head adds: prefix, two keys, two numbers. */
    private static final int MOST_ADDED_BYTES = 96;

    /** The other JSON members, from the comma before the first to the closing brace. */
    private final byte[] members;

    private final Body body;

    /**
     * @param object a JSON object that is not empty; the caller must not change it afterwards
     */
    private RequestFrame(byte[] object, Body body) {
        object[0] = ',';
        this.members = object;
        this.body = body;
    }

    @Override
    public int sizeBytes() {
        return MOST_ADDED_BYTES + 2 * members.length + body.heldBytes();
    }

    /**
     * The size of what {@link #writeHead} writes: the prefix and the JSON.
     *
     * @param inPieces whether the body follows in frames of its own
     */
    public int headSizeBytes(long id, long timeoutMillis, boolean inPieces) {
        return FrameDecoder.PREFIX_BYTES + jsonSizeBytes(id, timeoutMillis, inPieces);
    }

    /**
     * Writes the prefix and the JSON; the caller writes the body next, or pieces of it.
     *
     * @param id from 1 to {@link Message#MAX_ID}
     * @param timeoutMillis the time left now; a request with none left is not handed over
     * @param inPieces whether the body follows in frames of its own
     * @param out with room for {@link #headSizeBytes}
     */
    public void writeHead(long id, long timeoutMillis, boolean inPieces, ByteBuffer out) {
        if (id < 1 || id > Message.MAX_ID || timeoutMillis < 0) {
            throw new IllegalArgumentException("id " + id + ", timeout " + timeoutMillis);
        }
        out.putInt(jsonSizeBytes(id, timeoutMillis, inPieces))
                .putInt(inPieces ? 0 : body.sizeBytes());
        out.put(BEFORE_ID);
        putDecimal(id, out);
        out.put(BEFORE_TIMEOUT);
        putDecimal(timeoutMillis, out);
        if (inPieces) {
            out.put(members, 0, members.length - 1).put(MORE);
        } else {
            out.put(members);
        }
    }

    @Override
    public Body body() {
        return body;
    }

    private int jsonSizeBytes(long id, long timeoutMillis, boolean inPieces) {
        return BEFORE_ID.length
                + digits(id)
                + BEFORE_TIMEOUT.length
                + digits(timeoutMillis)
                + (inPieces ? MORE.length - 1 : 0)
                + members.length;
    }

    private static int digits(long number) {
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        return digits;
    }

    private static void putDecimal(long number, ByteBuffer out) {
        int start = out.position();
        int end = start + digits(number);
        long rest = number;
        for (int i = end - 1; i >= start; i--) {
            out.put(i, (byte) ('0' + rest % 10));
            rest /= 10;
        }
        out.position(end);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
