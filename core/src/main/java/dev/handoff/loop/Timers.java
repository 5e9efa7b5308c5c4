package dev.handoff.loop;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one loop: a binary heap in which each timer knows its place, so that cancelling
 * needs no search.
 *
 * <p>New deadlines are mostly the latest, so adding one rarely moves another. Belongs to the loop's
 * thread.
 */
final class Timers implements Timer.Heap {
    private static final int FIRST_CAPACITY = 64;

    private @Nullable Timer[] heap = new @Nullable Timer[FIRST_CAPACITY];
    private int size;

    Timer add(long deadlineNanos, Runnable action) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        Timer timer = new Timer(this, deadlineNanos, action);
        size++;
        moveUp(timer, size - 1);
        return timer;
    }

    @Override
    public void remove(Timer timer) {
        int hole = timer.index;
        timer.index = Timer.NOT_SCHEDULED;
        size--;
        Timer last = at(size);
        heap[size] = null;
        if (hole != size) {
            moveDown(last, hole);
            if (last.index == hole) {
                moveUp(last, hole);
            }
        }
    }

    /** Removes and returns the earliest timer if it is due; otherwise returns null. */
    @Nullable Timer pollDue(long nowNanos) {
        if (size == 0 || at(0).deadlineNanos - nowNanos > 0) {
            return null;
        }
        Timer due = at(0);
        remove(due);
        return due;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /** Nanoseconds until the earliest timer is due, not negative. There must be one. */
    long nanosUntilNext(long nowNanos) {
        return Math.max(0, at(0).deadlineNanos - nowNanos);
    }

    private void moveUp(Timer timer, int from) {
        int place = from;
        while (place > 0) {
            Timer parent = at((place - 1) / 2);
            if (parent.deadlineNanos - timer.deadlineNanos <= 0) {
                break;
            }
            put(parent, place);
            place = (place - 1) / 2;
        }
        put(timer, place);
    }

    private void moveDown(Timer timer, int from) {
        int place = from;
        while (2 * place + 1 < size) {
            int child = 2 * place + 1;
            if (child + 1 < size && at(child + 1).deadlineNanos - at(child).deadlineNanos < 0) {
                child++;
            }
            if (timer.deadlineNanos - at(child).deadlineNanos <= 0) {
                break;
            }
            put(at(child), place);
            place = child;
        }
        put(timer, place);
    }

    private void put(Timer timer, int place) {
        heap[place] = timer;
        timer.index = place;
    }

    private Timer at(int place) {
        Timer timer = heap[place];
        if (timer == null) {
            throw new IllegalStateException("a hole in the timer heap at " + place);
        }
        return timer;
    }
}
