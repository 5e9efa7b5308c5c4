package dev.handoff.process;

import dev.handoff.loop.Timer;
import dev.handoff.process.protocol.EncodedRequest;
import dev.handoff.server.Exchange;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through a pool. Belongs to the thread of the pool's loop; the exchange it
 * answers belongs to the client's.
 */
final class PoolRequest {
    enum State {
        /** Known to nobody but its maker. */
        NEW,
        QUEUED,
        IN_FLIGHT,
        /** In flight, but the answer will be dropped. */
        CANCELLED,
        DONE
    }

    final Exchange exchange;
    final EncodedRequest frame;

    /** When the whole request was here, in the time of its client's loop. */
    final long arrivedNanos;

    /** When the client's patience ends, in the time of every loop. */
    final long deadlineNanos;

    State state = State.NEW;

    /** While queued: its lane, its neighbours there, and since when. */
    RequestQueue.@Nullable Lane lane;

    @Nullable PoolRequest older;
    @Nullable PoolRequest newer;
    long queuedNanos;

    /** Whether it may be handed over once more if the worker that has it is lost. */
    boolean replayable;

    /** How often a worker gave it back. */
    int retries;

    /** Who gave it back last. */
    @Nullable WorkerConnection gaveBack;

    /** While in flight: who has it, under which id, and since when. */
    @Nullable WorkerConnection worker;

    long id;
    long dispatchedNanos;

    /**
     * While in flight: the {@code sentBytes} of the worker's socket that include its whole frame.
     */
    long frameEnd;

    /** While cancelled: the grace. */
    @Nullable Timer timer;

    PoolRequest(Exchange exchange, EncodedRequest frame, long arrivedNanos, long deadlineNanos) {
        this.exchange = exchange;
        this.frame = frame;
        this.arrivedNanos = arrivedNanos;
        this.deadlineNanos = deadlineNanos;
    }

    void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
