package dev.handoff.server;

/**
 * The memory that one connection holds, as its share of the loop's {@link BufferBudget}, and what
 * it may read in view of that. Belongs to the loop's thread.
 */
final class ConnectionBuffers {
    /** A client that leaves so much unread gets no further request handled. */
    private static final int UNSENT_BYTES = 256 * 1024;

    private final RequestInput input;
    private final Answers answers;
    private final ReadDeadline reading;
    private final BufferBudget.Share share;
    private boolean released;

    ConnectionBuffers(
            RequestInput input, Answers answers, ReadDeadline reading, BufferBudget.Share share) {
        this.input = input;
        this.answers = answers;
        this.reading = reading;
        this.share = share;
    }

    /** Brings the share up to date. */
    void settle() {
        if (!released) {
            share.settle(input.bufferedBytes() + answers.requestBytes(), answers.heldBytes());
        }
    }

    /** The connection is closed: nothing of it counts any more. */
    void release() {
        released = true;
        share.settle(0, 0);
    }

    /** Whether another request may be begun; while others need the room, none ahead of its turn. */
    boolean allowAnother() {
        boolean mayReadAhead = answers.isEmpty() || !share.isCrowdedOut();
        return mayReadAhead && answers.heldBytes() <= UNSENT_BYTES;
    }

    /** Whether what still comes had better stay in the kernel. */
    boolean holdEnough() {
        return input.isFull() || (input.hasBacklog() && share.isCrowdedOut());
    }

    /**
     * Whether the request that is being read has to go, for the requests of others need the room.
     */
    boolean holdTooMuch() {
        return share.isWithoutRoom() && input.isLarge();
    }

    boolean haveRoomToSpare() {
        return share.hasRoomToSpare();
    }

    /** What they hold of the request that is being read. */
    long readBytes() {
        return input.bufferedBytes();
    }

    /** How long its client takes for each 64 KiB of it; 0 if none is being read. */
    long readNanos() {
        return reading.slownessNanos();
    }

    /** What they held of answers when the share was settled. */
    long answerBytes() {
        return share.answerBytes();
    }

    boolean holdOneAnswer() {
        return answers.areAllWritten();
    }

    /** For how long the client has not taken what they hold. */
    long stuckNanos() {
        return answers.stuckNanos();
    }
}
