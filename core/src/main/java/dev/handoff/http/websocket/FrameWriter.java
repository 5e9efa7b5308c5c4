package dev.handoff.http.websocket;

import dev.handoff.http.Body;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes the frames of a server (RFC 6455 section 5.2), which have no mask. */
public final class FrameWriter {
    /** The longest head of a frame. */
    public static final int MOST_HEAD_BYTES = 10;

    /** The largest control frame with its head. */
    public static final int MOST_CONTROL_BYTES = 2 + Opcode.LONGEST_CONTROL_BYTES;

    /** What a mask adds to the head. */
    public static final int MASK_BYTES = 4;

    private static final int FINAL = 0x80;
    private static final int MASKED = 0x80;
    private static final int COMPRESSED = 0x40;

    /** Lengths up to here stand in the second byte. */
    private static final int LONGEST_IN_BYTE = 125;

    private static final int LENGTH_OF_16_BITS = 126;
    private static final int LENGTH_OF_64_BITS = 127;
    private static final int MOST_16_BITS = 0xffff;

    private FrameWriter() {}

    /**
     * Writes the head of the first frame of a message, which may be the only one. The caller writes
     * the payload next.
     *
     * @param bytes the size of the payload
     * @param last whether the message has no other frame
     * @param out with room for {@link #MOST_HEAD_BYTES}
     */
    public static void messageHead(
            boolean text, boolean compressed, int bytes, boolean last, ByteBuffer out) {
        int opcode = text ? Opcode.TEXT : Opcode.BINARY;
        head((compressed ? COMPRESSED : 0) | opcode, bytes, last, out);
    }

    /** The same for another frame of that message. */
    public static void continuationHead(int bytes, boolean last, ByteBuffer out) {
        head(Opcode.CONTINUATION, bytes, last, out);
    }

    private static void head(int first, int bytes, boolean last, ByteBuffer out) {
        out.put((byte) (first | (last ? FINAL : 0)));
        if (bytes <= LONGEST_IN_BYTE) {
            out.put((byte) bytes);
        } else if (bytes <= MOST_16_BITS) {
            out.put((byte) LENGTH_OF_16_BITS).putShort((short) bytes);
        } else {
            out.put((byte) LENGTH_OF_64_BITS).putLong(bytes);
        }
    }

    /**
     * Writes a whole message or a control frame as a client does (RFC 6455 section 5.3): with a
     * mask.
     *
     * @param mask any number that nobody can foresee
     * @param out with room for {@link #MOST_HEAD_BYTES}, {@link #MASK_BYTES} and the payload
     */
    static void masked(int opcode, Body payload, int mask, ByteBuffer out) {
        int head = out.position();
        head(opcode, payload.sizeBytes(), true, out);
        out.put(head + 1, (byte) (out.get(head + 1) | MASKED));
        out.putInt(mask);
        int from = out.position();
        payload.copyTo(out);
        for (int i = from; i < out.position(); i++) {
            int shift = Byte.SIZE * (MASK_BYTES - 1 - ((i - from) & (MASK_BYTES - 1)));
            out.put(i, (byte) (out.get(i) ^ mask >>> shift));
        }
    }

    /** Writes a message of a client. */
    public static void maskedMessage(boolean text, Body message, int mask, ByteBuffer out) {
        masked(text ? Opcode.TEXT : Opcode.BINARY, message, mask, out);
    }

    /** Writes a pong of a client. */
    public static void maskedPong(Body payload, int mask, ByteBuffer out) {
        masked(Opcode.PONG, payload, mask, out);
    }

    /**
     * Writes a close of a client.
     *
     * @param code {@link CloseCode#NONE} for a close without code
     */
    public static void maskedClose(int code, String reason, int mask, ByteBuffer out) {
        ByteBuffer plain = ByteBuffer.allocate(MOST_CONTROL_BYTES);
        close(code, reason, plain);
        byte[] payload = Arrays.copyOfRange(plain.array(), 2, plain.position());
        masked(Opcode.CLOSE, Body.of(payload), mask, out);
    }

    /** Writes a ping without payload. */
    public static void ping(ByteBuffer out) {
        out.put((byte) (FINAL | Opcode.PING)).put((byte) 0);
    }

    /**
     * Writes a pong.
     *
     * @param out with room for {@link #MOST_CONTROL_BYTES}
     */
    public static void pong(Body payload, ByteBuffer out) {
        out.put((byte) (FINAL | Opcode.PONG)).put((byte) payload.sizeBytes());
        payload.copyTo(out);
    }

    /**
     * Writes a close.
     *
     * @param code {@link CloseCode#NONE} for a close without code
     * @param reason of at most {@link CloseCode#LONGEST_REASON_BYTES} in UTF-8
     * @param out with room for {@link #MOST_CONTROL_BYTES}
     */
    public static void close(int code, String reason, ByteBuffer out) {
        out.put((byte) (FINAL | Opcode.CLOSE));
        if (code == CloseCode.NONE) {
            out.put((byte) 0);
            return;
        }
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        out.put((byte) (Short.BYTES + text.length)).putShort((short) code).put(text);
    }
}
