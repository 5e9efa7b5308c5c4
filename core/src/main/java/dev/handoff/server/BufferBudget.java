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
    private final AnswerTally answerTally;
    private long requestBytes;
    private long answerBytes;

    /**
     * @param room what the answers of this loop share with those of the others
     */
    BufferBudget(long limitBytes, AnswerRoom room) {
        this.halfBytes = Math.max(1, limitBytes / 2);
        this.answerTally = new AnswerTally(room);
    }

    /** What both halves hold. */
    long bytes() {
        return requestBytes + answerBytes;
    }

    /** Has the {@link AnswerRoom} know exactly what the answers of this loop hold. */
    void tellAnswers() {
        answerTally.tellExactly(answerBytes);
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
            answerTally.tell(answerBytes);
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
