package dev.handoff.server;

/**
 * What a client's {@link Connection} can be doing.
 *
 * <pre>
 *            first byte            head complete
 *     IDLE ------------> READING_HEAD --------> READING_BODY
 *      ^ \                    |                      |
 *      |  \                   |   whole request      |
 *      |   \                  v                      v
 *      |    '------------> ANSWERING  <--------------'     from any of these four:
 *      |                      |                            last request, refusal, end of
 *      '----------------------'                            input, drain --> FINISHING
 *             all answered
 *
 *     FINISHING --all answered and written--> LINGERING --client closes, or time--> CLOSED
 *
 *     any --reset, stall, stop--> CLOSED
 * </pre>
 *
 * <p>Reading goes on while requests are being answered, so that a client that leaves is noticed. An
 * open connection is in READING_HEAD or READING_BODY whenever part of a request has come, also
 * while others are being answered.
 */
enum ConnectionState {
    IDLE,
    READING_HEAD,
    READING_BODY,
    ANSWERING,
    /** No further request is taken; answers are owed or on their way. */
    FINISHING,
    /** All is sent; what still comes is dropped, so that no reset overtakes the last answer. */
    LINGERING,
    CLOSED;

    /** Whether requests are taken. */
    boolean isOpen() {
        return compareTo(FINISHING) < 0;
    }

    /** Whether there is something to do. */
    boolean isActive() {
        return this != IDLE && this != CLOSED;
    }

    /** A connection that is no longer open can only come nearer to its end. */
    void requireMayBecome(ConnectionState next) {
        if (!isOpen() && next.compareTo(this) < 0) {
            throw new IllegalStateException(this + " cannot become " + next);
        }
    }
}
