package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.MovingDeadline;
import dev.handoff.loop.Timer;
import dev.handoff.process.protocol.FrameDecoder;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.ResponseRoom;
import java.time.Duration;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Limits the memory and the time that the incomplete frame of one worker may take.
 *
 * <pre>
 *     NONE --a read ends in a large part--> WAITING --room is granted--> COMING
 *       ^                                      |  ^                        |
 *       |                                      |  '--no room to go on------|
 *       |\_____ the part is complete, or nobody wants it any more _______/|
 *       |                                      |                           |
 *       '---- it keeps others waiting ---------'------ and is slow --------'
 * </pre>
 *
 * <p>The core always reads a part of up to {@link ResponseRoom#SMALL_BYTES}. For a larger part,
 * JSON or body, it claims room for the whole. Until the room is granted it does not read the
 * worker, and the kernel makes the worker wait. A part keeps room for its rest only while bytes
 * come. After a pause it may have to wait again, and goes before all that asked later.
 *
 * <p>A frame that is read has to come: its JSON within {@link #TIMEOUT}, and each 64 KiB of its
 * body within that time again. A worker that holds other requests has longer, since it may be
 * computing them. A response that no client waits for any more is not held back.
 *
 * <p>A head that has room and comes slowly costs its worker the connection, while heads of pools
 * that have no more of that room wait.
 *
 * <p>No request waits for long because a large body has no room. While others wait for its worker,
 * or for the room of what has come, the body is dropped when its {@link HeldBackTime} has passed. A
 * body that has room and comes slowly is dropped too, while others wait for room.
 *
 * <p>A frame that arrives whole in one read costs nothing here. Belongs to the pool's loop.
 */
final class IncompleteFrame {
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final int PROGRESS_BYTES = 64 * 1024;

    /** Something that is due after this time runs when the loop has read once more. */
    private static final Duration NEXT_READ = Duration.ofNanos(1);

    /** The socket that is read. */
    interface Owner {
        /** Whether the latest read may have left something in the kernel. */
        boolean mayHaveMore();

        /** Reads what is there, if reading is not paused. */
        void readNow();

        /** Whether requests wait for the worker, besides the one whose response has no room. */
        boolean keepsOthersWaiting();

        /** The body that comes is dropped, since it got no room in time. */
        void foundNoRoom(Message message, int bodyBytes);

        /**
         * The body that comes is dropped, since it came slowly while others waited for its room.
         */
        void keptRoomTooLong(Message message, int bodyBytes);

        void pauseReading();

        void resumeReading();

        /**
         * Whether the worker may be computing, and so neither read nor write. It may if it holds
         * requests besides the one whose response comes; those have deadlines of their own.
         */
        boolean mayCompute();

        /** The worker was allowed to send, and sent too little. */
        void frameLate(String detail);
    }

    private final EventLoop loop;
    private final ResponseRoom.Share share;
    private final FrameDecoder decoder;
    private final LongPredicate isWanted;
    private final Owner owner;
    private final MovingDeadline deadline;

    /** For the part that is incomplete, if it is large. */
    private ResponseRoom.@Nullable Claim claim;

    /** Whether the claim is for a body. The JSON before it may have had a claim of its own. */
    private boolean claimIsForBody;

    private boolean heldBack;

    /** When that began, if it is so. */
    private long heldBackSinceNanos;

    /** For how long that has been so, the times that are over. */
    private long wasHeldBackNanos;

    private final HeldBackTime timeOfResponses;

    private final HeldBackTime timeOfMessages;

    /** The one that counts for the part that is incomplete. */
    private HeldBackTime heldBackTime;

    /**
     * While the part has room: when the last 64 KiB of it were seen to have come. The next field
     * says how much had come by then.
     */
    private long headwaySeenNanos;

    private int headwayFromBytes;

    /**
     * How much had come when a read filled its buffer. Only the next read tells whether that was
     * all.
     */
    private int filledAtBytes;

    private @Nullable Timer look;

    /** Whether the deadline is that of the part that is incomplete now. */
    private boolean timed;

    private boolean timedBody;
    private long deadlineNanos;

    /** The time left to the deadline, which stands still while the worker is held back. */
    private long leftNanos = TIMEOUT.toNanos();

    private int progressFromBytes;

    /**
     * @param share of the pool, for large frames
     * @param isWanted whether a client waits for the response with that id
     */
    IncompleteFrame(
            EventLoop loop,
            ResponseRoom.Share share,
            FrameDecoder decoder,
            LongPredicate isWanted,
            Owner owner) {
        this.loop = loop;
        ResponseRoom room = share.room();
        this.share = share;
        this.decoder = decoder;
        this.isWanted = isWanted;
        this.owner = owner;
        this.deadline = new MovingDeadline(loop, this::late);
        this.timeOfResponses = HeldBackTime.ofResponses(loop, room);
        this.timeOfMessages = HeldBackTime.ofMessages(loop, room);
        this.heldBackTime = timeOfResponses;
    }

    /** Whether the core does not read the worker now, so that nothing can be expected of it. */
    boolean isHeldBack() {
        return heldBack;
    }

    /** For how long the core has not read the worker, all in all. */
    long heldBackNanos() {
        return wasHeldBackNanos + (heldBack ? loop.nanoTime() - heldBackSinceNanos : 0);
    }

    /** A frame is complete, and its message has been dealt with. */
    void frameEnded() {
        timed = false;
        leftNanos = TIMEOUT.toNanos();
        endClaim();
    }

    /** To be called at the end of each read. */
    void readEnded() {
        if (decoder.inFrame()) {
            adjustClaim();
            adjustDeadline();
        } else if (timed) {
            timed = false;
            leftNanos = TIMEOUT.toNanos();
            deadline.clear();
        }
    }

    /** No client waits any more for the response with that id. */
    void cancelled(long id) {
        if (decoder.awaitingBody() instanceof Message.OfRequest response && response.id() == id) {
            readEnded();
        }
    }

    /** The worker is not listened to any more. */
    void close() {
        deadline.cancel();
        stopLooking();
        endClaim();
    }

    private void adjustClaim() {
        boolean isBody = decoder.awaitingBody() != null;
        if (isBody && isUnwanted() && !decoder.dropsBody()) {
            decoder.dropBody();
        }
        boolean needsRoom =
                decoder.partBytes() > ResponseRoom.SMALL_BYTES && !(isBody && decoder.dropsBody());
        if (claim != null && (!needsRoom || claimIsForBody != isBody)) {
            endClaim();
        }
        if (needsRoom && claim == null) {
            claimIsForBody = isBody;
            ResponseRoom.Claim made = makeClaim(decoder.partBytes());
            claim = made;
            if (made.isGranted()) {
                watch();
            } else {
                holdBack();
            }
        }
        if (claim != null && !heldBack) {
            tell(claim);
        }
    }

    private ResponseRoom.Claim makeClaim(int bytes) {
        Runnable whenGranted = () -> loop.tryExecute(this::granted);
        Message awaited = decoder.awaitingBody();
        if (awaited instanceof Message.WebSocketMessage) {
            heldBackTime = timeOfMessages;
            return share.claimForMessage(bytes, whenGranted);
        }
        heldBackTime = timeOfResponses;
        return awaited == null
                ? share.claimForHead(bytes, whenGranted)
                : share.claim(bytes, whenGranted);
    }

    private void tell(ResponseRoom.Claim granted) {
        boolean more = owner.mayHaveMore();
        if (!granted.came(decoder.partCameBytes(), more)) {
            holdBack();
        } else if (more) {
            filledAtBytes = decoder.partCameBytes();
            lookAfter(NEXT_READ);
        }
    }

    /** The part has room. Begins to look whether bytes come. */
    private void watch() {
        headwaySeenNanos = loop.nanoTime();
        headwayFromBytes = decoder.partCameBytes();
        lookAfter(HeldBackTime.LOOK);
    }

    private void holdBack() {
        heldBack = true;
        heldBackSinceNanos = loop.nanoTime();
        heldBackTime.begin();
        owner.pauseReading();
        stopLooking();
        look();
    }

    private void look() {
        look = null;
        ResponseRoom.Claim looked = claim;
        if (looked != null && heldBack) {
            lookWhetherItWaitsTooLong(looked);
        } else if (looked != null) {
            lookWhetherItMoves(looked);
        }
    }

    private void lookWhetherItWaitsTooLong(ResponseRoom.Claim waiting) {
        Message response = decoder.awaitingBody();
        if (response == null) {
            return;
        }
        boolean passed =
                (owner.keepsOthersWaiting() && heldBackTime.isOverForTheWorker())
                        || (waiting.keepsOthersOut() && heldBackTime.isOverForTheRoom());
        if (passed) {
            heldBackTime.wasInVain();
            owner.foundNoRoom(response, decoder.partBytes());
            giveUp();
        } else {
            lookAfter(HeldBackTime.LOOK);
        }
    }

    private void lookWhetherItMoves(ResponseRoom.Claim granted) {
        Message response = decoder.awaitingBody();
        if (response == null && isSlowHead(granted)) {
            owner.frameLate(
                    "%d bytes of %d came, while others waited for the room of the rest"
                            .formatted(decoder.partCameBytes(), decoder.partBytes()));
            return;
        }
        if (response != null && isWantedAndSlow(granted)) {
            owner.keptRoomTooLong(response, decoder.partBytes());
            giveUp();
            return;
        }
        if (decoder.partCameBytes() == filledAtBytes) {
            granted.stands();
        }
        lookAfter(HeldBackTime.LOOK);
    }

    private void lookAfter(Duration time) {
        stopLooking();
        look = loop.scheduleAfter(time.toNanos(), this::look);
    }

    /** It cannot be dropped, as it says whose response it is: its worker has to go. */
    private boolean isSlowHead(ResponseRoom.Claim granted) {
        Duration longest = owner.mayCompute() ? HeldBackTime.MOST : HeldBackTime.SLOW;
        return standsNanos() >= longest.toNanos() && granted.keepsOthersOut();
    }

    private boolean isWantedAndSlow(ResponseRoom.Claim granted) {
        long standsNanos = standsNanos();
        return (standsNanos >= HeldBackTime.SLOW.toNanos() && granted.keepsOthersOut())
                || (standsNanos >= HeldBackTime.MOST.toNanos() && granted.isItsRoomWanted());
    }

    /** For how long less than 64 KiB have come. */
    private long standsNanos() {
        long now = loop.nanoTime();
        if (decoder.partCameBytes() - headwayFromBytes >= PROGRESS_BYTES) {
            headwayFromBytes = decoder.partCameBytes();
            headwaySeenNanos = now;
        }
        return now - headwaySeenNanos;
    }

    private void giveUp() {
        decoder.dropBody();
        ResponseRoom.Claim ending = claim;
        claim = null;
        if (ending != null) {
            ending.giveUp();
        }
        if (heldBack) {
            goOn();
        }
        adjustDeadline();
    }

    private void stopLooking() {
        if (look != null) {
            look.cancel();
            look = null;
        }
    }

    private boolean isUnwanted() {
        return decoder.awaitingBody() instanceof Message.OfRequest response
                && !isWanted.test(response.id());
    }

    /**
     * Goes on with the part if it has room. It is also called, late, for a claim that has ended.
     */
    private void granted() {
        ResponseRoom.Claim granted = claim;
        if (!heldBack || granted == null || !granted.isGranted()) {
            return;
        }
        goOn();
        watch();
        adjustDeadline();
        owner.readNow();
        if (claim == granted && !heldBack && !owner.mayHaveMore()) {
            granted.stands();
        }
    }

    private void endClaim() {
        ResponseRoom.Claim ending = claim;
        if (ending != null) {
            claim = null;
            stopLooking();
            ending.end();
            if (heldBack) {
                goOn();
            }
        }
    }

    private void goOn() {
        heldBackTime.end();
        wasHeldBackNanos = heldBackNanos();
        heldBack = false;
        stopLooking();
        owner.resumeReading();
    }

    /**
     * Sets the deadline of the part that is incomplete. The time stands still while the worker is
     * held back.
     */
    private void adjustDeadline() {
        boolean isBody = decoder.awaitingBody() != null;
        boolean moved = isBody && decoder.partCameBytes() - progressFromBytes >= PROGRESS_BYTES;
        if (heldBack) {
            leftNanos = timed ? deadlineNanos - loop.nanoTime() : leftNanos;
            timed = false;
            deadline.clear();
        } else if (!timed || timedBody != isBody || moved) {
            boolean isSame = !timed && timedBody == isBody && !moved;
            deadlineNanos = loop.nanoTime() + (isSame ? leftNanos : TIMEOUT.toNanos());
            timed = true;
            timedBody = isBody;
            progressFromBytes = decoder.partCameBytes();
            deadline.set(deadlineNanos);
        }
    }

    private void late() {
        if (timed && owner.mayCompute()) {
            deadlineNanos = loop.nanoTime() + TIMEOUT.toNanos();
            deadline.set(deadlineNanos);
        } else if (timed) {
            timed = false;
            String subject =
                    decoder.awaitingBody() instanceof Message.OfRequest response
                            ? "response with id " + response.id() + ": "
                            : "";
            owner.frameLate(
                    subject
                            + decoder.partCameBytes()
                            + " bytes of "
                            + decoder.partBytes()
                            + " came, and too few of them in the last "
                            + TIMEOUT.toSeconds()
                            + " s");
        }
    }
}
