package dev.handoff.loop;

import java.nio.ByteBuffer;

/**
 * What all TLS connections of a loop unwrap into and wrap into. A connection uses it up before
 * another has its turn. Belongs to the loop's thread.
 */
final class TlsBuffers {
    /** The longest record: its header, 16 KiB, and what encryption may add (RFC 5246 6.2.3). */
    static final int RECORD_BYTES = 5 + 16 * 1024 + 2048;

    /** So many full records are wrapped before they are offered to the channel. */
    private static final int BATCH_RECORDS = 4;

    private final ByteBuffer plaintext = ByteBuffer.allocate(EventLoop.READ_BYTES + RECORD_BYTES);
    private final ByteBuffer records = ByteBuffer.allocate(BATCH_RECORDS * RECORD_BYTES);

    /** Empty; with room for what all records of one read can hold. */
    ByteBuffer plaintext() {
        return plaintext.clear();
    }

    /** Empty. */
    ByteBuffer records() {
        return records.clear();
    }
}
