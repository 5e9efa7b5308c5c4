package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the processes of one pool running, as many as there shall be: one {@link WorkerSlot} each.
 * Leaves it to {@link Replacements} when one is to be replaced by another. On the pool's loop.
 */
final class Supervisor {
    /** How often the memory of the processes is looked at. */
    static final Duration MEMORY_INTERVAL = Duration.ofSeconds(5);

    private final WorkerPool pool;
    private final WorkerCommand command;
    private final RecycleLimits recycling;
    private final ProcessStarter starter;
    private final Replacements replacements;

    /** One for each process that there shall be. */
    private final List<WorkerSlot> places = new ArrayList<>();

    /** Those that are to end, and one that is on trial. */
    private final List<WorkerSlot> others = new ArrayList<>();

    private final List<Scaling> scalings = new ArrayList<>();

    /**
     * The places whose process has failed, as long as no process has ever been ready; then null.
     */
    private @Nullable Set<WorkerSlot> failedAtFirst = new HashSet<>();

    Supervisor(
            WorkerPool pool,
            WorkerCommand command,
            RecycleLimits recycling,
            ProcessStarter starter) {
        this.pool = pool;
        this.command = command;
        this.recycling = recycling;
        this.starter = starter;
        this.replacements = new Replacements(pool, this);
    }

    void start(int count) {
        while (places.size() < count) {
            add();
        }
        if (ResidentMemory.isKnown()) {
            lookAtMemory();
        }
    }

    /** Has the processes replaced by new ones, in turn. */
    CompletableFuture<PoolChange> reload() {
        return replacements.reload();
    }

    /**
     * Starts processes, or lets some finish what they hold and end, until there are {@code count}.
     */
    CompletableFuture<PoolChange> scale(int count) {
        int before = places.size();
        List<WorkerSlot> changed = new ArrayList<>();
        while (places.size() < count) {
            changed.add(add());
        }
        while (places.size() > count) {
            WorkerSlot surplus = surplus();
            changed.add(surplus);
            places.remove(surplus);
            others.add(surplus);
            replacements.forget(surplus);
            surplus.retire();
        }
        if (before != count) {
            pool.listener().onScaled(before, count);
        }
        Scaling scaling = new Scaling(changed);
        if (!scaling.isDone()) {
            scalings.add(scaling);
        }
        return scaling.done();
    }

    void recycle(WorkerSlot slot, ReplaceCause cause) {
        if (places.contains(slot)) {
            replacements.recycle(slot, cause);
        }
    }

    /** Has the process replaced by a new one, though nothing is wrong with it. */
    CompletableFuture<PoolChange> drain(WorkerSlot slot) {
        return places.contains(slot)
                ? replacements.drain(slot)
                : CompletableFuture.completedFuture(
                        new PoolChange.Refused(slot.name() + " is to take another's place"));
    }

    /** The slot of that name, or null. */
    @Nullable WorkerSlot find(String name) {
        for (WorkerSlot slot : slots()) {
            if (slot.name().equals(name)) {
                return slot;
            }
        }
        return null;
    }

    /** The slot whose process was given this token and has not used it yet, or null. */
    @Nullable WorkerSlot claim(@Nullable String token) {
        if (token == null) {
            return null;
        }
        for (WorkerSlot slot : slots()) {
            String expected = slot.expectedToken();
            if (expected != null && equalInConstantTime(expected, token)) {
                return slot;
            }
        }
        return null;
    }

    /** Ends all processes; each slot goes when its process has. */
    void stop() {
        replacements.stop();
        slots().forEach(WorkerSlot::retire);
    }

    /** The process of a slot takes requests, for the first time. */
    void ready(WorkerSlot slot) {
        failedAtFirst = null;
        replacements.ready(slot);
        settled(slot);
    }

    /** The process of a slot ended before it took requests, or could not be started. */
    void failed(WorkerSlot slot, WorkerError error) {
        replacements.failed(slot, error);
        Set<WorkerSlot> failed = failedAtFirst;
        boolean byItself = !slot.wasEndedOnDemand();
        if (failed != null && byItself && failed.add(slot) && failed.containsAll(places)) {
            failedAtFirst = null;
            // Behind the news of how this one ended.
            pool.loop().tryExecute(() -> pool.listener().onFirstStartFailed(error));
        }
        scalings.forEach(scaling -> scaling.failed(slot, error));
        scalings.removeIf(Scaling::isDone);
    }

    void ended(WorkerSlot slot) {
        places.remove(slot);
        others.remove(slot);
        replacements.ended(slot);
        settled(slot);
        pool.completeIfDrained();
    }

    boolean isEmpty() {
        return places.isEmpty() && others.isEmpty();
    }

    /** One for each process that there shall be. */
    List<WorkerSlot> places() {
        return List.copyOf(places);
    }

    /** All that have a process, or had one and shall have one again. */
    List<WorkerSlot> slots() {
        return Stream.concat(places.stream(), others.stream()).toList();
    }

    /** The slots whose worker is not there at the moment. */
    List<PoolSnapshot.Worker> unconnected() {
        return slots().stream().filter(WorkerSlot::isUnconnected).map(WorkerSlot::view).toList();
    }

    /** Why the last replacement failed; null if it did not, or a process got ready since. */
    @Nullable WorkerError lastError() {
        return replacements.lastError();
    }

    /** Whether a process has to end before its successor starts. */
    boolean stopsFirst() {
        return command.stopFirst();
    }

    /** A slot that takes no other's place yet. */
    WorkerSlot openSuccessor() {
        WorkerSlot successor = open(true);
        others.add(successor);
        return successor;
    }

    /** From here on the successor is the one that counts; the old one finishes what it holds. */
    void swap(WorkerSlot old, WorkerSlot successor) {
        others.remove(successor);
        places.set(places.indexOf(old), successor);
        others.add(old);
        old.retire();
    }

    private WorkerSlot add() {
        WorkerSlot slot = open(false);
        places.add(slot);
        slot.start();
        return slot;
    }

    private WorkerSlot open(boolean onTrial) {
        return new WorkerSlot(freeName(), pool, this, command, recycling, starter, onTrial);
    }

    /** The lowest number that is free, so that names stay few however often processes change. */
    private String freeName() {
        List<String> taken = slots().stream().map(WorkerSlot::name).toList();
        int number = 1;
        while (taken.contains(pool.name() + "-" + number)) {
            number++;
        }
        return pool.name() + "-" + number;
    }

    /** The last one, but first those that do not serve. */
    private WorkerSlot surplus() {
        for (WorkerSlot slot : places.reversed()) {
            if (!slot.isReady()) {
                return slot;
            }
        }
        return places.getLast();
    }

    private void settled(WorkerSlot slot) {
        scalings.forEach(scaling -> scaling.settled(slot));
        scalings.removeIf(Scaling::isDone);
    }

    /** The files of a process may be slow to read when it is busy, so another thread does. */
    private void lookAtMemory() {
        if (isEmpty()) {
            return;
        }
        EventLoop loop = pool.loop();
        for (WorkerSlot slot : slots()) {
            long pid = slot.pid();
            if (pid > 0) {
                Thread.startVirtualThread(() -> {
                    long bytes = ResidentMemory.bytes(pid);
                    loop.tryExecute(() -> slot.hasMemory(pid, bytes));
                });
            }
        }
        loop.scheduleAfter(MEMORY_INTERVAL.toNanos(), this::lookAtMemory);
    }

    private static boolean equalInConstantTime(String expected, String given) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }
}
