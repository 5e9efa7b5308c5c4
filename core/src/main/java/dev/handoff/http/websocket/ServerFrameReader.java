package dev.handoff.http.websocket;

import dev.handoff.http.Body;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames that a server sends, to whom nobody has offered compression. It passes messages
 * on as they come, in fragments, and so holds none. It breaks off at the first byte that cannot be
 * right.
 */
public final class ServerFrameReader {
    /** Hears what came. */
    public interface Sink {
        /**
         * A part of a message came: what one frame has of it in the bytes at hand.
         *
         * @param text of the whole message; nobody has checked it to be UTF-8
         * @param last whether the message ends with it
         */
        void onFragment(boolean text, Body content, boolean last);

        void onPing(Body payload);

        /**
         * The server closed. Nothing follows.
         *
         * @param code {@link CloseCode#NONE} if it gave none
         */
        void onClose(int code, String reason);

        /** The server broke a rule. Nothing follows. */
        void onFault(WebSocketFault fault);
    }

    private static final int SHORTEST_HEAD_BYTES = 2;
    private static final int LONGEST_HEAD_BYTES = 10;
    private static final int LENGTH_OF_16_BITS = 126;
    private static final int LENGTH_OF_64_BITS = 127;
    private static final int MOST_16_BITS = 0xffff;

    private final Sink sink;
    private final byte[] head = new byte[LONGEST_HEAD_BYTES];
    private int headBytes;

    /** How many bytes the head has, as far as that is known. */
    private int headSize = SHORTEST_HEAD_BYTES;

    private boolean inPayload;
    private int opcode;
    private boolean isFinal;
    private long payloadLeft;
    private byte[] control = new byte[0];
    private int controlBytes;

    /** Whether a message has begun that is not complete. */
    private boolean inMessage;

    private boolean text;
    private boolean over;

    public ServerFrameReader(Sink sink) {
        this.sink = sink;
    }

    /**
     * Reads up to the end of the bytes, or of a frame, or of what tells the sink something.
     *
     * @return the index behind what was read; {@code to} once the input is over
     */
    public int read(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && !over) {
            if (!inPayload) {
                at = readHead(bytes, at, to);
            }
            if (inPayload && (at < to || payloadLeft == 0)) {
                int count = (int) Math.min(payloadLeft, to - at);
                payloadLeft -= count;
                boolean told = take(bytes, at, count);
                at += count;
                if (told || !inPayload) {
                    return over ? to : at;
                }
            }
        }
        return over ? to : at;
    }

    private int readHead(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            head[headBytes++] = bytes[at++];
            if (headBytes == SHORTEST_HEAD_BYTES) {
                WebSocketFault fault = readFirstBytes();
                if (fault != null) {
                    fail(fault);
                    return at;
                }
            }
            if (headBytes == headSize) {
                beginPayload();
                return at;
            }
        }
        return at;
    }

    private @Nullable WebSocketFault readFirstBytes() {
        int first = head[0] & 0xff;
        int second = head[1] & 0xff;
        int length = second & 0x7f;
        opcode = first & 0xf;
        isFinal = (first & 0x80) != 0;
        headSize =
                SHORTEST_HEAD_BYTES
                        + switch (length) {
                            case LENGTH_OF_16_BITS -> Short.BYTES;
                            case LENGTH_OF_64_BITS -> Long.BYTES;
                            default -> 0;
                        };
        if ((first & 0x70) != 0) {
            return WebSocketFault.RESERVED_BITS;
        }
        if (!Opcode.isKnown(opcode)) {
            return WebSocketFault.UNKNOWN_OPCODE;
        }
        if ((second & 0x80) != 0) {
            return WebSocketFault.MASKED;
        }
        if (Opcode.isControl(opcode)) {
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
        if (length >= LENGTH_OF_16_BITS) {
            payloadLeft = 0;
            for (int i = SHORTEST_HEAD_BYTES; i < headSize; i++) {
                payloadLeft = payloadLeft << Byte.SIZE | (head[i] & 0xff);
            }
            int shorter = length == LENGTH_OF_16_BITS ? LENGTH_OF_16_BITS - 1 : MOST_16_BITS;
            if (payloadLeft <= shorter) {
                fail(WebSocketFault.BAD_LENGTH);
                return;
            }
        }
        inPayload = true;
        headBytes = 0;
        headSize = SHORTEST_HEAD_BYTES;
        if (Opcode.isControl(opcode)) {
            control = new byte[(int) payloadLeft];
            controlBytes = 0;
        } else if (!inMessage) {
            inMessage = true;
            text = opcode == Opcode.TEXT;
        }
    }

    /** Takes a part of the payload; returns whether the sink was told something. */
    private boolean take(byte[] bytes, int from, int count) {
        boolean frameEnds = payloadLeft == 0;
        inPayload = !frameEnds;
        if (Opcode.isControl(opcode)) {
            System.arraycopy(bytes, from, control, controlBytes, count);
            controlBytes += count;
            return frameEnds && endControl();
        }
        boolean last = frameEnds && isFinal;
        inMessage = !last;
        if (count == 0 && !last) {
            return false;
        }
        sink.onFragment(text, Body.of(Arrays.copyOfRange(bytes, from, from + count)), last);
        return true;
    }

    private boolean endControl() {
        switch (opcode) {
            case Opcode.PING -> sink.onPing(Body.of(control));
            case Opcode.CLOSE -> endWithClose();
            default -> {
                return false;
            }
        }
        return true;
    }

    private void endWithClose() {
        over = true;
        if (control.length == 0) {
            sink.onClose(CloseCode.NONE, "");
            return;
        }
        int code =
                control.length < Short.BYTES
                        ? CloseCode.NONE
                        : (control[0] & 0xff) << Byte.SIZE | (control[1] & 0xff);
        Utf8Check utf8 = new Utf8Check();
        if (control.length < Short.BYTES) {
            fail(WebSocketFault.BAD_CLOSE);
        } else if (!CloseCode.mayBeSent(code)) {
            fail(WebSocketFault.BAD_CLOSE_CODE);
        } else if (!utf8.add(control, Short.BYTES, control.length) || !utf8.isComplete()) {
            fail(WebSocketFault.NOT_UTF8);
        } else {
            byte[] reason = Arrays.copyOfRange(control, Short.BYTES, control.length);
            sink.onClose(code, new String(reason, StandardCharsets.UTF_8));
        }
    }

    private void fail(WebSocketFault fault) {
        over = true;
        sink.onFault(fault);
    }
}
