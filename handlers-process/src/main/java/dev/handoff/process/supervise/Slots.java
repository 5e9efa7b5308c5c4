package dev.handoff.process.supervise;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one pool: a permanent one for each process that there shall be, and temporary ones
 * for processes that are to end or are on trial. Belongs to the pool's loop.
 */
final class Slots {
    /** Makes slots. */
    interface Maker {
        /**
         * @param onTrial whether it ends if its process does not get ready
         */
        WorkerSlot make(String id, boolean onTrial);
    }

    private final String pool;
    private final Maker maker;
    private final List<WorkerSlot> permanent = new ArrayList<>();
    private final List<WorkerSlot> temporary = new ArrayList<>();

    /**
     * @param pool its name, from which those of the slots are made
     */
    Slots(String pool, Maker maker) {
        this.pool = pool;
        this.maker = maker;
    }

    /** Adds a permanent slot and starts its process. */
    WorkerSlot add() {
        WorkerSlot slot = maker.make(freeId(), false);
        permanent.add(slot);
        slot.start();
        return slot;
    }

    /** Adds a slot on trial, which takes no other's place yet. */
    WorkerSlot addSuccessor() {
        WorkerSlot successor = maker.make(freeId(), true);
        temporary.add(successor);
        return successor;
    }

    /** Makes the successor permanent; the old slot ends when it has finished what it holds. */
    void swap(WorkerSlot old, WorkerSlot successor) {
        temporary.remove(successor);
        permanent.set(permanent.indexOf(old), successor);
        temporary.add(old);
        old.retire();
    }

    /** Makes one slot temporary: one that does not serve, or else the last. */
    WorkerSlot giveUpOne() {
        WorkerSlot surplus = permanent.getLast();
        for (WorkerSlot slot : permanent.reversed()) {
            if (!slot.isReady()) {
                surplus = slot;
                break;
            }
        }
        permanent.remove(surplus);
        temporary.add(surplus);
        return surplus;
    }

    /** Forgets a slot that has ended. */
    void remove(WorkerSlot slot) {
        permanent.remove(slot);
        temporary.remove(slot);
    }

    int temporaryCount() {
        return temporary.size();
    }

    int permanentCount() {
        return permanent.size();
    }

    boolean isPermanent(WorkerSlot slot) {
        return permanent.contains(slot);
    }

    List<WorkerSlot> permanent() {
        return List.copyOf(permanent);
    }

    /** The permanent ones, then the temporary ones. */
    List<WorkerSlot> all() {
        return Stream.concat(permanent.stream(), temporary.stream()).toList();
    }

    boolean isEmpty() {
        return permanent.isEmpty() && temporary.isEmpty();
    }

    /** The slot of that id, or null. */
    @Nullable WorkerSlot find(String id) {
        for (WorkerSlot slot : all()) {
            if (slot.id().equals(id)) {
                return slot;
            }
        }
        return null;
    }

    /** The slot whose process was given this token and has not used it yet, or null. */
    @Nullable WorkerSlot findByToken(String token) {
        for (WorkerSlot slot : all()) {
            String expected = slot.expectedToken();
            if (expected != null && equalInConstantTime(expected, token)) {
                return slot;
            }
        }
        return null;
    }

    /** The lowest number that is free, so that ids stay few however often processes change. */
    private String freeId() {
        Set<String> taken = all().stream().map(WorkerSlot::id).collect(Collectors.toSet());
        int number = 1;
        while (taken.contains(pool + "-" + number)) {
            number++;
        }
        return pool + "-" + number;
    }

    private static boolean equalInConstantTime(String expected, String given) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }
}
