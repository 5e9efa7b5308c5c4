package dev.handoff.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The room for the responses of a whole server, all its loops together: for those that come, those
 * on their way from one loop to another, and those that clients have not taken.
 *
 * <p>A reader of large responses {@linkplain #claim claims} room for a whole one before it reads
 * it, and reads on only when that is granted. So what is let in can always be finished, and no two
 * halves wait for each other. What is held may pass the limit by one claim: the limit is not meant
 * to be smaller than one response.
 *
 * <p>An eighth is for modest responses alone, so that those of a few megabytes, which slow clients
 * hold for long, leave room for pages. Modest claims are granted first; claims of one size are
 * granted in the order in which they were made. A sixteenth is for heads that come: nobody has to
 * ask for anything to send these, so they must not stand in the way of what was asked for.
 *
 * <p>Responses of up to {@link #SMALL_BYTES} need no claim and cost nothing here. Any thread.
 */
public final class ResponseRoom {
    /** Smaller ones never wait, and are counted with their clients only. */
    public static final int SMALL_BYTES = 16 * 1024;

    /** No larger one is modest, and the part for those has room for eight of them. */
    private static final int MOST_MODEST_BYTES = 256 * 1024;

    private static final int MODEST_SHARE = 8;
    private static final int HEAD_SHARE = 16;

    private final long limitBytes;
    private final long modestPartBytes;
    private final long headPartBytes;
    private final long commonPartBytes;
    private final int modestBytes;
    private final Part large = new Part();
    private final Part modest = new Part();
    private final Part heads = new Part();
    private final List<Runnable> holders = new CopyOnWriteArrayList<>();

    /** Guarded by this, as the next. */
    private long grants;

    private long givenUp;

    /** Whether any claim waits; and, below, whether a claim of a response does, not of a head. */
    private volatile boolean wanted;

    private volatile boolean wantedForResponses;

    /** Responses of one size, large or modest; or heads. */
    private static final class Part {
        /** With clients, as their loops have told, and between loops. */
        private final AtomicLong heldBytes = new AtomicLong();

        /** Guarded by the room, as the next two. */
        private final ArrayDeque<Claim> waiting = new ArrayDeque<>();

        private long grantedBytes;
        private int granted;

        private long bytes() {
            return heldBytes.get() + grantedBytes;
        }
    }

    /**
     * @param limitBytes of all responses together
     */
    public ResponseRoom(long limitBytes) {
        this.limitBytes = Math.max(1, limitBytes);
        this.modestPartBytes = this.limitBytes / MODEST_SHARE;
        this.headPartBytes = this.limitBytes / HEAD_SHARE;
        this.commonPartBytes = this.limitBytes - modestPartBytes - headPartBytes;
        this.modestBytes = (int) Math.min(MOST_MODEST_BYTES, modestPartBytes / MODEST_SHARE);
    }

    public long limitBytes() {
        return limitBytes;
    }

    /** What responses of every size may take. */
    long commonPartBytes() {
        return commonPartBytes;
    }

    /** A response of so many bytes or fewer is modest. */
    int modestBytes() {
        return modestBytes;
    }

    /** Room for one response that comes, from when it is granted until it {@link #end ends}. */
    public final class Claim {
        private final long bytes;
        private final Part part;
        private final Runnable whenGranted;
        private boolean isGranted;
        private boolean isOver;

        private Claim(Part part, long bytes, Runnable whenGranted) {
            this.bytes = bytes;
            this.part = part;
            this.whenGranted = whenGranted;
        }

        public boolean isGranted() {
            synchronized (ResponseRoom.this) {
                return isGranted;
            }
        }

        /** The response has come, or is not wanted any more. To be called once. */
        public void end() {
            synchronized (ResponseRoom.this) {
                if (isOver) {
                    throw new IllegalStateException("a claim that ends twice");
                }
                isOver = true;
                if (isGranted) {
                    part.granted--;
                    part.grantedBytes -= bytes;
                } else {
                    part.waiting.remove(this);
                }
            }
            grantNext();
        }

        /** Like {@link #end}, for a claim that has waited too long: its response is dropped. */
        public void giveUp() {
            synchronized (ResponseRoom.this) {
                givenUp++;
            }
            end();
        }
    }

    /**
     * Asks for room.
     *
     * @param whenGranted runs unless the claim is granted when this returns, on whatever thread
     *     makes room: it must only hand over
     */
    public Claim claim(long bytes, Runnable whenGranted) {
        return claim(partOf(bytes), bytes, whenGranted);
    }

    /** The same for what comes before the content of a response. */
    public Claim claimForHead(long bytes, Runnable whenGranted) {
        return claim(heads, bytes, whenGranted);
    }

    private Claim claim(Part part, long bytes, Runnable whenGranted) {
        Claim claim = new Claim(part, bytes, whenGranted);
        synchronized (this) {
            if (part.waiting.isEmpty() && hasRoomFor(claim)) {
                grant(claim);
                return claim;
            }
            part.waiting.add(claim);
            updateWanted();
        }
        // What was let go of meanwhile did not see that somebody waits.
        grantNext();
        holders.forEach(Runnable::run);
        return claim;
    }

    /** Whether claims of responses wait, so that it matters how fast those with room are. */
    public boolean isWanted() {
        return wantedForResponses;
    }

    /** What is held, and what was granted to those that come. */
    public synchronized long bytes() {
        return large.bytes() + modest.bytes() + heads.bytes();
    }

    /** How many claims wait. */
    public synchronized int waiting() {
        return large.waiting.size() + modest.waiting.size() + heads.waiting.size();
    }

    /** How many claims of responses were ever granted. While this stands still, nobody gets on. */
    public synchronized long grants() {
        return grants;
    }

    /** How many responses were ever dropped because they had waited too long. */
    public synchronized long givenUp() {
        return givenUp;
    }

    /**
     * How much clients have to take, or lose, before the next claim can be granted; 0 if none waits
     * or it waits for another claim.
     */
    synchronized long missingBytes() {
        Claim next = modest.waiting.peek();
        if (next != null && modest.granted == 0) {
            long ofModest = modest.bytes() + next.bytes - modestPartBytes;
            return Math.max(0, Math.min(ofModest, commonBytes(next.bytes) - commonPartBytes));
        }
        boolean largeWaits = large.granted == 0 && !large.waiting.isEmpty();
        return largeWaits ? Math.max(0, commonBytes(0) - commonPartBytes) : 0;
    }

    /** So much more is held: one response of {@code bytes}. */
    void hold(long bytes) {
        partOf(bytes).heldBytes.addAndGet(bytes);
    }

    /** The reverse of {@link #hold}. */
    void release(long bytes) {
        partOf(bytes).heldBytes.addAndGet(-bytes);
        grantNext();
    }

    /** So much more is held, or less, of large responses and of modest ones. */
    void add(long largeChange, long modestChange) {
        large.heldBytes.addAndGet(largeChange);
        modest.heldBytes.addAndGet(modestChange);
        if (largeChange < 0 || modestChange < 0) {
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
            grantWaiting(modest, lucky);
            grantWaiting(large, lucky);
            grantWaiting(heads, lucky);
            updateWanted();
        }
        lucky.forEach(claim -> claim.whenGranted.run());
    }

    private void updateWanted() {
        wantedForResponses = !modest.waiting.isEmpty() || !large.waiting.isEmpty();
        wanted = wantedForResponses || !heads.waiting.isEmpty();
    }

    private Part partOf(long bytes) {
        return bytes <= modestBytes ? modest : large;
    }

    private void grantWaiting(Part part, List<Claim> lucky) {
        Claim next = part.waiting.peek();
        while (next != null && hasRoomFor(next)) {
            part.waiting.remove();
            grant(next);
            lucky.add(next);
            next = part.waiting.peek();
        }
    }

    private boolean hasRoomFor(Claim claim) {
        if (claim.part == heads) {
            return heads.granted == 0 || heads.bytes() + claim.bytes <= headPartBytes;
        }
        if (claim.part == modest) {
            return modest.bytes() + claim.bytes <= modestPartBytes
                    || commonBytes(claim.bytes) <= commonPartBytes;
        }
        return commonBytes(0) + claim.bytes <= commonPartBytes
                || (large.granted == 0 && commonBytes(0) <= commonPartBytes);
    }

    /**
     * What is taken of the common part: by large responses, and by modest ones that their own part
     * does not hold.
     *
     * @param moreModestBytes of a response that would come to these
     */
    private long commonBytes(long moreModestBytes) {
        return large.bytes() + Math.max(0, modest.bytes() + moreModestBytes - modestPartBytes);
    }

    private void grant(Claim claim) {
        claim.isGranted = true;
        claim.part.granted++;
        claim.part.grantedBytes += claim.bytes;
        if (claim.part != heads) {
            grants++;
        }
    }
}
