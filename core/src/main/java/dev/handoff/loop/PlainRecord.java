package dev.handoff.loop;

import java.nio.ByteBuffer;

/**
 * A record of TLS before anything is encrypted (RFC 8446 section 5.1). The JDK's engine takes some
 * that are longer than they may be, and has an internal error where a client's is at fault.
 */
final class PlainRecord {
    /** No alert has this number for a fault. */
    static final byte FINE = 0;

    /** Alerts of RFC 8446 section 6. */
    static final byte UNEXPECTED_MESSAGE = 10;

    static final byte RECORD_OVERFLOW = 22;
    static final byte HANDSHAKE_FAILURE = 40;
    static final byte ILLEGAL_PARAMETER = 47;
    static final byte INTERNAL_ERROR = 80;

    private static final byte ALERT = 21;
    private static final byte HANDSHAKE = 22;
    private static final byte FATAL = 2;
    private static final int HEADER_BYTES = 5;
    private static final int LENGTH_AT = 3;
    private static final int ALERT_AT = 6;
    private static final int MOST_BYTES = 16 * 1024;

    private PlainRecord() {}

    /**
     * What is wrong with the first record of a peer.
     *
     * @param records what has come of it, at least a byte
     * @return the alert that is due, or {@link #FINE}, so far
     */
    static byte faultOfFirst(ByteBuffer records) {
        int from = records.position();
        byte type = records.get(from);
        if (type != HANDSHAKE && type != ALERT) {
            return UNEXPECTED_MESSAGE;
        }
        boolean hasLength = records.remaining() >= LENGTH_AT + Short.BYTES;
        if (hasLength && (records.getShort(from + LENGTH_AT) & 0xFFFF) > MOST_BYTES) {
            return RECORD_OVERFLOW;
        }
        return FINE;
    }

    /**
     * The content of a record with messages of the handshake; of another record none.
     *
     * @param record a whole one
     */
    static ByteBuffer messages(ByteBuffer record) {
        boolean hasAny = record.get(record.position()) == HANDSHAKE;
        int header = hasAny ? Math.min(HEADER_BYTES, record.remaining()) : record.remaining();
        return record.slice(record.position() + header, record.remaining() - header);
    }

    /** A record with an alert behind which the connection ends. */
    static ByteBuffer fatal(byte alert) {
        return ByteBuffer.wrap(new byte[] {ALERT, 3, 3, 0, 2, FATAL, alert});
    }

    /**
     * Makes handshake_failure of an internal_error: in a handshake, the engine says that when what
     * the peer offers does not fit together, and when its keys are no keys.
     *
     * @param record what the engine has just wrapped
     */
    static void blamePeer(ByteBuffer record) {
        if (record.equals(fatal(INTERNAL_ERROR))) {
            record.put(record.position() + ALERT_AT, HANDSHAKE_FAILURE);
        }
    }
}
