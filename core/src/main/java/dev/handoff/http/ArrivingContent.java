package dev.handoff.http;

import java.nio.ByteBuffer;

/**
 * The content of a request that is handed over as it comes, as its handler reads it. One thread at
 * a time reads it; that need not be the one of the connection.
 *
 * <p>Whether the rest still comes is the exchange's to say: it is abandoned if not.
 */
public interface ArrivingContent {
    /**
     * Whether there is something to {@link #poll}, or the end has come. If neither, what was given
     * to {@link #whenReady} is called once, as soon as that has changed.
     */
    boolean isReady();

    /**
     * Lets a client begin to send that waits for 100 (Continue), as {@link #isReady} does: for
     * whoever has to know whether it sends before somebody reads. Any thread.
     */
    void letBegin();

    /** Takes what has come next, at most so many bytes; empty where nothing waits. */
    ByteBuffer poll(int mostBytes);

    /** Whether all of it has come. Any thread. */
    boolean isComplete();

    /** Whether all of it has come, and was taken. */
    boolean isOver();

    /** The bytes that have come so far. */
    int cameBytes();

    /**
     * @param action is called on the loop of the connection
     */
    void whenReady(Runnable action);

    /**
     * Calls once all of it has come: at once if it has, else on the loop of the connection. Any
     * thread.
     */
    void whenComplete(Runnable action);

    /**
     * Begins from the first byte again, for another reader; returns false, and does not, where that
     * is gone: it is kept while no more than 64 KiB were taken.
     */
    boolean rewind();

    /** Nobody will {@link #rewind} it: what was taken is not kept any more. */
    void forgetTaken();

    /**
     * How long the client takes for each 64 KiB; 0 while it may send no more, and when all has
     * come. Any thread.
     */
    long slownessNanos();

    /**
     * Gives it up for others, since it comes too slowly: its client gets {@link
     * Refusal#BODY_TOO_SLOW}, unless the rest has come by then. Any thread.
     */
    void giveWay();
}
