package dev.handoff.process.supervise;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.dispatch.WorkerPlace;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the processes of one pool running, as many as there shall be: one {@link WorkerSlot} each.
 * Leaves it to {@link Replacements} when one is to be replaced by another. On the pool's loop.
 */
public final class Supervisor implements Workforce, WorkerSlot.Owner {
    /** How often the memory of the processes is looked at. */
    static final Duration MEMORY_INTERVAL = Duration.ofSeconds(5);

    /** Lets an HTTP server into the pool as a worker. */
    public interface ServerEntrance {
        /**
         * @param host its address, as operators read it
         * @param concurrency how many requests it takes at once
         */
        void join(SocketAddress server, String host, int concurrency, WorkerPlace place);
    }

    private final EventLoop loop;
    private final WorkerCommand command;
    private final ServerEntrance servers;
    private final ProcessListener listener;
    private final Runnable whenStopped;
    private final HeldOutputs heldOutputs = new HeldOutputs();
    private final Slots slots;
    private final Replacements replacements;
    private final List<Scaling> scalings = new ArrayList<>();

    /**
     * The permanent slots whose process has failed, as long as no process has ever been ready; then
     * null.
     */
    private @Nullable Set<WorkerSlot> failedAtFirst = new HashSet<>();

    /**
     * @param pool its name
     * @param recycling when a process is replaced though nothing is wrong with it
     * @param servers for processes that are HTTP servers
     * @param whenStopped is called each time that no process is left
     */
    public Supervisor(
            String pool,
            EventLoop loop,
            ProcessListener listener,
            WorkerCommand command,
            RecycleLimits recycling,
            ProcessStarter starter,
            ServerEntrance servers,
            Runnable whenStopped) {
        this.loop = loop;
        this.command = command;
        this.servers = servers;
        this.listener = listener;
        this.whenStopped = whenStopped;
        this.slots =
                new Slots(
                        pool,
                        (id, onTrial) ->
                                new WorkerSlot(
                                        pool,
                                        id,
                                        loop,
                                        listener,
                                        this,
                                        command,
                                        recycling,
                                        starter,
                                        heldOutputs,
                                        onTrial));
        this.replacements = new Replacements(loop, listener, slots, command.stopFirst());
    }

    public void start(int count) {
        while (slots.permanentCount() < count) {
            slots.add();
        }
        if (ResidentMemory.isKnown()) {
            lookAtMemory();
        }
    }

    @Override
    public @Nullable WorkerPlace claim(@Nullable String token, boolean isLast) {
        return token == null ? null : slots.findByToken(token);
    }

    /** It is never full: no more workers come than it has started. */
    @Override
    public int fullAt() {
        return 0;
    }

    /** Replaces the processes by new ones, in turn. */
    @Override
    public CompletableFuture<PoolChange> reload() {
        return replacements.reload();
    }

    /**
     * Starts processes, or lets some finish what they hold and end, until there are {@code count}.
     */
    @Override
    public CompletableFuture<PoolChange> scale(int count) {
        int before = slots.permanentCount();
        List<WorkerSlot> changed = new ArrayList<>();
        while (slots.permanentCount() < count) {
            changed.add(slots.add());
        }
        while (slots.permanentCount() > count) {
            WorkerSlot surplus = slots.giveUpOne();
            changed.add(surplus);
            replacements.forget(surplus);
            surplus.retire();
        }
        if (before != count) {
            listener.onScaled(before, count);
        }
        Scaling scaling = new Scaling(changed);
        if (!scaling.isDone()) {
            scalings.add(scaling);
        }
        return scaling.done();
    }

    @Override
    public void recycle(WorkerSlot slot, ReplaceCause cause) {
        if (slots.isPermanent(slot)) {
            replacements.recycle(slot, cause);
        }
    }

    /** Replaces the process by a new one, though nothing is wrong with it. */
    @Override
    public CompletableFuture<PoolChange> drain(String id) {
        WorkerSlot slot = slots.find(id);
        if (slot == null) {
            return told(new PoolChange.Unknown());
        }
        if (slot.isUnconnected()) {
            return told(notConnected(id));
        }
        if (slot.isDraining()) {
            return told(new PoolChange.Refused(id + " is draining already"));
        }
        return slots.isPermanent(slot)
                ? replacements.drain(slot)
                : told(new PoolChange.Refused(id + " is starting in place of another worker"));
    }

    @Override
    public PoolChange kill(String id) {
        WorkerSlot slot = slots.find(id);
        if (slot == null) {
            return new PoolChange.Unknown();
        }
        return slot.killOnDemand() ? new PoolChange.Done(1) : notConnected(id);
    }

    /** Ends all processes; each slot goes when its process has. */
    @Override
    public void stop() {
        replacements.stop();
        slots.all().forEach(WorkerSlot::retire);
    }

    @Override
    public boolean isStopped() {
        return slots.isEmpty();
    }

    @Override
    public List<PoolSnapshot.Worker> unconnected() {
        return slots.all().stream()
                .filter(WorkerSlot::isUnconnected)
                .map(WorkerSlot::snapshot)
                .toList();
    }

    /** Why the last replacement failed; null if it did not, or a process got ready since. */
    @Override
    public @Nullable WorkerError lastError() {
        return replacements.lastError();
    }

    @Override
    public void ready(WorkerSlot slot) {
        listener.onReady(slot.id());
        failedAtFirst = null;
        replacements.ready(slot);
        reached(slot);
    }

    @Override
    public void listens(WorkerSlot slot, SocketAddress server, String host) {
        HttpServing http = Objects.requireNonNull(command.http());
        servers.join(server, host, http.concurrency(), slot);
    }

    @Override
    public void failed(WorkerSlot slot, WorkerError error) {
        replacements.failed(slot, error);
        Set<WorkerSlot> failed = failedAtFirst;
        boolean byItself = !slot.wasEndedOnDemand();
        if (failed != null
                && byItself
                && failed.add(slot)
                && failed.containsAll(slots.permanent())) {
            failedAtFirst = null;
            // Runs after the listeners have heard how this one ended.
            loop.tryExecute(() -> listener.onFirstStartFailed(error));
        }
        scalings.forEach(scaling -> scaling.failed(slot, error));
        scalings.removeIf(Scaling::isDone);
    }

    @Override
    public void ended(WorkerSlot slot) {
        slots.remove(slot);
        replacements.ended(slot);
        reached(slot);
        if (slots.isEmpty()) {
            whenStopped.run();
        }
    }

    /**
     * A slot is where a scaling may have wanted it: its process takes requests, or it has ended.
     */
    private void reached(WorkerSlot slot) {
        scalings.forEach(scaling -> scaling.reached(slot));
        scalings.removeIf(Scaling::isDone);
    }

    /** The files of a process may be slow to read when it is busy, so another thread does. */
    private void lookAtMemory() {
        if (slots.isEmpty()) {
            return;
        }
        // First, since there may be no thread for what follows.
        loop.scheduleAfter(MEMORY_INTERVAL.toNanos(), this::lookAtMemory);
        for (WorkerSlot slot : slots.all()) {
            long pid = slot.pid();
            if (pid > 0) {
                Thread.startVirtualThread(() -> {
                    long bytes = ResidentMemory.bytes(pid);
                    loop.tryExecute(() -> slot.hasMemory(pid, bytes));
                });
            }
        }
    }

    private static CompletableFuture<PoolChange> told(PoolChange outcome) {
        return CompletableFuture.completedFuture(outcome);
    }

    private static PoolChange notConnected(String id) {
        return new PoolChange.Refused(id + " has no process at the moment");
    }
}
