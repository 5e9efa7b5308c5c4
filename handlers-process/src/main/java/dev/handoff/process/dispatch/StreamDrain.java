package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ends the responses in pieces of a worker that is to leave, since they could go on for ever: after
 * a limit they are cut off, spread over some seconds, so that their clients do not all return at
 * once. Belongs to the thread of the pool's loop.
 */
final class StreamDrain {
    static final Duration SPREAD = Duration.ofSeconds(5);

    /** The worker that is to leave. */
    interface Owner {
        /** Its responses in pieces that clients listen to. */
        List<WorkerRequest> streamed();

        /** The worker leaves: the client gets no more of it. */
        void cutOff(WorkerRequest streamed);
    }

    private final EventLoop loop;
    private final Owner owner;
    private @Nullable Timer timer;

    StreamDrain(EventLoop loop, Owner owner) {
        this.loop = loop;
        this.owner = owner;
    }

    /** The worker is to leave; its responses in pieces may go on for so long. */
    void begin(Duration limit) {
        if (timer == null) {
            timer = loop.scheduleAfter(limit.toNanos(), this::cutOff);
        }
    }

    /** The worker has left. */
    void stop() {
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Cuts off the first of those that are left, and comes again when the next is due. */
    private void cutOff() {
        List<WorkerRequest> left = owner.streamed();
        if (!left.isEmpty()) {
            owner.cutOff(left.getFirst());
        }
        timer = loop.scheduleAfter(SPREAD.toNanos() / Math.max(1, left.size()), this::cutOff);
    }
}
