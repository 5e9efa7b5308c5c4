package dev.handoff.server;

/**
 * What a client's {@link Connection} can be doing.
 *
 * <pre>
 *            first byte            head complete
 *     IDLE ------------> READING_HEAD --------> READING_BODY
 *      ^ \                  |    ^                |    ^
 *      |  \   whole request |    | next request   |    |
 *      |   \                v    | has begun      v    |
 *      |    '-------------> ANSWERING <-----------------'    from any of these four:
 *      |                      |                              last request, refusal, end of
 *      '----------------------'                              input, drain --> FINISHING
 *             all answered
 *
 *     ANSWERING --101 is written--> WEBSOCKET --it is over--> LINGERING
 *
 *     FINISHING --all answered and written--> LINGERING --client closes, or time--> CLOSED
 *
 *     any --reset, timeout, stop--> CLOSED
 * </pre>
 *
 * <p>One read can bring a head and a part of the body: then IDLE becomes READING_BODY at once. A
 * transition that is not in this picture throws.
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
    /** No further request is taken; responses are owed or on their way. */
    FINISHING,
    /** The client asked for a WebSocket and got it: no request comes any more. */
    WEBSOCKET,
    /** All is sent; what still comes is dropped, so that no reset overtakes the last response. */
    LINGERING,
    CLOSED;

    /** Whether requests are taken. */
    boolean takesRequests() {
        return compareTo(FINISHING) < 0;
    }

    /** Whether there is something to do. */
    boolean isActive() {
        return this != IDLE && this != CLOSED;
    }

    /**
     * @throws IllegalStateException if the picture has no such arrow
     */
    void requireMayBecome(ConnectionState next) {
        boolean may =
                switch (this) {
                    case IDLE -> next != IDLE && next != WEBSOCKET && next != LINGERING;
                    case READING_HEAD ->
                            next == READING_BODY
                                    || next == ANSWERING
                                    || next == FINISHING
                                    || next == CLOSED;
                    case READING_BODY -> next == ANSWERING || next == FINISHING || next == CLOSED;
                    case ANSWERING -> next != ANSWERING && next != LINGERING;
                    case FINISHING, WEBSOCKET -> next == LINGERING || next == CLOSED;
                    case LINGERING -> next == CLOSED;
                    case CLOSED -> false;
                };
        if (!may) {
            throw new IllegalStateException(this + " cannot become " + next);
        }
    }
}
