package dev.handoff.loop;

import org.jspecify.annotations.Nullable;

/**
 * One deadline that moves often, as an idle timeout does with every request.
 *
 * <p>Moving it later costs two field writes: the timer that is already set looks again when it goes
 * off. Only moving it earlier touches the heap. Belongs to the loop's thread.
 */
public final class MovingDeadline {
    private final EventLoop loop;
    private final Runnable action;
    private @Nullable Timer timer;
    private long deadlineNanos;
    private boolean set;

    /**
     * @param action runs once when the deadline passes; the deadline is unset then
     */
    public MovingDeadline(EventLoop loop, Runnable action) {
        this.loop = loop;
        this.action = action;
    }

    /** Moves the deadline to a point of the loop's {@link EventLoop#nanoTime()}. */
    public void set(long newDeadlineNanos) {
        deadlineNanos = newDeadlineNanos;
        set = true;
        if (timer != null && newDeadlineNanos - timer.deadlineNanos < 0) {
            timer.cancel();
            timer = null;
        }
        if (timer == null) {
            timer = loop.scheduleAt(newDeadlineNanos, this::timerDue);
        }
    }

    /** Unsets the deadline but leaves the timer, which the next {@link #set} may use. */
    public void clear() {
        set = false;
    }

    /** Unsets the deadline for good, and lets go of the timer. */
    public void cancel() {
        set = false;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void timerDue() {
        timer = null;
        if (!set) {
            return;
        }
        if (deadlineNanos - loop.nanoTime() > 0) {
            timer = loop.scheduleAt(deadlineNanos, this::timerDue);
            return;
        }
        set = false;
        action.run();
    }
}
