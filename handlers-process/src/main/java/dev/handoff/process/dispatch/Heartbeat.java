package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.MovingDeadline;
import java.util.concurrent.TimeUnit;

/**
 * Asks a worker that sends nothing whether it is still there, unless it {@link Owner#mayBeSilent
 * may be silent}. Belongs to the pool's loop.
 */
final class Heartbeat {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long PONG_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The connection whose worker is asked. */
    interface Owner {
        /** Whether silence means nothing, at this moment. */
        boolean mayBeSilent();

        void ping();

        /** The worker did not answer a ping. */
        void closeAsStuck(String why);
    }

    private final EventLoop loop;
    private final Owner owner;
    private final MovingDeadline deadline;
    private boolean asked;

    Heartbeat(EventLoop loop, Owner owner) {
        this.loop = loop;
        this.owner = owner;
        this.deadline = new MovingDeadline(loop, this::passed);
        heard();
    }

    /** Any byte is a sign of life. */
    void heard() {
        asked = false;
        deadline.set(loop.nanoTime() + INTERVAL_NANOS);
    }

    void stop() {
        deadline.cancel();
    }

    private void passed() {
        if (owner.mayBeSilent()) {
            heard();
        } else if (asked) {
            owner.closeAsStuck(
                    "it did not answer a ping within "
                            + TimeUnit.NANOSECONDS.toSeconds(PONG_TIMEOUT_NANOS)
                            + " s");
        } else {
            asked = true;
            owner.ping();
            deadline.set(loop.nanoTime() + PONG_TIMEOUT_NANOS);
        }
    }
}
