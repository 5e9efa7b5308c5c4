package dev.handoff.loop;

import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * How a peer uses its records once the handshake is over: each is work, whatever is in it. Belongs
 * to the loop's thread.
 */
final class TlsRecords {
    /**
     * So many may come at once without content, such as those that renew keys. OpenSSL takes as
     * many empty ones.
     */
    static final int MOST_WITHOUT_CONTENT = 32;

    /** Then so much time has to pass for each. */
    private static final long NANOS_EACH = TimeUnit.MILLISECONDS.toNanos(100);

    /** Records are small if they have fewer bytes on the average. */
    private static final int SMALL_BYTES = 256;

    private long paidUntilNanos;
    private int count;
    private boolean small;

    TlsRecords(long nowNanos) {
        paidUntilNanos = nowNanos;
    }

    /** Another record was unwrapped. */
    void add() {
        count++;
    }

    /**
     * It had no content.
     *
     * @throws SSLException if too many had none
     */
    void withoutContent(long nowNanos) throws SSLException {
        long from = paidUntilNanos - nowNanos < 0 ? nowNanos : paidUntilNanos;
        paidUntilNanos = from + NANOS_EACH;
        if (paidUntilNanos - nowNanos > MOST_WITHOUT_CONTENT * NANOS_EACH) {
            throw new SSLException("the peer sends too many records without content");
        }
    }

    /** All whole records of what was read are unwrapped. */
    void portionEnds(int bytes) {
        small = count > bytes / SMALL_BYTES;
        count = 0;
    }

    /** Whether those of the latest portion were small. */
    boolean areSmall() {
        return small;
    }
}
