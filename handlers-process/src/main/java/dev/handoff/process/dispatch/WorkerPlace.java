package dev.handoff.process.dispatch;

import java.nio.channels.SocketChannel;
import java.time.Instant;

/**
 * A worker's place in its pool. It has the worker's name and its counts. It knows what is behind
 * the connection: a process that the core started, or a worker that was started elsewhere. It may
 * see many connections, one after the other, and each tells it what happens. Belongs to the thread
 * of the pool's loop.
 */
public interface WorkerPlace {
    /** The name of the worker in logs and metrics. */
    String id();

    /** The process that the core started; 0 if it knows none. */
    long pid();

    /** Counts what the worker does; it may have counted for earlier connections. */
    WorkerTally tally();

    /** Whether somebody may have halted the worker in a debugger, so that silence is no fault. */
    boolean isAttended();

    /**
     * Whether its next process starts when this one has ended, so that requests may have to wait
     * for that.
     */
    default boolean isRenewed() {
        return false;
    }

    /**
     * Whether its process has not ended, as far as the core knows: then somebody else may listen at
     * its port.
     */
    default boolean isThere() {
        return true;
    }

    /**
     * Whether a connection that was just made leads to its process, as far as the system knows at
     * this moment.
     */
    default boolean isReachedBy(SocketChannel connected) {
        return true;
    }

    /** The worker said hello and was welcomed. */
    void joined(Connection worker);

    /** The worker takes requests. It may have taken some before. */
    void opened();

    /** The worker has answered one more request. */
    void answered();

    /** The connection is closed. */
    void left(Departure departure);

    /** The worker as it is at this moment. */
    PoolSnapshot.Worker snapshot();

    /** The connection, as the worker's place uses it. */
    interface Connection extends Worker {
        /** Whether it gets no more requests. */
        boolean isDraining();

        /** {@code ready} or {@code draining}, as operators read it. */
        String stateName();

        /** The age of the oldest request that it holds; 0 if it holds none. */
        long oldestNanos();

        /** The memory that the worker says its process holds; 0 if it did not say. */
        long toldMemoryBytes();

        Instant joinedAt();

        /** Gives it no new request, and closes it when it has answered those it holds. */
        void drain();

        /** Closes it at once; what it holds is lost. */
        void close(LeaveReason reason);

        /** Closes it at once, since it left undone what it had to do. */
        void closeAsStuck(String why);
    }
}
