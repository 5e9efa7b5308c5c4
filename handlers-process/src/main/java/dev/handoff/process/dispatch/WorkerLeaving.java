package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.protocol.ProtocolFault;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a worker leaves, and why.
 *
 * <pre>
 *     READY --drain, from either side--> DRAINING --nothing in flight--> LEAVING
 *                                                                           |
 *     READY, DRAINING --protocol fault--> LEAVING                           |
 *                                                                           |
 *     any --it closes, is lost or stuck--> CLOSED <--it closes, or grace----'
 * </pre>
 *
 * <p>A drain ends WebSockets, responses in pieces and content that is to come too, since they could
 * go on for ever. WebSockets are closed from the start, since nothing would be gained by waiting;
 * the others are cut off after a limit. All are spread over some seconds, so that their clients do
 * not all return together. Belongs to the thread of the pool's loop.
 */
final class WorkerLeaving {
    static final Duration SPREAD = Duration.ofSeconds(5);

    /**
     * The same where requests wait until the worker has left, and how long responses and content in
     * pieces go on there.
     */
    static final Duration HURRY = Duration.ofSeconds(1);

    private static final int MOST_BATCHES = 100;

    /** The worker's connection. */
    interface Owner {
        /** The client gets no more of this response. */
        void cutOff(WorkerRequest begun);

        /** Closes the connection. */
        void close(LeaveReason reason);
    }

    private enum State {
        READY,
        DRAINING,
        /** It was told all there is to tell, and is not listened to any more. */
        LEAVING,
        CLOSED
    }

    private final EventLoop loop;
    private final HeldRequests held;
    private final Owner owner;
    private State state = State.READY;
    private Duration spread = SPREAD;
    private LeaveReason reason = LeaveReason.CLOSED;
    private String why = Departure.NOTHING_WRONG;

    private final Cutting lasting;
    private final Cutting webSockets;

    /** While the worker leaves: closes the connection if the worker does not. */
    private @Nullable Timer grace;

    /**
     * @param held the requests of the worker
     */
    WorkerLeaving(EventLoop loop, HeldRequests held, Owner owner) {
        this.loop = loop;
        this.held = held;
        this.owner = owner;
        this.lasting = new Cutting(held::lasting);
        this.webSockets = new Cutting(held::webSockets);
    }

    /** Whether the worker may get requests. */
    boolean isReady() {
        return state == State.READY;
    }

    /** Whether messages of the worker still count. */
    boolean isHeard() {
        return state == State.READY || state == State.DRAINING;
    }

    /** Whether it is on its way out, and not closed yet. */
    boolean hasBegun() {
        return state == State.DRAINING || state == State.LEAVING;
    }

    /**
     * Gives the worker no new request. Its responses in pieces, and content that is to come, may go
     * on for {@code streamLimit}.
     *
     * @param isAwaited whether requests wait until it has left
     */
    void beginDrain(Duration streamLimit, boolean isAwaited) {
        state = State.DRAINING;
        spread = isAwaited ? HURRY : SPREAD;
        boolean hurries = isAwaited && streamLimit.compareTo(HURRY) > 0;
        lasting.begin((hurries ? HURRY : streamLimit).toNanos());
        webSockets.begin(0);
    }

    /**
     * Cuts off one request after the other, all that there are at first within {@link #spread}.
     * Thousands go in batches, so that the work is linear; what begins meanwhile comes after them.
     */
    private final class Cutting {
        private final Supplier<List<WorkerRequest>> found;
        private final ArrayDeque<WorkerRequest> left = new ArrayDeque<>();
        private int batch;
        private long intervalNanos;
        private @Nullable Timer next;

        /**
         * @param found those that are there
         */
        Cutting(Supplier<List<WorkerRequest>> found) {
            this.found = found;
        }

        void begin(long afterNanos) {
            if (next == null) {
                next = loop.scheduleAfter(afterNanos, this::cut);
            }
        }

        private void cut() {
            if (left.isEmpty()) {
                look();
            }
            int cut = 0;
            while (cut < batch && cutNext()) {
                cut++;
            }
            next = loop.scheduleAfter(intervalNanos, this::cut);
        }

        private void look() {
            left.addAll(found.get());
            int batches = Math.clamp(left.size(), 1, MOST_BATCHES);
            batch = Math.ceilDiv(left.size(), batches);
            intervalNanos = spread.toNanos() / batches;
        }

        /** Returns false if none is left. */
        private boolean cutNext() {
            WorkerRequest request = left.poll();
            while (request != null && request.state != WorkerRequest.State.IN_FLIGHT) {
                request = left.poll();
            }
            if (request != null) {
                owner.cutOff(request);
            }
            return request != null;
        }

        void cancel() {
            if (next != null) {
                next.cancel();
            }
        }
    }

    /**
     * Ends a drain when the worker holds nothing any more. The worker closes then, as it sees the
     * end of our output; one that does not is closed after the grace.
     *
     * @return whether it ends now
     */
    boolean endDrain(Duration toClose) {
        if (state != State.DRAINING || !held.isEmpty()) {
            return false;
        }
        state = State.LEAVING;
        because(LeaveReason.DRAINED);
        grace = loop.scheduleAfter(toClose.toNanos(), () -> owner.close(LeaveReason.DRAINED));
        return true;
    }

    /** It broke the protocol. */
    void refuse(Decoded.Refused fault) {
        state = State.LEAVING;
        because(
                fault.fault() == ProtocolFault.FRAME_TIMEOUT
                        ? LeaveReason.FRAME_TIMEOUT
                        : LeaveReason.PROTOCOL_FAULT,
                "it broke the protocol (" + fault.fault().wireName() + "): " + fault.detail());
    }

    /** The worker sends no more. */
    void inputEnded() {
        if (state == State.DRAINING && held.isEmpty()) {
            because(LeaveReason.DRAINED);
        }
    }

    /** Notes why the worker leaves. */
    void because(LeaveReason newReason) {
        reason = newReason;
    }

    /**
     * @param found what is wrong with it, in words
     */
    void because(LeaveReason newReason, String found) {
        reason = newReason;
        why = found;
    }

    /** The connection is closed. */
    Departure end() {
        state = State.CLOSED;
        lasting.cancel();
        webSockets.cancel();
        if (grace != null) {
            grace.cancel();
        }
        return new Departure(reason, why);
    }
}
