package dev.handoff.loop;

/** One action at one time, on one loop. Belongs to the loop's thread. */
public final class Timer {
    static final int NOT_SCHEDULED = -1;

    private final Timers timers;
    final Runnable action;
    final long deadlineNanos;

    /** The place in the heap of {@link Timers}. */
    int index = NOT_SCHEDULED;

    Timer(Timers timers, long deadlineNanos, Runnable action) {
        this.timers = timers;
        this.deadlineNanos = deadlineNanos;
        this.action = action;
    }

    /** Does nothing when the action has run, or was cancelled before. */
    public void cancel() {
        if (index != NOT_SCHEDULED) {
            timers.remove(this);
        }
    }
}
