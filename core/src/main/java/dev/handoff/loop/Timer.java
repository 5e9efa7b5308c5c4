package dev.handoff.loop;

/** One action at one time, on one loop. Belongs to the loop's thread. */
public final class Timer {
    static final int NOT_SCHEDULED = -1;

    /** Holds the timers of a loop. */
    interface Heap {
        /** Removes a timer that waits. */
        void remove(Timer timer);
    }

    private final Heap heap;
    final Runnable action;
    final long deadlineNanos;

    /** Its place in the heap. */
    int index = NOT_SCHEDULED;

    Timer(Heap heap, long deadlineNanos, Runnable action) {
        this.heap = heap;
        this.deadlineNanos = deadlineNanos;
        this.action = action;
    }

    /** Does nothing when the action has run, or was cancelled before. */
    public void cancel() {
        if (index != NOT_SCHEDULED) {
            heap.remove(this);
        }
    }
}
