package dev.handoff.http.websocket;

import dev.handoff.http.Body;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames that a client sends, and makes whole messages of them. It breaks off at the
 * first byte that cannot be right. Memory follows the bytes that came, never a length that was
 * announced. The work is linear however the bytes are cut.
 */
public final class FrameReader {
    /** Hears what came. */
    public interface Sink {
        /**
         * A message came.
         *
         * @param content the whole message; a text was checked to be UTF-8
         */
        void onMessage(boolean text, Body content);

        void onPing(Body payload);

        void onPong();

        /**
         * The client closed. Nothing follows.
         *
         * @param code {@link CloseCode#NONE} if the client gave none
         */
        void onClose(int code, String reason);

        /** The client broke a rule. Nothing follows. */
        void onFault(WebSocketFault fault);
    }

    /**
     * The most fragments without bytes in one message. The size of the message limits the others.
     */
    static final int MOST_EMPTY_FRAGMENTS = 10_000;

    private static final int SHORTEST_HEAD_BYTES = 2;
    private static final int MASK_BYTES = 4;
    private static final int LONGEST_HEAD_BYTES = 14;

    private static final int LENGTH_OF_16_BITS = 126;
    private static final int LENGTH_OF_64_BITS = 127;
    private static final int MOST_16_BITS = 0xffff;

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final MessageBytes message;
    private final boolean compression;
    private final Sink sink;

    private final byte[] head = new byte[LONGEST_HEAD_BYTES];
    private int headBytes;

    /** How many bytes the head has, as far as that is known. */
    private int headSize = SHORTEST_HEAD_BYTES;

    /** Whether the head is complete. */
    private boolean inPayload;

    private int opcode;
    private boolean isFinal;
    private long payloadLeft;
    private int mask;

    private byte[] control = new byte[0];
    private int controlBytes;

    /** Whether a message has begun that is not complete. */
    private boolean inMessage;

    private boolean text;
    private int emptyFragments;
    private int decompressedBytes;

    /** Whether a message has come whole that is not decompressed to its end. */
    private boolean behind;

    /** Whether messages are of no use any more. */
    private boolean drops;

    private boolean over;

    /**
     * @param mostMessageBytes the longest message, decompressed
     * @param compression null if the client did not agree on it
     */
    public FrameReader(int mostMessageBytes, @Nullable Compression compression, Sink sink) {
        this.message = new MessageBytes(mostMessageBytes, compression);
        this.compression = compression != null;
        this.sink = sink;
    }

    /**
     * Reads up to the end of the bytes, or of one frame. Where a compressed message has come whole,
     * it decompresses some of it instead. It changes the bytes: it takes the mask off in place.
     *
     * @return the index behind what was read; {@code to} once the input is over
     */
    public int read(byte[] bytes, int from, int to) {
        int at = from;
        decompressedBytes = 0;
        if (isBehind()) {
            decompressSome();
            return over ? to : at;
        }
        while (at < to && !over) {
            if (!inPayload) {
                at = readHead(bytes, at, to);
            }
            if (inPayload) {
                int count = (int) Math.min(payloadLeft, to - at);
                takePayload(bytes, at, count);
                at += count;
                payloadLeft -= count;
                if (payloadLeft == 0 && !over) {
                    endFrame();
                    break;
                }
            }
        }
        return over ? to : at;
    }

    /**
     * Whether a message has come whole that is not decompressed to its end. {@link #read} goes on
     * with it, so that whoever reads can leave the rest for later: a KiB may become a mebibyte (RFC
     * 1951 makes 258 bytes of two bits).
     */
    public boolean isBehind() {
        return behind;
    }

    /** How many bytes the latest {@link #read} has decompressed. */
    public int decompressedBytes() {
        return decompressedBytes;
    }

    /** The memory of what has come of a message, and of its decompression. */
    public int heldBytes() {
        return message.heldBytes();
    }

    /** Lets go of the message that has begun. What follows is read only for its end. */
    public void dropMessages() {
        drops = true;
        behind = false;
        message.discard();
    }

    /** Lets go of everything: nothing more will be read. */
    public void close() {
        over = true;
        behind = false;
        message.discard();
    }

    private int readHead(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            head[headBytes++] = bytes[at++];
            if (headBytes == SHORTEST_HEAD_BYTES && !readFirstBytes()) {
                return at;
            }
            if (headBytes == headSize) {
                beginPayload();
                return at;
            }
        }
        return at;
    }

    /** Judges the first two bytes of a head. Returns false if they break a rule. */
    private boolean readFirstBytes() {
        int first = head[0] & 0xff;
        int second = head[1] & 0xff;
        opcode = first & 0xf;
        isFinal = (first & 0x80) != 0;
        int length = second & 0x7f;
        headSize =
                SHORTEST_HEAD_BYTES
                        + MASK_BYTES
                        + switch (length) {
                            case LENGTH_OF_16_BITS -> Short.BYTES;
                            case LENGTH_OF_64_BITS -> Long.BYTES;
                            default -> 0;
                        };
        WebSocketFault fault = faultOf(first & 0x70, (second & 0x80) != 0, length);
        if (fault != null) {
            fail(fault);
        }
        return fault == null;
    }

    private @Nullable WebSocketFault faultOf(int reserved, boolean masked, int length) {
        boolean control = Opcode.isControl(opcode);
        boolean compressed = reserved == 0x40;
        boolean mayBeCompressed = compression && !control && opcode != Opcode.CONTINUATION;
        if (reserved != 0 && !(compressed && mayBeCompressed)) {
            return WebSocketFault.RESERVED_BITS;
        }
        if (!Opcode.isKnown(opcode)) {
            return WebSocketFault.UNKNOWN_OPCODE;
        }
        if (!masked) {
            return WebSocketFault.UNMASKED;
        }
        if (control) {
            if (!isFinal) {
                return WebSocketFault.FRAGMENTED_CONTROL;
            }
            return length > Opcode.LONGEST_CONTROL_BYTES ? WebSocketFault.LONG_CONTROL : null;
        }
        if (opcode == Opcode.CONTINUATION) {
            return inMessage ? null : WebSocketFault.UNEXPECTED_CONTINUATION;
        }
        return inMessage ? WebSocketFault.UNFINISHED_MESSAGE : null;
    }

    private void beginPayload() {
        int length = head[1] & 0x7f;
        payloadLeft = length;
        if (length == LENGTH_OF_16_BITS) {
            payloadLeft = number(Short.BYTES);
            if (payloadLeft < LENGTH_OF_16_BITS) {
                fail(WebSocketFault.BAD_LENGTH);
                return;
            }
        } else if (length == LENGTH_OF_64_BITS) {
            payloadLeft = number(Long.BYTES);
            if (payloadLeft <= MOST_16_BITS) {
                fail(WebSocketFault.BAD_LENGTH);
                return;
            }
        }
        mask = (int) numberAt(headSize - MASK_BYTES, MASK_BYTES);
        inPayload = true;
        if (Opcode.isControl(opcode)) {
            control = new byte[(int) payloadLeft];
            controlBytes = 0;
        } else {
            beginFragment();
        }
        headBytes = 0;
        headSize = SHORTEST_HEAD_BYTES;
    }

    private void beginFragment() {
        boolean isFirst = !inMessage;
        inMessage = true;
        if (drops) {
            return;
        }
        if (isFirst) {
            text = opcode == Opcode.TEXT;
            emptyFragments = 0;
            message.begin(text, (head[0] & 0x40) != 0);
        }
        if (payloadLeft == 0 && ++emptyFragments > MOST_EMPTY_FRAGMENTS) {
            fail(WebSocketFault.TOO_MANY_FRAGMENTS);
        } else {
            failIf(message.announce(payloadLeft));
        }
    }

    private long number(int size) {
        return numberAt(SHORTEST_HEAD_BYTES, size);
    }

    private long numberAt(int index, int size) {
        long number = 0;
        for (int i = index; i < index + size; i++) {
            number = number << Byte.SIZE | (head[i] & 0xff);
        }
        return number;
    }

    private void takePayload(byte[] bytes, int from, int count) {
        if (count == 0 || over) {
            return;
        }
        unmask(bytes, from, from + count);
        if (Opcode.isControl(opcode)) {
            System.arraycopy(bytes, from, control, controlBytes, count);
            controlBytes += count;
        } else if (!drops) {
            failIf(message.add(bytes, from, from + count));
        }
    }

    /** Takes the mask off, and turns the mask to where the next bytes begin. */
    private void unmask(byte[] bytes, int from, int to) {
        long eight = (mask & 0xffffffffL) << Integer.SIZE | (mask & 0xffffffffL);
        int at = from;
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            LONGS.set(bytes, at, (long) LONGS.get(bytes, at) ^ eight);
        }
        for (; at < to; at++) {
            bytes[at] ^= (byte) (mask >>> 24);
            mask = Integer.rotateLeft(mask, Byte.SIZE);
        }
    }

    private void endFrame() {
        inPayload = false;
        switch (opcode) {
            case Opcode.PING -> sink.onPing(Body.of(control));
            case Opcode.PONG -> sink.onPong();
            case Opcode.CLOSE -> endWithClose();
            default -> {
                if (isFinal) {
                    inMessage = false;
                    endMessage();
                }
            }
        }
    }

    private void endMessage() {
        if (drops) {
            return;
        }
        WebSocketFault fault = message.end();
        if (fault != null) {
            fail(fault);
        } else if (message.isBehind()) {
            decompressSome();
        } else {
            sink.onMessage(text, message.take());
        }
    }

    private void decompressSome() {
        int before = message.lengthBytes();
        WebSocketFault fault = message.decompressSome();
        decompressedBytes = message.lengthBytes() - before;
        behind = fault == null && message.isBehind();
        if (fault != null) {
            fail(fault);
        } else if (!behind) {
            sink.onMessage(text, message.take());
        }
    }

    private void endWithClose() {
        if (control.length == 0) {
            over(CloseCode.NONE, "");
            return;
        }
        if (control.length < Short.BYTES) {
            fail(WebSocketFault.BAD_CLOSE);
            return;
        }
        int code = (control[0] & 0xff) << Byte.SIZE | (control[1] & 0xff);
        Utf8Check utf8 = new Utf8Check();
        if (!CloseCode.mayBeSent(code)) {
            fail(WebSocketFault.BAD_CLOSE_CODE);
        } else if (!utf8.add(control, Short.BYTES, control.length) || !utf8.isComplete()) {
            fail(WebSocketFault.NOT_UTF8);
        } else {
            byte[] reason = Arrays.copyOfRange(control, Short.BYTES, control.length);
            over(code, new String(reason, StandardCharsets.UTF_8));
        }
    }

    private void over(int code, String reason) {
        close();
        sink.onClose(code, reason);
    }

    private void failIf(@Nullable WebSocketFault fault) {
        if (fault != null) {
            fail(fault);
        }
    }

    private void fail(WebSocketFault fault) {
        close();
        sink.onFault(fault);
    }
}
