package dev.handoff.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The room for answers of a whole server, all its loops together: for those that come, those on
 * their way from one loop to another, and those that clients have not taken.
 *
 * <p>Whoever is about to hold a large answer that has not come yet {@linkplain #claim claims} room
 * for all of it, and reads on only when that is granted; claims are granted in the order in which
 * they were made. So what is let in can always be finished, and no two halves wait for each other.
 * What is held may pass the limit by one claim: it is not meant to be smaller than one answer.
 *
 * <p>Answers of up to {@link #SMALL_BYTES} need no claim and cost nothing here. May be used from
 * any thread.
 */
public final class AnswerRoom {
    /** Smaller ones never wait, and are counted with their clients only. */
    public static final int SMALL_BYTES = 16 * 1024;

    private final long limitBytes;

    /** With clients, as their loops have told, and between loops. */
    private final AtomicLong heldBytes = new AtomicLong();

    private final List<Runnable> holders = new CopyOnWriteArrayList<>();

    /** Guarded by this, as the next three. */
    private final ArrayDeque<Claim> waiting = new ArrayDeque<>();

    private long grantedBytes;
    private int granted;
    private long grants;

    /** Whether any claim waits, for those who need no more than that. */
    private volatile boolean wanted;

    /**
     * @param limitBytes of all answers together
     */
    public AnswerRoom(long limitBytes) {
        this.limitBytes = Math.max(1, limitBytes);
    }

    public long limitBytes() {
        return limitBytes;
    }

    /** Room for one answer that comes, from when it is granted until it {@link #end ends}. */
    public final class Claim {
        private final long bytes;
        private final Runnable whenGranted;
        private boolean isGranted;
        private boolean isOver;

        private Claim(long bytes, Runnable whenGranted) {
            this.bytes = bytes;
            this.whenGranted = whenGranted;
        }

        public boolean isGranted() {
            synchronized (AnswerRoom.this) {
                return isGranted;
            }
        }

        /** The answer has come, or is not wanted any more. To be called once. */
        public void end() {
            synchronized (AnswerRoom.this) {
                if (isOver) {
                    throw new IllegalStateException("a claim that ends twice");
                }
                isOver = true;
                if (isGranted) {
                    granted--;
                    grantedBytes -= bytes;
                } else {
                    waiting.remove(this);
                }
            }
            grantNext();
        }
    }

    /**
     * Asks for room.
     *
     * @param whenGranted runs unless the claim is granted when this returns, on whatever thread
     *     makes room: it must only hand over
     */
    public Claim claim(long bytes, Runnable whenGranted) {
        Claim claim = new Claim(bytes, whenGranted);
        synchronized (this) {
            if (waiting.isEmpty() && hasRoomFor(bytes)) {
                grant(claim);
                return claim;
            }
            waiting.add(claim);
            wanted = true;
        }
        // What was let go of meanwhile did not see that somebody waits.
        grantNext();
        holders.forEach(Runnable::run);
        return claim;
    }

    /** Whether claims wait, so that it matters how fast those with room are. */
    public boolean isWanted() {
        return wanted;
    }

    /** What is held, and what was granted to those that come. */
    public synchronized long bytes() {
        return heldBytes.get() + grantedBytes;
    }

    /** How many claims wait. */
    public synchronized int waiting() {
        return waiting.size();
    }

    /** How many claims were ever granted: while this stands still, nobody gets on. */
    synchronized long grants() {
        return grants;
    }

    /**
     * How much clients have to take, or lose, before the next claim can be granted; 0 if none waits
     * or it waits for another claim.
     */
    synchronized long missingBytes() {
        return waiting.isEmpty() || granted > 0 ? 0 : Math.max(0, heldBytes.get() - limitBytes);
    }

    /** So much more is held, or less. */
    void add(long bytes) {
        heldBytes.addAndGet(bytes);
        if (bytes < 0 && wanted) {
            grantNext();
        }
    }

    /** {@code action} runs, on any thread, whenever claims begin to wait. */
    void onWanted(Runnable action) {
        holders.add(action);
    }

    private void grantNext() {
        if (!wanted) {
            return;
        }
        List<Claim> lucky = new ArrayList<>();
        synchronized (this) {
            Claim next = waiting.peek();
            while (next != null && hasRoomFor(next.bytes)) {
                waiting.remove();
                grant(next);
                lucky.add(next);
                next = waiting.peek();
            }
            wanted = next != null;
        }
        lucky.forEach(claim -> claim.whenGranted.run());
    }

    private boolean hasRoomFor(long bytes) {
        long held = heldBytes.get();
        boolean fits = held + grantedBytes + bytes <= limitBytes;
        return fits || (granted == 0 && held <= limitBytes);
    }

    private void grant(Claim claim) {
        claim.isGranted = true;
        granted++;
        grants++;
        grantedBytes += claim.bytes;
    }
}
