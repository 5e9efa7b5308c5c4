package dev.handoff.process.supervise;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the processes of a pool, one at a time: those that operators want to go, for a reload
 * all of them in turn, and those that are due for recycling.
 *
 * <p>Those to be recycled wait while as many as the pool is to have are still finishing what they
 * hold. The successor is started first, and on trial: only when it takes requests is the old
 * process told to finish what it holds and to go. One that does not get ready is not tried again,
 * and the old process stays. Where the two would be in each other's way the old one ends first, and
 * its slot is its own successor: should the new process not get ready, it is started again as after
 * any other end. Belongs to the pool's loop.
 */
final class Replacements {
    /** After a successor that did not get ready, the next process to be recycled waits as long. */
    static final Duration RECYCLE_PAUSE = Duration.ofSeconds(30);

    /**
     * A successor that is not ready after so long is given up when another reload is asked for: it
     * may never get ready, and the other reload may be what mends it.
     */
    static final Duration OVERTAKEN = Duration.ofSeconds(5);

    /** One process on its way out, and the one that is to take its place. */
    private record Replacement(
            WorkerSlot old, WorkerSlot successor, ReplaceCause cause, long beganNanos) {
        boolean inPlace() {
            return old == successor;
        }
    }

    /** A reload: the processes that it still has to replace. */
    private static final class Round {
        final CompletableFuture<PoolChange> done;
        final List<WorkerSlot> waiting;
        int replaced;

        Round(CompletableFuture<PoolChange> done, List<WorkerSlot> waiting) {
            this.done = done;
            this.waiting = new ArrayList<>(waiting);
        }
    }

    private final EventLoop loop;
    private final ProcessListener listener;
    private final Slots slots;
    private final boolean stopsFirst;

    /** The slots that an operator drains, and the futures that tell the operator. */
    private final Map<WorkerSlot, CompletableFuture<PoolChange>> wantedToGo = new LinkedHashMap<>();

    /** Drained slots that are on their way out: another has their place, or it is not needed. */
    private final Map<WorkerSlot, CompletableFuture<PoolChange>> leaving = new HashMap<>();

    private final Map<WorkerSlot, ReplaceCause> dueForRecycling = new LinkedHashMap<>();
    private @Nullable Replacement current;
    private @Nullable Round round;

    /** A reload that was asked for during another: what that one has started may be too old. */
    private @Nullable CompletableFuture<PoolChange> nextReload;

    private @Nullable Timer pause;
    private @Nullable WorkerError lastError;

    /**
     * @param stopsFirst whether a process has to end before its successor starts
     */
    Replacements(EventLoop loop, ProcessListener listener, Slots slots, boolean stopsFirst) {
        this.loop = loop;
        this.listener = listener;
        this.slots = slots;
        this.stopsFirst = stopsFirst;
    }

    /**
     * Replaces all processes; during another reload, once more after it, or in its stead if that
     * makes no headway.
     */
    CompletableFuture<PoolChange> reload() {
        CompletableFuture<PoolChange> done = new CompletableFuture<>();
        if (round == null) {
            begin(done);
            return done;
        }
        if (nextReload == null) {
            nextReload = done;
        }
        CompletableFuture<PoolChange> next = nextReload;
        if (current != null) {
            overtake(current);
        }
        return next;
    }

    /** Gives up a replacement that has had its time, if another reload waits for its end. */
    private void overtake(Replacement slow) {
        boolean late = loop.nanoTime() - slow.beganNanos >= OVERTAKEN.toNanos();
        if (late && slow.equals(current) && round != null && nextReload != null) {
            current = null;
            if (!slow.inPlace()) {
                slow.successor.retire();
            }
            end(new PoolChange.Refused("overtaken by another reload"));
        }
    }

    void recycle(WorkerSlot slot, ReplaceCause cause) {
        if (dueForRecycling.putIfAbsent(slot, cause) == null) {
            proceed();
        }
    }

    /** Replaces one process before all others; asked for again, it is still done once. */
    CompletableFuture<PoolChange> drain(WorkerSlot slot) {
        CompletableFuture<PoolChange> done =
                wantedToGo.computeIfAbsent(slot, absent -> new CompletableFuture<>());
        proceed();
        return done;
    }

    /**
     * Why the last successor that failed did not get ready. Null again when any process of the pool
     * has got ready since: the cause is gone.
     */
    @Nullable WorkerError lastError() {
        return lastError;
    }

    /** A process takes requests; if it is the successor, the old one may go. */
    void ready(WorkerSlot slot) {
        lastError = null;
        if (current == null || current.successor != slot) {
            return;
        }
        Replacement made = current;
        current = null;
        dueForRecycling.remove(made.old);
        if (round != null) {
            count(made, round);
        }
        if (!made.inPlace()) {
            tellWhoWantedAtItsEnd(made.old);
            slots.swap(made.old, made.successor);
        }
        listener.onReplaced(made.old.id(), made.successor.id(), made.cause);
        // A successor in the old one's own slot: the old one has ended by now.
        tellWhoWanted(made.old, new PoolChange.Done(1));
        proceed();
    }

    /** Nothing is left of a process; if it is the successor, it never got ready. */
    void ended(WorkerSlot slot) {
        CompletableFuture<PoolChange> left = leaving.remove(slot);
        if (left != null) {
            left.complete(new PoolChange.Done(1));
        }
        if (current != null && current.successor == slot && !current.inPlace()) {
            WorkerError error = slot.lastError();
            if (error == null) {
                throw new IllegalStateException(slot.id() + " ended on trial without an error");
            }
            giveUp(current, error);
        } else {
            proceed();
        }
    }

    /** A process that never got ready has ended, and its slot starts another. */
    void failed(WorkerSlot slot, WorkerError error) {
        if (current != null && current.successor == slot && current.inPlace()) {
            giveUp(current, error);
        }
    }

    private void giveUp(Replacement failed, WorkerError error) {
        current = null;
        if (failed.inPlace()) {
            dueForRecycling.remove(failed.old); // its process is a new one all the same
        }
        lastError = error;
        listener.onNotReplaced(failed.old.id(), error, failed.cause);
        tellWhoWanted(failed.old, new PoolChange.Failed(0, error));
        if (failed.cause == ReplaceCause.RELOAD && round != null) {
            end(new PoolChange.Failed(round.replaced, error));
        } else if (failed.cause != ReplaceCause.DRAIN) {
            pause = loop.scheduleAfter(RECYCLE_PAUSE.toNanos(), this::resume);
        }
        proceed();
    }

    /** The slot is not permanent any more, and about to leave. */
    void forget(WorkerSlot slot) {
        dueForRecycling.remove(slot);
        tellWhoWantedAtItsEnd(slot);
        if (round != null) {
            round.waiting.remove(slot);
        }
        if (current != null && current.old == slot) {
            Replacement given = current;
            current = null;
            if (!given.inPlace()) {
                given.successor.retire();
            }
            proceed();
        }
    }

    /** Replaces nothing any more. */
    void stop() {
        current = null;
        dueForRecycling.clear();
        if (pause != null) {
            pause.cancel();
        }
        PoolChange stopped = new PoolChange.Refused("the pool is draining");
        List.copyOf(wantedToGo.keySet()).forEach(slot -> tellWhoWanted(slot, stopped));
        if (nextReload != null) {
            nextReload.complete(stopped);
            nextReload = null;
        }
        if (round != null) {
            end(stopped);
        }
    }

    private void begin(CompletableFuture<PoolChange> done) {
        round = new Round(done, slots.permanent());
        listener.onReload(round.waiting.size());
        proceed();
    }

    /** Starts the next replacement, unless there is one under way, or nothing to do. */
    private void proceed() {
        if (current != null) {
            return;
        }
        if (!wantedToGo.isEmpty()) {
            replace(wantedToGo.keySet().iterator().next(), ReplaceCause.DRAIN);
        } else if (round != null) {
            if (round.waiting.isEmpty()) {
                end(new PoolChange.Done(round.replaced));
                proceed();
            } else {
                replace(round.waiting.removeFirst(), ReplaceCause.RELOAD);
            }
        } else if (mayRecycle() && !dueForRecycling.isEmpty()) {
            Map.Entry<WorkerSlot, ReplaceCause> first =
                    dueForRecycling.entrySet().iterator().next();
            replace(first.getKey(), first.getValue());
        }
    }

    /**
     * Clients decide how many requests come, and how long a response takes. So no more processes
     * finish theirs than the pool is to have: they would fill the machine's memory.
     */
    private boolean mayRecycle() {
        return pause == null && slots.temporaryCount() < slots.permanentCount();
    }

    private void replace(WorkerSlot old, ReplaceCause cause) {
        boolean inPlace = stopsFirst;
        WorkerSlot successor = inPlace ? old : slots.addSuccessor();
        Replacement begun = new Replacement(old, successor, cause, loop.nanoTime());
        current = begun;
        if (inPlace) {
            old.renew();
        } else {
            successor.start();
        }
        loop.scheduleAfter(OVERTAKEN.toNanos(), () -> overtake(begun));
    }

    /** A successor that was started for another reason before the reload is replaced in it. */
    private static void count(Replacement made, Round round) {
        if (made.cause == ReplaceCause.RELOAD) {
            round.replaced++;
        } else if (round.waiting.remove(made.old)) {
            round.waiting.add(made.successor);
        }
    }

    private void end(PoolChange outcome) {
        if (round == null) {
            throw new IllegalStateException("no reload to end");
        }
        CompletableFuture<PoolChange> done = round.done;
        round = null;
        listener.onReloaded(outcome);
        done.complete(outcome);
        CompletableFuture<PoolChange> next = nextReload;
        nextReload = null;
        if (next != null) {
            begin(next);
        }
    }

    private void tellWhoWanted(WorkerSlot old, PoolChange outcome) {
        CompletableFuture<PoolChange> done = wantedToGo.remove(old);
        if (done != null) {
            done.complete(outcome);
        }
    }

    private void tellWhoWantedAtItsEnd(WorkerSlot old) {
        CompletableFuture<PoolChange> done = wantedToGo.remove(old);
        if (done != null) {
            leaving.put(old, done);
        }
    }

    private void resume() {
        pause = null;
        proceed();
    }
}
