package dev.handoff.server;

import org.jspecify.annotations.Nullable;

/**
 * Counts the memory that one connection holds, as its share of the loop's {@link BufferBudget}.
 * Decides what the connection may still read. Belongs to the loop's thread.
 */
final class ConnectionBuffers {
    /**
     * A client that leaves so much unread gets no further request handled; nor one that leaves
     * anything, while responses take half of what they may.
     */
    private static final int UNSENT_BYTES = 256 * 1024;

    private final RequestInput input;
    private final Pipeline pipeline;
    private final ReadDeadline reading;
    private final BufferBudget.Share share;
    private @Nullable HeldInput held;
    private boolean released;

    ConnectionBuffers(
            RequestInput input, Pipeline pipeline, ReadDeadline reading, BufferBudget.Share share) {
        this.input = input;
        this.pipeline = pipeline;
        this.reading = reading;
        this.share = share;
    }

    /** No request is read any more: the connection has become a WebSocket, which holds this. */
    void holdInstead(HeldInput other) {
        held = other;
        share.becomeWebSocket();
    }

    /** Whether what they hold for the client are messages of a WebSocket. */
    boolean areOfWebSocket() {
        return share.isWebSocket();
    }

    /** Whether they hold anything of what the client of a WebSocket has sent. */
    boolean holdMessages() {
        return held != null && held.heldBytes() > 0;
    }

    /** Whether they hold much of that. */
    boolean holdLargeMessages() {
        return held != null && held.isLarge();
    }

    /** Brings the share up to date. */
    void recount() {
        if (!released) {
            share.update(
                    readBytes() + pipeline.requestBytes(),
                    held == null && input.isLarge(),
                    pipeline.heldBytes(),
                    pipeline.waitingBytes());
        }
    }

    /** The connection is closed: nothing of it counts any more. */
    void release() {
        released = true;
        share.update(0, false, 0, 0);
    }

    /**
     * Whether another request may be begun. While others need the room, none is begun ahead of its
     * turn.
     */
    boolean allowAnother() {
        boolean mayReadAhead = pipeline.isEmpty() || !share.isCrowdedOut();
        int mostUnsent = share.hasMuchRoomForResponses() ? UNSENT_BYTES : 0;
        return mayReadAhead && pipeline.heldBytes() <= mostUnsent;
    }

    /** Whether what still comes had better stay in the kernel. */
    boolean holdEnough() {
        return input.isFull()
                || input.isAheadOfStore()
                || (input.hasUnread() && share.isCrowdedOut());
    }

    /**
     * Whether the request that is being read, or what came behind one in hand, has to go because
     * the requests of others need its room. It need not while its file has yet to take what has
     * come.
     */
    boolean holdTooMuch() {
        if (held != null) {
            return share.isWithoutRoomForMessages() && held.isLarge();
        }
        if (input.hasUnread()) {
            return share.isWithoutRoomFor(readBytes() + pipeline.requestBytes());
        }
        boolean waitsForFile = input.isAheadOfStore() && !input.isHandedOver();
        return share.isWithoutRoom() && input.isLarge() && !waitsForFile;
    }

    /**
     * Whether a request has to go that has come whole, because the requests of others need its
     * room.
     *
     * @param bytes that it takes
     */
    boolean lackRoomFor(long bytes) {
        return share.isWithoutRoomFor(bytes);
    }

    boolean haveRoomToSpare() {
        return share.hasRoomToSpare();
    }

    /** The bytes they hold of the request that is being read, or sent ahead. */
    long readBytes() {
        return held == null ? input.bufferedBytes() : held.heldBytes();
    }

    /**
     * How long its client takes for each 64 KiB of it, or how long it waits behind the last request
     * that was begun; 0 if there is none.
     */
    long readNanos() {
        if (held != null) {
            return held.slownessNanos();
        }
        return input.hasUnread() ? pipeline.nanosSinceLast() : reading.slownessNanos();
    }

    /** The bytes of responses that they held at the last recount. */
    long responseBytes() {
        return share.responseBytes();
    }

    boolean holdOneResponse() {
        return pipeline.areAllWritten();
    }

    /** For how long the client has not taken what they hold. */
    long stuckNanos() {
        return pipeline.stuckNanos();
    }
}
