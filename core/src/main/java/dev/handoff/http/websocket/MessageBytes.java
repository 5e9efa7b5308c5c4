package dev.handoff.http.websocket;

import dev.handoff.http.Body;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one message, as its fragments bring them: bounded and checked. A compressed one is
 * kept as it comes, and decompressed when it is whole. An inflater takes much more memory than the
 * first bytes of a message: thousands of clients could have one each that begin a message and stop.
 */
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

    /** So many compressed bytes are decompressed at once. */
    static final int AT_ONCE_BYTES = 128;

    private final int mostBytes;
    private final int mostCompressedBytes;
    private final @Nullable Compression compression;
    private final Utf8Check utf8 = new Utf8Check();
    private byte[] bytes = NOTHING;
    private int length;
    private boolean text;

    private boolean isCompressed;
    private byte[] compressed = NOTHING;
    private int compressedLength;

    /** Where those begin that are to be decompressed. */
    private int next;

    private @Nullable Inflater inflater;
    private int finalBlocks;

    MessageBytes(int mostBytes, @Nullable Compression compression) {
        this.mostBytes = mostBytes;
        long longer = (long) mostBytes + (mostBytes >> LONGER_COMPRESSED_SHIFT);
        // Without a limit, empty blocks could come for ever.
        this.mostCompressedBytes =
                (int) Math.min(longer + LONGER_COMPRESSED_BYTES, Integer.MAX_VALUE / 2);
        this.compression = compression;
    }

    void begin(boolean isText, boolean comesCompressed) {
        text = isText;
        utf8.reset();
        isCompressed = comesCompressed && compression != null;
    }

    /** A fragment of this many bytes begins. Returns the rule that it breaks, or null. */
    @Nullable WebSocketFault announce(long fragmentBytes) {
        long most = isCompressed ? mostCompressedBytes - compressedLength : mostBytes - length;
        return fragmentBytes > most ? WebSocketFault.TOO_BIG : null;
    }

    /** Takes bytes without their mask, as many as were announced; returns the rule they break. */
    @Nullable WebSocketFault add(byte[] source, int from, int to) {
        if (!isCompressed) {
            return append(source, from, to);
        }
        gather(source, from, to, mostCompressedBytes);
        return null;
    }

    /** All has come; returns the rule that it breaks, or null. */
    @Nullable WebSocketFault end() {
        if (isCompressed) {
            gather(TAIL, 0, TAIL.length, mostCompressedBytes + TAIL.length);
            return null;
        }
        return text && !utf8.isComplete() ? WebSocketFault.NOT_UTF8 : null;
    }

    /** Whether some of it has yet to be decompressed, once all has come. */
    boolean isBehind() {
        return isCompressed;
    }

    /** Decompresses some; returns the rule that it breaks, or null. */
    @Nullable WebSocketFault decompressSome() {
        Inflater used = inflater;
        Compression lender = Objects.requireNonNull(compression, "nothing is compressed");
        if (used == null) {
            used = lender.takeInflater();
            inflater = used;
        }
        int end = Math.min(next + AT_ONCE_BYTES, compressedLength);
        WebSocketFault fault = inflate(used, lender.scratch(), compressed, next, end);
        next = end;
        if (fault != null || next < compressedLength) {
            return fault;
        }
        forgetCompressed();
        return text && !utf8.isComplete() ? WebSocketFault.NOT_UTF8 : null;
    }

    /** The whole message. Nothing of it is kept here. */
    Body take() {
        Body taken = Body.of(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
        bytes = NOTHING;
        length = 0;
        return taken;
    }

    /** How much of it there is, decompressed. */
    int lengthBytes() {
        return length;
    }

    int heldBytes() {
        int used = inflater == null ? 0 : Compression.INFLATER_BYTES;
        return bytes.length + compressed.length + used;
    }

    void discard() {
        bytes = NOTHING;
        length = 0;
        forgetCompressed();
    }

    private void forgetCompressed() {
        Inflater used = inflater;
        if (used != null && compression != null) {
            compression.giveBack(used);
        }
        inflater = null;
        isCompressed = false;
        compressed = NOTHING;
        compressedLength = 0;
        next = 0;
        finalBlocks = 0;
    }

    private void gather(byte[] source, int from, int to, int most) {
        compressed = withRoom(compressed, compressedLength, to - from, most);
        System.arraycopy(source, from, compressed, compressedLength, to - from);
        compressedLength += to - from;
    }

    private static byte[] withRoom(byte[] bytes, int length, int more, int most) {
        if (more <= bytes.length - length) {
            return bytes;
        }
        int grown = (int) Math.min(most, 2L * bytes.length);
        return Arrays.copyOf(bytes, Math.max(length + more, grown));
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
        bytes = withRoom(bytes, length, count, mostBytes);
        System.arraycopy(source, from, bytes, length, count);
        length += count;
        return null;
    }

    private @Nullable WebSocketFault inflate(
            Inflater used, byte[] scratch, byte[] source, int from, int to) {
        used.setInput(source, from, to - from);
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
                int rest = used.getRemaining();
                if (++finalBlocks > MOST_FINAL_BLOCKS) {
                    return WebSocketFault.BAD_COMPRESSION;
                }
                used.reset();
                used.setInput(source, to - rest, rest);
                if (rest == 0) {
                    return null;
                }
            } else if (count == 0) {
                return used.needsDictionary() ? WebSocketFault.BAD_COMPRESSION : null;
            }
        }
    }
}
