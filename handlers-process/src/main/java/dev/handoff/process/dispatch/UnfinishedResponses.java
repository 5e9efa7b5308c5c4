package dev.handoff.process.dispatch;

/**
 * What a pool holds of responses that HTTP servers have begun, and that nobody else counts yet:
 * heads that are not whole, and the beginning of small ones. Belongs to the thread of the pool's
 * loop.
 */
final class UnfinishedResponses {
    private final long limitBytes;
    private long bytes;

    UnfinishedResponses(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** A connection holds more or less than before. */
    void change(long byBytes) {
        bytes += byBytes;
    }

    /** Whether all that is held is too much. */
    boolean areTooMany() {
        return bytes > limitBytes;
    }
}
