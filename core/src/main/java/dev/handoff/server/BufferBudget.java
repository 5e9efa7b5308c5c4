package dev.handoff.server;

/**
 * How much memory clients may make one loop hold. One half is for their requests, from the first
 * byte until the response leaves; the other is for responses that they have not taken yet. So
 * neither clients that send much nor clients that read slowly can take what the others need. An
 * eighth of the first half is for small requests alone. When it is full, little requests are let in
 * as long as all little ones take less than three quarters of a half. Bare ones, as most without
 * content are, have a quarter more, there or behind the half: so whole requests with a little
 * content, which a slow handler holds, do not keep them out. Messages of WebSockets' clients count
 * with the requests, and give way to them beyond a part of their own. Messages that the clients
 * have not taken count with the responses.
 *
 * <p>The largest part may pass its half: a half is not meant to be smaller than one request or one
 * response. Belongs to the loop's thread.
 */
final class BufferBudget {
    /** A connection that holds no more than this may use the last part of the half for requests. */
    private static final int SMALL_REQUEST_BYTES = 256 * 1024;

    /**
     * A connection that holds no more than this counts in that part. It is twice as much, so that a
     * request that was given room there still counts there at its end, with what came last and what
     * a whole request takes besides.
     */
    private static final int COUNTED_REQUEST_BYTES = 2 * SMALL_REQUEST_BYTES;

    /** Most requests without content take less, with their objects. */
    private static final int LITTLE_REQUEST_BYTES = 16 * 1024;

    private static final int COUNTED_LITTLE_BYTES = 2 * LITTLE_REQUEST_BYTES;

    /** A browser's request without content takes less, unless its cookies are long. */
    private static final int BARE_REQUEST_BYTES = 6 * 1024;

    private final long halfBytes;
    private final ResponseTally responseTally;

    /** A connection that holds no more than this counts as one of modest responses. */
    private final long modestResponseBytes;

    /** The most that the responses of this loop may take while others wait for room. */
    private final long commonResponseBytes;

    /**
     * The part of the half for responses that messages of this loop's WebSockets may always take.
     */
    private final long messagePartBytes;

    /** The part of the half for requests that only small ones may fill. */
    private final long smallPartBytes;

    /** What is for bare requests alone, of the room of little ones and behind a full half. */
    private final long barePartBytes;

    /** What all little requests may take before another that is not bare finds the half full. */
    private final long commonLittleBytes;

    private long requestBytes;

    /** What WebSockets hold of what their clients sent; a part of the bytes of requests. */
    private long incomingMessageBytes;

    private long smallRequestBytes;
    private long littleRequestBytes;
    private long responseBytes;
    private long modestBytes;

    /** What WebSockets hold; a part of the bytes of responses. */
    private long messageBytes;

    /**
     * @param room what the responses of this loop share with those of the others
     */
    BufferBudget(long limitBytes, ResponseRoom room) {
        this.halfBytes = Math.max(1, limitBytes / 2);
        this.responseTally = new ResponseTally(room);
        this.modestResponseBytes = 2L * room.modestBytes();
        this.commonResponseBytes =
                (long) ((double) halfBytes * room.commonPartBytes() / room.limitBytes());
        this.messagePartBytes =
                (long) ((double) halfBytes * room.messagePartBytes() / room.limitBytes());
        this.smallPartBytes = halfBytes / 8;
        this.barePartBytes = halfBytes / 4;
        this.commonLittleBytes = halfBytes - barePartBytes;
    }

    /** The bytes that both halves hold. */
    long bytes() {
        return requestBytes + responseBytes;
    }

    /** Whether requests take so much that large ones had better not wait in memory. */
    boolean isTightForRequests() {
        return requestBytes > halfBytes / 4;
    }

    /** Whether there is no more room for large requests. */
    boolean isFullForRequests() {
        return requestBytes > halfBytes - smallPartBytes;
    }

    /**
     * Whether clients' messages take more than their part while others wait for room. Compressed,
     * they cost a client a thousandth of that, so they have to leave more than others.
     */
    boolean doIncomingMessagesTakeMuch() {
        return incomingMessageBytes > halfBytes / 4;
    }

    /** Whether they take so little that not each request has to make them leave more. */
    boolean doIncomingMessagesTakeLittle() {
        return incomingMessageBytes <= halfBytes / 8;
    }

    /** Tells the {@link ResponseRoom} exactly what the responses of this loop hold. */
    void tellResponses() {
        responseTally.tellExactly(largeBytes(), modestBytes, messageBytes);
    }

    private long largeBytes() {
        return responseBytes - modestBytes - messageBytes;
    }

    /** Whether messages of WebSockets take more than their share while others wait for room. */
    boolean doMessagesTakeMuch() {
        return messageBytes > messagePartBytes;
    }

    /** Whether responses take more than their share while others wait for room. */
    boolean doResponsesTakeMuch() {
        return responseBytes > commonResponseBytes;
    }

    /** Whether responses may take more than the least that they need. */
    boolean hasMuchRoomForResponses() {
        return responseBytes <= halfBytes / 2;
    }

    boolean areResponsesFull() {
        return responseBytes > halfBytes;
    }

    /**
     * Whether responses take too much even without some of them.
     *
     * @param spareBytes the size of these
     */
    boolean areResponsesFullWithout(long spareBytes) {
        return responseBytes - spareBytes > halfBytes;
    }

    /** By how much those that have just come may pass the half. */
    long mostNewResponseBytes() {
        return halfBytes / 2;
    }

    /** One connection's part of it. */
    final class Share {
        private long requests;
        private long responses;

        /** What of the requests counts as little. */
        private long little;

        /** What of the responses counts as modest. */
        private long modest;

        private boolean isWebSocket;

        /** From now on it holds messages, and no responses. */
        void becomeWebSocket() {
            long requestsNow = requests;
            long responsesNow = responses;
            update(0, false, 0, 0);
            isWebSocket = true;
            update(requestsNow, false, responsesNow, 0);
        }

        boolean isWebSocket() {
            return isWebSocket;
        }

        /**
         * Brings the part up to date.
         *
         * @param unfinished whether a large part of the requests is one that is still being read.
         *     It never counts as little: a client that leaves it so would take the room of whole
         *     ones
         * @param waitingNow what of the responses waits behind another one. It never counts as
         *     modest: a client has as much of it as it asks for at once
         */
        void update(long requestsNow, boolean unfinished, long responsesNow, long waitingNow) {
            long littleNow = unfinished ? 0 : ifLittle(requestsNow);
            requestBytes += requestsNow - requests;
            smallRequestBytes += ifSmall(requestsNow) - ifSmall(requests);
            littleRequestBytes += littleNow - little;
            little = littleNow;
            responseBytes += responsesNow - responses;
            if (isWebSocket) {
                incomingMessageBytes += requestsNow - requests;
                messageBytes += responsesNow - responses;
            } else {
                long modestNow =
                        responsesNow <= modestResponseBytes ? responsesNow - waitingNow : 0;
                modestBytes += modestNow - modest;
                modest = modestNow;
            }
            requests = requestsNow;
            responses = responsesNow;
            responseTally.tell(largeBytes(), modestBytes, messageBytes);
        }

        /** Whether the requests of the other connections fill their half. */
        boolean isCrowdedOut() {
            return othersBytes() > halfBytes;
        }

        /**
         * Whether the requests of the other connections leave no room for the one that is being
         * read. A small one may also use the last part, which only small ones fill.
         */
        boolean isWithoutRoom() {
            return requests <= SMALL_REQUEST_BYTES
                    ? isCrowdedOut() && smallRequestBytes - requests > smallPartBytes
                    : othersBytes() > halfBytes - smallPartBytes;
        }

        /**
         * Whether the requests of the other connections leave no room for what has come whole,
         * perhaps in one read: a request, or bytes behind one.
         *
         * @param bytes that it takes
         */
        boolean isWithoutRoomFor(long bytes) {
            if (bytes > LITTLE_REQUEST_BYTES) {
                return isWithoutRoom();
            }
            long otherLittle = littleRequestBytes - little;
            return bytes > BARE_REQUEST_BYTES
                    ? isCrowdedOut() && otherLittle > commonLittleBytes
                    : othersBytes() > halfBytes + barePartBytes && otherLittle > halfBytes;
        }

        /**
         * Whether the requests of the other connections leave no room for what a WebSocket holds of
         * its client's messages. Modest ones may use the part of little requests: a WebSocket that
         * is closed has lost more than a request that is refused.
         */
        boolean isWithoutRoomForMessages() {
            return requests <= COUNTED_LITTLE_BYTES
                    ? isCrowdedOut() && littleRequestBytes - little > halfBytes
                    : isWithoutRoom();
        }

        /** Whether there is more room than is needed, by far. */
        boolean hasRoomToSpare() {
            return othersBytes() <= halfBytes - 2 * smallPartBytes;
        }

        private long othersBytes() {
            return requestBytes - requests;
        }

        long responseBytes() {
            return responses;
        }

        boolean hasMuchRoomForResponses() {
            return BufferBudget.this.hasMuchRoomForResponses();
        }
    }

    private static long ifLittle(long bytes) {
        return bytes <= COUNTED_LITTLE_BYTES ? bytes : 0;
    }

    private static long ifSmall(long bytes) {
        return bytes <= COUNTED_REQUEST_BYTES ? bytes : 0;
    }
}
