package dev.handoff.server;

import dev.handoff.server.ResponseRoom.Claim;
import dev.handoff.server.ResponseRoom.Share;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link ResponseRoom}: for large responses, for modest ones, for heads, or for
 * messages. Guarded by the room, but for {@link #heldBytes}.
 */
final class RoomPart {
    private static final Comparator<Claim> BY_NUMBER = Comparator.comparingLong(Claim::number);

    /** The bytes that clients have not taken, as their loops have told, and those between loops. */
    final AtomicLong heldBytes = new AtomicLong();

    /** Those of one share in the order of their numbers. */
    private final Map<Share, NavigableSet<Claim>> waiting = new HashMap<>();

    private int waitingCount;
    private int comingCount;
    private long comingBytes;
    private long restingBytes;

    /** All that counts: what clients hold, what comes, and what rests or waits again. */
    long bytes() {
        return bytesBesidesResting() + restingBytes;
    }

    long bytesBesidesResting() {
        return heldBytes.get() + comingBytes;
    }

    /** How many claims wait. */
    int waitingCount() {
        return waitingCount;
    }

    /** Whether no claim comes. */
    boolean isQuiet() {
        return comingCount == 0;
    }

    /**
     * Counts a claim that comes, or no more.
     *
     * @param sign 1 or -1
     */
    void changeComing(int sign, long bytes) {
        comingCount += sign;
        comingBytes += sign * bytes;
    }

    /** So many bytes more, or fewer, have come of claims that rest, or wait again. */
    void changeResting(long bytes) {
        restingBytes += bytes;
    }

    void addWaiting(Claim claim) {
        waiting.computeIfAbsent(claim.share(), absent -> new TreeSet<>(BY_NUMBER)).add(claim);
        waitingCount++;
    }

    void removeWaiting(Claim claim) {
        NavigableSet<Claim> ofShare = waiting.get(claim.share());
        if (ofShare == null || !ofShare.remove(claim)) {
            throw new IllegalStateException("a claim that waits, and is not found");
        }
        if (ofShare.isEmpty()) {
            waiting.remove(claim.share());
        }
        waitingCount--;
    }

    /** The claim whose turn it is; null if none waits. */
    @Nullable Claim first() {
        Claim first = null;
        for (NavigableSet<Claim> ofShare : waiting.values()) {
            Claim candidate = ofShare.first();
            if (first == null || candidate.comesBefore(first)) {
                first = candidate;
            }
        }
        return first;
    }

    /** Whether a claim comes before all that wait. */
    boolean isFirst(Claim claim) {
        Claim first = first();
        return first == null || claim.comesBefore(first);
    }

    /**
     * Whether others wait that may have the room of this claim: those of the same share, or of a
     * share that has no more of the room.
     */
    boolean isWantedByOthersThan(Claim claim) {
        for (Map.Entry<Share, NavigableSet<Claim>> ofShare : waiting.entrySet()) {
            boolean isOther = ofShare.getValue().size() > 1 || ofShare.getValue().first() != claim;
            if (isOther && ofShare.getKey().bytes() <= claim.share().bytes()) {
                return true;
            }
        }
        return false;
    }
}
