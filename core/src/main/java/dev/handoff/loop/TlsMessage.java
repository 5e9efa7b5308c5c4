package dev.handoff.loop;

import javax.net.ssl.SSLException;

/**
 * What the engine may hold of a message of TLS that is incomplete, and what it has copied for that:
 * all that has come of the message, with each further record. Nothing tells where a message ends
 * before the handshake is over, or before content comes, behind which none is incomplete (RFC 8446
 * section 5.1). So all that comes until then counts as one. Belongs to the loop's thread.
 */
final class TlsMessage {
    /** So much may be copied for small records. */
    static final int MOST_COPIED_BYTES = 256 * 1024;

    /**
     * No client has a reason to fill its records less (RFC 6066 section 4). With larger ones, what
     * is copied is a multiple of what comes, and does not grow with its square.
     */
    private static final int SMALL_RECORD_BYTES = 512;

    /**
     * The JDK takes messages of up to 32 KiB (jdk.tls.maxHandshakeMessageSize); and their records.
     */
    private static final int MOST_BYTES = 33 * 1024;

    private int bytes;
    private int copiedBytes;

    /** How much the engine may hold. */
    int bytes() {
        return bytes;
    }

    /**
     * Another record has come, with no content, or none has, where it is 0.
     *
     * @throws SSLException if there are too many small ones
     */
    void add(int recordBytes) throws SSLException {
        if (recordBytes > 0 && recordBytes < SMALL_RECORD_BYTES) {
            copiedBytes += bytes;
        }
        bytes = Math.min(bytes + recordBytes, MOST_BYTES);
        if (copiedBytes > MOST_COPIED_BYTES) {
            throw new SSLException("the peer sends a message in too many small records");
        }
    }

    /** It is complete. */
    void isOver() {
        bytes = 0;
        copiedBytes = 0;
    }
}
