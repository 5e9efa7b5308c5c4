package dev.handoff.loop;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What all TLS connections of a loop unwrap into and wrap into: a connection uses it up before
 * another has its turn. And the limit for what they keep of records, messages and handshakes of TLS
 * that are incomplete, which nobody above TLS knows of. Belongs to the loop's thread.
 */
final class TlsBuffers {
    /** Keeps the beginning of a record, of a message or of a handshake. */
    interface Keeper {
        /** It has kept that for longest, and others need the room. Must only note it. */
        void crowdedOut();
    }

    /** All loops may keep such a part of the heap, if there are as many as usual. */
    private static final int PART_OF_HEAP = 8;

    /** One for two cores. */
    private static final int USUAL_LOOPS =
            Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    /** The longest record: its header, 16 KiB, and what encryption may add (RFC 5246 6.2.3). */
    static final int RECORD_BYTES = 5 + 16 * 1024 + 2048;

    /** So many full records are wrapped before they are offered to the channel. */
    private static final int BATCH_RECORDS = 4;

    private final ByteBuffer plaintext = ByteBuffer.allocate(EventLoop.READ_BYTES + RECORD_BYTES);
    private final ByteBuffer records = ByteBuffer.allocate(BATCH_RECORDS * RECORD_BYTES);

    /** How much each keeps; who began first comes first. */
    private final Map<Keeper, Integer> kept = new LinkedHashMap<>();

    private final long mostKeptBytes;
    private long keptBytes;

    TlsBuffers() {
        this(Runtime.getRuntime().maxMemory() / PART_OF_HEAP / USUAL_LOOPS);
    }

    TlsBuffers(long mostKeptBytes) {
        this.mostKeptBytes = mostKeptBytes;
    }

    /**
     * Counts what a connection keeps. If that is too much for all together, the one that began
     * first has to go: a client that sends on completes its record, or its handshake, soon.
     *
     * @param begun whether it is the beginning of another record or message than before
     */
    void keep(Keeper keeper, int bytes, boolean begun) {
        if (begun) {
            release(keeper);
        }
        Integer before = kept.put(keeper, bytes);
        keptBytes += bytes - (before == null ? 0 : before);
        while (keptBytes > mostKeptBytes && kept.size() > 1) {
            Keeper first = kept.keySet().iterator().next();
            release(first);
            first.crowdedOut();
        }
    }

    /** It keeps nothing any more. */
    void release(Keeper keeper) {
        Integer before = kept.remove(keeper);
        keptBytes -= before == null ? 0 : before;
    }

    long keptBytes() {
        return keptBytes;
    }

    /** Empty; with room for what all records of one read can hold. */
    ByteBuffer plaintext() {
        return plaintext.clear();
    }

    /** Empty. */
    ByteBuffer records() {
        return records.clear();
    }
}
