package dev.handoff.launcher.check;

import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.protocol.FrameDecoder;
import dev.handoff.process.protocol.FrameLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.Peer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Reads what a worker sends, frame by frame, and judges it as the core does. For the one thread
 * that reads a conversation.
 */
final class FrameSource {
    private static final int PREFIX_BYTES = 8;
    private static final byte[] NOTHING = {};

    /** Of the frame before {@code welcome}, which tells of others. */
    private static final FrameLimits HELLO_LIMITS = new FrameLimits(64 * 1024, 0);

    private final InputStream in;
    private final FrameLimits limits;
    private FrameDecoder decoder = new FrameDecoder(HELLO_LIMITS, Peer.WORKER);
    private boolean isFirst = true;

    /** What came from a worker. */
    sealed interface Came {}

    /**
     * A whole frame.
     *
     * @param json as the worker wrote it
     */
    record Whole(Message message, String json, int bodyBytes) implements Came {
        int sizeBytes() {
            return json.length() + bodyBytes;
        }

        String shown() {
            return bodyBytes == 0 ? json : json + " + " + bodyBytes + " bytes of body";
        }
    }

    /**
     * A frame that the core refuses.
     *
     * @param shown its JSON, or its lengths where these are wrong
     */
    record Fault(Decoded.Refused refused, String shown) implements Came {}

    /** The end of the connection. */
    record End(String how) implements Came {}

    FrameSource(InputStream in, FrameLimits limits) {
        this.in = in;
        this.limits = limits;
    }

    /** What comes next; waits for it. */
    Came next() {
        Came came = read();
        if (isFirst) {
            isFirst = false;
            decoder = new FrameDecoder(limits, Peer.WORKER);
        }
        return came;
    }

    private Came read() {
        try {
            byte[] prefix = in.readNBytes(PREFIX_BYTES);
            if (prefix.length == 0) {
                return new End("the worker ended the connection");
            }
            if (prefix.length < PREFIX_BYTES) {
                return new End("the connection ended behind " + prefix.length + " bytes of 8");
            }
            ByteBuffer lengths = ByteBuffer.wrap(prefix);
            Decoded decoded = decode(prefix);
            if (decoded instanceof Decoded.Refused refused) {
                return new Fault(
                        refused,
                        "a frame that begins with the bytes %s, \"%s\" as text"
                                .formatted(
                                        HexFormat.ofDelimiter(" ").formatHex(prefix),
                                        asText(prefix)));
            }
            byte[] json = read(lengths.getInt(), "JSON");
            String text = new String(json, StandardCharsets.UTF_8);
            decoded = decode(json);
            int bodyBytes = lengths.getInt();
            if (decoded instanceof Decoded.Incomplete) {
                decoded = decode(read(bodyBytes, "body"));
            }
            return switch (decoded) {
                case Decoded.Complete(Message message) -> new Whole(message, text, bodyBytes);
                case Decoded.Refused refused -> new Fault(refused, text);
                case Decoded.Incomplete _ -> new End("a frame of a length that cannot be");
            };
        } catch (EOFException short_) {
            return new End(String.valueOf(short_.getMessage()));
        } catch (IOException failure) {
            return new End("the connection broke: " + failure.getMessage());
        }
    }

    private static String asText(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", "?");
    }

    private Decoded decode(byte[] part) {
        return decoder.decode(part, 0, part.length);
    }

    private byte[] read(int size, String part) throws IOException {
        byte[] bytes = size == 0 ? NOTHING : in.readNBytes(size);
        if (bytes.length < size) {
            throw new EOFException(
                    "the connection ended behind %d bytes of the %d of a %s"
                            .formatted(bytes.length, size, part));
        }
        return bytes;
    }
}
