package dev.handoff.server;

/**
 * How much memory clients may make one loop hold: one half for their requests, from the first byte
 * until the answer leaves, and one for answers that they have not taken yet. So neither those who
 * send much nor those who read slowly can take what the others need.
 *
 * <p>Either half may be passed by the largest part: it is not meant to be smaller than one request
 * or one answer. Belongs to the loop's thread.
 */
final class BufferBudget {
    private final long halfBytes;
    private long requestBytes;
    private long answerBytes;

    BufferBudget(long limitBytes) {
        this.halfBytes = Math.max(1, limitBytes / 2);
    }

    /** What both halves hold. */
    long bytes() {
        return requestBytes + answerBytes;
    }

    boolean areAnswersFull() {
        return answerBytes > halfBytes;
    }

    /**
     * Whether answers take too much even without one of them.
     *
     * @param largestBytes the size of the largest single one
     */
    boolean areAnswersFullWithout(long largestBytes) {
        return answerBytes - largestBytes > halfBytes;
    }

    /** One connection's part of it. */
    final class Share {
        private long requests;
        private long answers;

        /** Brings the part up to date. */
        void settle(long requestsNow, long answersNow) {
            requestBytes += requestsNow - requests;
            answerBytes += answersNow - answers;
            requests = requestsNow;
            answers = answersNow;
        }

        /** Whether the requests of the other connections fill their half. */
        boolean isCrowdedOut() {
            return requestBytes - requests > halfBytes;
        }

        long answerBytes() {
            return answers;
        }
    }
}
