package dev.handoff.server;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The room for the responses of a whole server, all its loops together: for those that come, those
 * on their way from one loop to another, and those that clients have not taken.
 *
 * <p>A reader of large responses {@linkplain #claim claims} room for a whole one before it reads
 * it, and reads on only when that is granted. So each response that is let in can be finished, and
 * no two halves wait for each other. The held bytes may pass the limit by one claim, since the
 * limit is not meant to be smaller than one response.
 *
 * <p>A claim counts whole while bytes of its response come. When its sender stops, only the bytes
 * that came count. So nobody is kept out by a length that a sender has only announced:
 *
 * <pre>
 *     WAITING --there is room--> COMING --nothing more to read--> RESTING
 *        ^                         ^                                | more comes
 *        |                         '--------there is room-----------|
 *        '------------------------there is none---------------------'
 * </pre>
 *
 * <p>Room that others wait for goes to the {@link Share} that has least of it: a pool whose workers
 * fill the room does not keep those of another out.
 *
 * <p>An eighth is for modest responses alone, so that those of a few megabytes, which slow clients
 * hold for long, leave room for pages. Modest claims are granted first; claims of one size and one
 * share are granted in the order in which they were made, whether they come or come back. A
 * sixteenth is for heads that come. A sender needs no request for those, so they must not stand in
 * the way of responses that were asked for.
 *
 * <p>Messages of WebSockets have a part of their own, as large as that of modest responses, and at
 * most half of the common part besides. So messages that nobody takes leave half of it to
 * responses, and responses that nobody takes leave that part to messages.
 *
 * <p>Responses of up to {@link #SMALL_BYTES} need no claim and cost nothing here. Any thread.
 */
public final class ResponseRoom {
    /** Responses of up to this size never wait, and are counted with their clients only. */
    public static final int SMALL_BYTES = 16 * 1024;

    /**
     * No larger response is modest. The part for modest ones has room for eight of this size at
     * least.
     */
    private static final int MOST_MODEST_BYTES = 256 * 1024;

    private static final int MODEST_SHARE = 8;
    private static final int HEAD_SHARE = 16;
    private static final int MESSAGE_SHARE = 8;

    private static final Comparator<Claim> BY_NUMBER =
            (one, other) -> Long.compare(one.number, other.number);

    private final long limitBytes;
    private final long modestPartBytes;
    private final long headPartBytes;
    private final long commonPartBytes;
    private final long messagePartBytes;

    /** The most of the common part that messages may take. */
    private final long commonForMessagesBytes;

    private final int modestBytes;
    private final Part large = new Part();
    private final Part modest = new Part();
    private final Part heads = new Part();
    private final Part messages = new Part();
    private final List<Runnable> holders = new CopyOnWriteArrayList<>();

    /** Guarded by this, as the next two. */
    private long claims;

    private long grants;

    private long messageGrants;

    private long givenUp;

    /** Whether any claim waits. The next two say it of responses, and of messages. */
    private volatile boolean wanted;

    private volatile boolean wantedForResponses;

    private volatile boolean wantedForMessages;

    /** A part of the room: for large responses, for modest ones, for heads, or for messages. */
    private static final class Part {
        /**
         * The bytes that clients have not taken, as their loops have told, and those between loops.
         */
        private final AtomicLong heldBytes = new AtomicLong();

        /** Those of one share in the order of their numbers. Guarded by the room, as all below. */
        private final Map<Share, NavigableSet<Claim>> waiting = new HashMap<>();

        private int waitingCount;

        /** How many claims come, and the bytes that they count. */
        private int coming;

        private long comingBytes;

        /** The bytes that have come of claims that rest, or wait again. */
        private long restingBytes;

        private long bytes() {
            return bytesBesidesResting() + restingBytes;
        }

        private long bytesBesidesResting() {
            return heldBytes.get() + comingBytes;
        }

        private void addWaiting(Claim claim) {
            waiting.computeIfAbsent(claim.share, absent -> new TreeSet<>(BY_NUMBER)).add(claim);
            waitingCount++;
        }

        private void removeWaiting(Claim claim) {
            NavigableSet<Claim> ofShare = waiting.get(claim.share);
            if (ofShare == null || !ofShare.remove(claim)) {
                throw new IllegalStateException("a claim that waits, and is not found");
            }
            if (ofShare.isEmpty()) {
                waiting.remove(claim.share);
            }
            waitingCount--;
        }

        /** The claim whose turn it is; null if none waits. */
        private @Nullable Claim first() {
            Claim first = null;
            for (NavigableSet<Claim> ofShare : waiting.values()) {
                Claim candidate = ofShare.first();
                if (first == null || candidate.comesBefore(first)) {
                    first = candidate;
                }
            }
            return first;
        }
    }

    /** The claims of one pool. Any thread. */
    public final class Share {
        /** The bytes that they count, all together. Guarded by the room, as the next. */
        private long bytes;

        /** Those of heads. */
        private long headBytes;

        private Share() {}

        /** The room that it is a share of. */
        public ResponseRoom room() {
            return ResponseRoom.this;
        }

        /** What counts against it where claims for this part wait. Guarded by the room. */
        private long countedFor(Part part) {
            return part == heads ? headBytes : bytes;
        }

        /**
         * Asks for room.
         *
         * @param whenGranted runs unless the claim is granted when this returns, on whatever thread
         *     makes room: it must only hand over
         */
        public Claim claim(long bytes, Runnable whenGranted) {
            return ResponseRoom.this.claim(this, partOf(bytes), bytes, whenGranted);
        }

        /** Asks for room for a message of a WebSocket. */
        public Claim claimForMessage(long bytes, Runnable whenGranted) {
            return ResponseRoom.this.claim(this, messages, bytes, whenGranted);
        }

        /** Asks for room for the head of a response. */
        public Claim claimForHead(long bytes, Runnable whenGranted) {
            return ResponseRoom.this.claim(this, heads, bytes, whenGranted);
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
        this.messagePartBytes = this.limitBytes / MESSAGE_SHARE;
        this.commonForMessagesBytes = commonPartBytes / 2;
        this.modestBytes = (int) Math.min(MOST_MODEST_BYTES, modestPartBytes / MODEST_SHARE);
    }

    public long limitBytes() {
        return limitBytes;
    }

    /** The part that responses of every size may take. */
    long commonPartBytes() {
        return commonPartBytes;
    }

    /** The part that is for messages alone. */
    long messagePartBytes() {
        return messagePartBytes;
    }

    /** A response of so many bytes or fewer is modest. */
    int modestBytes() {
        return modestBytes;
    }

    private enum State {
        WAITING,
        COMING,
        RESTING,
        OVER
    }

    /** Room for one response that comes, from when it is granted until it {@link #end ends}. */
    public final class Claim {
        private final Share share;

        /** Earlier claims have smaller numbers. */
        private final long number;

        private final long bytes;
        private final Part part;
        private final Runnable whenGranted;
        private State state = State.OVER;
        private boolean wasGranted;
        private long cameBytes;

        private Claim(Share share, long number, Part part, long bytes, Runnable whenGranted) {
            this.share = share;
            this.number = number;
            this.bytes = bytes;
            this.part = part;
            this.whenGranted = whenGranted;
        }

        public boolean isGranted() {
            synchronized (ResponseRoom.this) {
                return state == State.COMING || state == State.RESTING;
            }
        }

        /**
         * Whether it has room that would go to another claim: of the same share, or of a share that
         * has no more of the room. A message keeps out only messages, a head only heads, and a
         * response only responses.
         */
        public boolean keepsOthersOut() {
            synchronized (ResponseRoom.this) {
                boolean isApart = part == messages || part == heads;
                boolean isWanted =
                        isApart ? isWantedBy(part) : isWantedBy(large) || isWantedBy(modest);
                return wasGranted && isWanted;
            }
        }

        /** Whether claims wait for room of the kind that this one has. */
        public boolean isItsRoomWanted() {
            return part == messages ? wantedForMessages : wantedForResponses;
        }

        /** Guarded by the room. */
        private boolean isWantedBy(Part others) {
            for (Map.Entry<Share, NavigableSet<Claim>> waiting : others.waiting.entrySet()) {
                boolean isOther =
                        waiting.getValue().size() > 1 || waiting.getValue().first() != this;
                if (isOther && waiting.getKey().countedFor(others) <= share.countedFor(others)) {
                    return true;
                }
            }
            return false;
        }

        /**
         * A part of the response was read. To be called while the claim is granted.
         *
         * @param bytes that have come, all together
         * @param more whether there may be more to read now
         * @return whether the reader may go on; if not, the claim waits to be granted again
         */
        public boolean came(long bytes, boolean more) {
            boolean waits;
            synchronized (ResponseRoom.this) {
                if (state != State.COMING && state != State.RESTING) {
                    throw new IllegalStateException("a claim that is read for while " + state);
                }
                boolean wasComing = state == State.COMING;
                become(State.OVER);
                cameBytes = bytes;
                become(State.RESTING);
                if (more || !isWithin(part, 0)) {
                    boolean goesOn = wasComing || (isFirst(this) && hasRoomFor(this));
                    become(goesOn ? State.COMING : State.WAITING);
                }
                waits = state == State.WAITING;
                updateWanted();
            }
            grantNext();
            if (waits) {
                holders.forEach(Runnable::run);
            }
            return !waits;
        }

        /**
         * Nothing has come for a while. It is the same as {@link #came} with nothing more to read.
         */
        public void stands() {
            synchronized (ResponseRoom.this) {
                if (state != State.COMING) {
                    return;
                }
                become(State.RESTING);
                if (!isWithin(part, 0)) {
                    become(State.COMING);
                }
            }
            grantNext();
        }

        /** The response has come, or is not wanted any more. Call it once. */
        public void end() {
            synchronized (ResponseRoom.this) {
                if (state == State.OVER) {
                    throw new IllegalStateException("a claim that ends twice");
                }
                become(State.OVER);
                updateWanted();
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

        /** Guarded by the room, as the next. */
        private boolean comesBefore(Claim other) {
            long ours = share.countedFor(part);
            long theirs = other.share.countedFor(part);
            return ours == theirs ? number < other.number : ours < theirs;
        }

        private void become(State next) {
            count(-1);
            if (state == State.WAITING) {
                part.removeWaiting(this);
            }
            state = next;
            if (state == State.WAITING) {
                part.addWaiting(this);
            }
            count(1);
        }

        private void count(int sign) {
            switch (state) {
                case COMING -> {
                    part.coming += sign;
                    part.comingBytes += sign * bytes;
                    countForShare(sign * bytes);
                }
                case RESTING, WAITING -> {
                    part.restingBytes += sign * cameBytes;
                    countForShare(sign * cameBytes);
                }
                case OVER -> {}
            }
        }

        private void countForShare(long change) {
            share.bytes += change;
            if (part == heads) {
                share.headBytes += change;
            }
        }
    }

    /** A share for one more pool. */
    public Share newShare() {
        return new Share();
    }

    private Claim claim(Share share, Part part, long bytes, Runnable whenGranted) {
        Claim claim;
        synchronized (this) {
            claim = new Claim(share, claims++, part, bytes, whenGranted);
            if (isFirst(claim) && hasRoomFor(claim)) {
                grant(claim);
                return claim;
            }
            claim.become(State.WAITING);
            updateWanted();
        }
        // Room that was given back meanwhile did not see that somebody waits.
        grantNext();
        holders.forEach(Runnable::run);
        return claim;
    }

    /** Whether claims of responses wait, so that the speed of those with room matters. */
    public boolean isWanted() {
        return wantedForResponses;
    }

    /** Whether claims of messages wait. */
    boolean isWantedForMessages() {
        return wantedForMessages;
    }

    /** The bytes that are held, and those that were granted to responses that come. */
    public synchronized long bytes() {
        return large.bytes() + modest.bytes() + heads.bytes() + messages.bytes();
    }

    /** Whether clients hold so much that nothing large can come. */
    public synchronized boolean isFullOfClients() {
        return commonBytes(large.heldBytes.get(), modest.heldBytes.get(), messages.heldBytes.get())
                > commonPartBytes;
    }

    /** How many claims wait. */
    public synchronized int waiting() {
        return large.waitingCount
                + modest.waitingCount
                + heads.waitingCount
                + messages.waitingCount;
    }

    /** The same as {@link #grants} for messages. */
    public synchronized long messageGrants() {
        return messageGrants;
    }

    /**
     * How often room was granted for a response, the first time or again. While it does not grow,
     * no response gets on.
     */
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
        Claim next = modest.first();
        if (next != null && modest.coming == 0) {
            long ofModest = modest.bytesBesidesResting() + next.bytes - modestPartBytes;
            return Math.max(0, Math.min(ofModest, excessBytes(next.bytes)));
        }
        boolean largeWaits = large.coming == 0 && large.waitingCount > 0;
        return largeWaits ? Math.max(0, excessBytes(0)) : 0;
    }

    /**
     * How much WebSockets have to take, or lose, before the next claim of a message can be granted;
     * 0 if none waits or it waits for another claim.
     */
    synchronized long missingForMessagesBytes() {
        boolean waits = messages.coming == 0 && messages.waitingCount > 0;
        return waits ? Math.max(0, excessOfMessagesBytes()) : 0;
    }

    /** Whether messages keep responses from a part of the room. */
    boolean doMessagesTakeOfCommonPart() {
        return messages.heldBytes.get() > messagePartBytes;
    }

    /** Whether messages take more than they may while others wait for room. */
    boolean doMessagesTakeTooMuch() {
        return messages.heldBytes.get() > messagePartBytes + commonForMessagesBytes;
    }

    /**
     * Counts one more response, or message.
     *
     * @param isMessage whether it is a message of a WebSocket
     */
    void hold(long bytes, boolean isMessage) {
        partOf(bytes, isMessage).heldBytes.addAndGet(bytes);
    }

    /** The reverse of {@link #hold}. */
    void release(long bytes, boolean isMessage) {
        partOf(bytes, isMessage).heldBytes.addAndGet(-bytes);
        grantNext();
    }

    /** Counts so many bytes more, or less, of large responses, of modest ones, and of messages. */
    void add(long largeChange, long modestChange, long messageChange) {
        large.heldBytes.addAndGet(largeChange);
        modest.heldBytes.addAndGet(modestChange);
        messages.heldBytes.addAndGet(messageChange);
        if (largeChange < 0 || modestChange < 0 || messageChange < 0) {
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
            grantWaiting(messages, lucky);
            updateWanted();
        }
        lucky.forEach(claim -> claim.whenGranted.run());
    }

    private void updateWanted() {
        wantedForResponses = modest.waitingCount > 0 || large.waitingCount > 0;
        wantedForMessages = messages.waitingCount > 0;
        wanted = wantedForResponses || wantedForMessages || heads.waitingCount > 0;
    }

    private Part partOf(long bytes, boolean isMessage) {
        return isMessage ? messages : partOf(bytes);
    }

    private Part partOf(long bytes) {
        return bytes <= modestBytes ? modest : large;
    }

    private void grantWaiting(Part part, List<Claim> lucky) {
        Claim next = part.first();
        while (next != null && hasRoomFor(next)) {
            grant(next);
            lucky.add(next);
            next = part.first();
        }
    }

    /** Whether it comes before all that wait. */
    private static boolean isFirst(Claim claim) {
        Claim first = claim.part.first();
        return first == null || claim.comesBefore(first);
    }

    private boolean hasRoomFor(Claim claim) {
        return isWithin(claim.part, claim.bytes - claim.cameBytes) || mayPassTheLimit(claim);
    }

    /**
     * Whether a claim may pass the limit, because no other one of its part comes. Otherwise a
     * response that is larger than the room never could come, nor could those whose parts fill it.
     */
    private boolean mayPassTheLimit(Claim claim) {
        Part part = claim.part;
        boolean isAlone = part.coming == 0;
        if (part == heads) {
            return isAlone;
        }
        if (part == messages) {
            return isAlone && excessOfMessagesBytes() <= 0;
        }
        boolean wouldFitAlone = part == modest && !claim.wasGranted;
        return isAlone && !wouldFitAlone && excessBytes(0) <= 0;
    }

    /** Whether a part of the room stays within its limit with this many more bytes. */
    private boolean isWithin(Part part, long moreBytes) {
        if (part == heads) {
            return heads.bytes() + moreBytes <= headPartBytes;
        }
        if (part == messages) {
            return excessOfMessagesBytes(
                            large.bytes(), modest.bytes(), messages.bytes() + moreBytes)
                    <= 0;
        }
        if (part == modest && modest.bytes() + moreBytes <= modestPartBytes) {
            return true;
        }
        long moreLarge = part == large ? moreBytes : 0;
        long moreModest = moreBytes - moreLarge;
        return commonBytes(large.bytes() + moreLarge, modest.bytes() + moreModest, messages.bytes())
                <= commonPartBytes;
    }

    /**
     * By how much the common part passes its limit. It counts what comes, and what clients have not
     * taken, but not what rests.
     *
     * @param moreModestBytes of a modest response that would come besides
     */
    private long excessBytes(long moreModestBytes) {
        return commonBytes(
                        large.bytesBesidesResting(),
                        modest.bytesBesidesResting() + moreModestBytes,
                        messages.bytesBesidesResting())
                - commonPartBytes;
    }

    /** By how much messages pass what they may have. It counts as {@link #excessBytes} does. */
    private long excessOfMessagesBytes() {
        return excessOfMessagesBytes(
                large.bytesBesidesResting(),
                modest.bytesBesidesResting(),
                messages.bytesBesidesResting());
    }

    private long excessOfMessagesBytes(long largeBytes, long modestBytes, long messageBytes) {
        long ofOwnPart = messageBytes - messagePartBytes;
        long ofCommonPart = commonBytes(largeBytes, modestBytes, messageBytes) - commonPartBytes;
        return Math.min(ofOwnPart, Math.max(ofOwnPart - commonForMessagesBytes, ofCommonPart));
    }

    /**
     * What the common part has: large responses, and the modest ones and the messages for which
     * their own parts have no room. Messages that pass their half do not count there.
     */
    private long commonBytes(long largeBytes, long modestBytes, long messageBytes) {
        return largeBytes
                + Math.max(0, modestBytes - modestPartBytes)
                + Math.clamp(messageBytes - messagePartBytes, 0, commonForMessagesBytes);
    }

    private void grant(Claim claim) {
        claim.become(State.COMING);
        if (claim.part == messages) {
            messageGrants++;
        } else if (claim.part != heads) {
            grants++;
        }
        claim.wasGranted = true;
    }
}
