package dev.handoff.server.files;

import java.util.LinkedHashSet;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * The room for responses between the threads that read them and the loops that send them. Threads
 * may read faster than a loop sends, and nobody counts what they read before the loop has taken it.
 * So a call begins only when there is room for its response; else it waits here, with nothing read
 * and no file open. Clients have one such call at a time, so no more wait than are connected.
 *
 * <p>Each call that has begun has to {@linkplain #leave leave}. Any thread.
 */
final class HandoverRoom {
    private final int most;

    /** In the order in which they came. Guarded by this, as the next. */
    private final SequencedSet<DiskCall> waiting = new LinkedHashSet<>();

    private int taken;

    /**
     * @param most calls, each of up to {@link DiskCall#MOST_BYTES}
     */
    HandoverRoom(int most) {
        this.most = most;
    }

    /** Whether the call may begin now. If not it waits, unless nobody wants its response. */
    synchronized boolean enter(DiskCall call) {
        if (taken < most) {
            taken++;
            return true;
        }
        if (!call.isAbandoned()) {
            waiting.add(call);
        }
        return false;
    }

    /**
     * The loop of a call has taken what it gave. Returns the call that begins in its place; null if
     * none waits.
     */
    synchronized @Nullable DiskCall leave() {
        if (waiting.isEmpty()) {
            taken--;
            return null;
        }
        return waiting.removeFirst();
    }

    /** Nobody wants the response of the call any more, which says so itself from now on. */
    synchronized void forget(DiskCall call) {
        waiting.remove(call);
    }

    /** How many calls have begun and not left. */
    synchronized int taken() {
        return taken;
    }

    /** How many calls wait. */
    synchronized int waiting() {
        return waiting.size();
    }
}
