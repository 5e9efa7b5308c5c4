package dev.handoff.http.websocket;

import dev.handoff.http.Body;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** The bytes of one message, as its fragments bring them: decompressed, bounded and checked. */
final class MessageBytes {
    private static final byte[] NOTHING = {};

    /** What the sender of a compressed message left out (RFC 7692 section 7.2.2). */
    private static final byte[] TAIL = {0, 0, (byte) 0xff, (byte) 0xff};

    /**
     * The most final blocks in one message. A compressor may end its data with a final block, and
     * go on (RFC 7692 section 7.2.3.4). Each time the inflater has to begin anew.
     */
    private static final int MOST_FINAL_BLOCKS = 16;

    /**
     * A compressed message may be longer than a plain one: by an eighth, and by the bytes below for
     * the heads of its blocks.
     */
    private static final int LONGER_COMPRESSED_SHIFT = 3;

    private static final int LONGER_COMPRESSED_BYTES = 4096;

    private final int mostBytes;
    private final @Nullable Compression compression;
    private final Utf8Check utf8 = new Utf8Check();
    private byte[] bytes = NOTHING;
    private int length;
    private boolean text;
    private @Nullable Inflater inflater;
    private int finalBlocks;

    /**
     * How many compressed bytes may still come. Without a limit, empty blocks could come for ever.
     */
    private long compressedLeft;

    MessageBytes(int mostBytes, @Nullable Compression compression) {
        this.mostBytes = mostBytes;
        this.compression = compression;
    }

    void begin(boolean isText, boolean isCompressed) {
        text = isText;
        utf8.reset();
        finalBlocks = 0;
        if (isCompressed && compression != null) {
            inflater = compression.takeInflater();
            compressedLeft =
                    (long) mostBytes
                            + (mostBytes >> LONGER_COMPRESSED_SHIFT)
                            + LONGER_COMPRESSED_BYTES;
        }
    }

    /** A fragment of this many bytes begins. Returns the rule that it breaks, or null. */
    @Nullable WebSocketFault announce(long fragmentBytes) {
        // Compressed, any length can turn out short or long.
        return inflater == null && fragmentBytes > mostBytes - length
                ? WebSocketFault.TOO_BIG
                : null;
    }

    /** Takes bytes without their mask; returns the rule that they break, or null. */
    @Nullable WebSocketFault add(byte[] source, int from, int to) {
        if (inflater == null) {
            return append(source, from, to);
        }
        int count = (int) Math.min(to - from, compressedLeft);
        compressedLeft -= count;
        WebSocketFault fault = inflate(inflater, source, from, from + count);
        return fault == null && count < to - from ? WebSocketFault.TOO_BIG : fault;
    }

    /** All has come; returns the rule that it breaks, or null. */
    @Nullable WebSocketFault end() {
        if (inflater != null) {
            WebSocketFault fault = inflate(inflater, TAIL, 0, TAIL.length);
            giveBackInflater();
            if (fault != null) {
                return fault;
            }
        }
        return text && !utf8.isComplete() ? WebSocketFault.NOT_UTF8 : null;
    }

    /** The whole message. Nothing of it is kept here. */
    Body take() {
        Body taken = Body.of(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
        bytes = NOTHING;
        length = 0;
        return taken;
    }

    /** Whether it comes compressed. */
    boolean isCompressed() {
        return inflater != null;
    }

    /** How much of it has come, decompressed. */
    int lengthBytes() {
        return length;
    }

    int heldBytes() {
        return bytes.length + (inflater == null ? 0 : Compression.INFLATER_BYTES);
    }

    void discard() {
        bytes = NOTHING;
        length = 0;
        giveBackInflater();
    }

    private void giveBackInflater() {
        Inflater used = inflater;
        inflater = null;
        if (used != null && compression != null) {
            compression.giveBack(used);
        }
    }

    private @Nullable WebSocketFault append(byte[] source, int from, int to) {
        // What fits is judged first, so that the fault is the same however the bytes are cut.
        int count = Math.min(to - from, mostBytes - length);
        if (text && !utf8.add(source, from, from + count)) {
            return WebSocketFault.NOT_UTF8;
        }
        if (count < to - from) {
            return WebSocketFault.TOO_BIG;
        }
        if (count > bytes.length - length) {
            int grown = (int) Math.min(mostBytes, 2L * bytes.length);
            bytes = Arrays.copyOf(bytes, Math.max(length + count, grown));
        }
        System.arraycopy(source, from, bytes, length, count);
        length += count;
        return null;
    }

    private @Nullable WebSocketFault inflate(Inflater used, byte[] source, int from, int to) {
        byte[] scratch = compression == null ? NOTHING : compression.scratch();
        int next = from;
        used.setInput(source, next, to - next);
        while (true) {
            long before = used.getBytesWritten();
            boolean malformed = false;
            try {
                used.inflate(scratch);
            } catch (DataFormatException afterWhatItWrote) {
                malformed = true;
            }
            int count = (int) (used.getBytesWritten() - before);
            WebSocketFault fault = append(scratch, 0, count);
            if (fault != null || malformed) {
                return fault != null ? fault : WebSocketFault.BAD_COMPRESSION;
            }
            if (used.finished()) {
                next = to - used.getRemaining();
                if (++finalBlocks > MOST_FINAL_BLOCKS) {
                    return WebSocketFault.BAD_COMPRESSION;
                }
                used.reset();
                used.setInput(source, next, to - next);
                if (next == to) {
                    return null;
                }
            } else if (count == 0) {
                return used.needsDictionary() ? WebSocketFault.BAD_COMPRESSION : null;
            }
        }
    }
}
