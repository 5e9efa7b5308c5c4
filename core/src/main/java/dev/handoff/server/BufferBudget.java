package dev.handoff.server;

/**
 * How much memory clients may make one loop hold: one half for their requests, from the first byte
 * until the answer leaves, and one for answers that they have not taken yet. So neither those who
 * send much nor those who read slowly can take what the others need.
 *
 * <p>Belongs to the loop's thread.
 */
final class BufferBudget {
    private final long halfBytes;
    private long requestBytes;
    private long answerBytes;

    BufferBudget(long limitBytes) {
        this.halfBytes = Math.max(1, limitBytes / 2);
    }

    boolean areRequestsFull() {
        return requestBytes > halfBytes;
    }

    boolean areAnswersFull() {
        return answerBytes > halfBytes;
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

        long answerBytes() {
            return answers;
        }

        /** Whether no other connection holds an answer. */
        boolean hasAllAnswers() {
            return answers == answerBytes;
        }
    }
}
