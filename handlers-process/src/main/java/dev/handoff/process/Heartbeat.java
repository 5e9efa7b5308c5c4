package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.MovingDeadline;
import java.util.concurrent.TimeUnit;

/**
 * Asks an idle worker whether it is still there. A busy one is judged by the deadlines of its
 * requests alone, so a handler may compute as long as those allow; and one without a window may be
 * importing, and not reading; one that is not read cannot answer, and one that somebody attends may
 * be halted. Belongs to the pool's loop.
 */
final class Heartbeat {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long PONG_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final EventLoop loop;
    private final WorkerConnection worker;
    private final MovingDeadline deadline;
    private boolean asked;

    Heartbeat(EventLoop loop, WorkerConnection worker) {
        this.loop = loop;
        this.worker = worker;
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
        boolean excused = worker.isHeldBack() || worker.isAttended();
        if (worker.inFlight() > 0 || worker.window() == 0 || excused) {
            heard();
        } else if (asked) {
            worker.closeAsStuck(
                    "it did not answer a ping within "
                            + TimeUnit.NANOSECONDS.toSeconds(PONG_TIMEOUT_NANOS)
                            + " s");
        } else {
            asked = true;
            worker.ping();
            deadline.set(loop.nanoTime() + PONG_TIMEOUT_NANOS);
        }
    }
}
