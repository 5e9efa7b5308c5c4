package dev.handoff.process.supervise;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import dev.handoff.process.dispatch.Departure;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.dispatch.WorkerPlace;
import dev.handoff.process.dispatch.WorkerTally;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a pool that were started elsewhere. Each is known from when it joins until it
 * leaves; only what was wrong with it is remembered for longer, by the name that it gave itself.
 * Belongs to the pool's loop.
 */
public final class ExternalWorkers implements Workforce {
    /** How many names are remembered; the one that failed longest ago is forgotten first. */
    static final int MOST_NAMES = 100;

    /** A container or a program of the same start has come by then. */
    static final Duration NO_WORKER_NOTICE = Duration.ofSeconds(30);

    private final String pool;
    private final EventLoop loop;
    private final ProcessListener listener;
    private final Map<String, External> connected = new HashMap<>();
    private final Map<String, WorkerError> errorsByName = new LinkedHashMap<>();
    private @Nullable WorkerError lastError;
    private int joinedCount;
    private boolean expected;
    private @Nullable Timer notice;

    /**
     * @param pool its name
     */
    public ExternalWorkers(String pool, EventLoop loop, ProcessListener listener) {
        this.pool = pool;
        this.loop = loop;
        this.listener = listener;
    }

    /** From here on the listener hears of it when nobody comes. */
    public void expect() {
        expected = true;
        noticeAbsence();
    }

    private void cancelNotice() {
        if (notice != null) {
            notice.cancel();
        }
    }

    private void noticeAbsence() {
        if (expected && connected.isEmpty()) {
            notice =
                    loop.scheduleAfter(
                            NO_WORKER_NOTICE.toNanos(),
                            () -> listener.onNoWorker(NO_WORKER_NOTICE));
        }
    }

    /**
     * Lets a worker join. Some core started a worker with a token, so such a worker joins this pool
     * only if no other pool takes it.
     */
    @Override
    public @Nullable WorkerPlace claim(@Nullable String token, boolean isLast) {
        return token == null || isLast ? new External() : null;
    }

    @Override
    public int fullAt() {
        return connected.size() >= MOST_WORKERS ? MOST_WORKERS : 0;
    }

    @Override
    public CompletableFuture<PoolChange> reload() {
        return CompletableFuture.completedFuture(startedElsewhere());
    }

    @Override
    public CompletableFuture<PoolChange> scale(int count) {
        return CompletableFuture.completedFuture(startedElsewhere());
    }

    @Override
    public CompletableFuture<PoolChange> drain(String id) {
        External worker = connected.get(id);
        if (worker == null) {
            return CompletableFuture.completedFuture(new PoolChange.Unknown());
        }
        return worker.drain();
    }

    @Override
    public PoolChange kill(String id) {
        External worker = connected.get(id);
        return worker == null ? new PoolChange.Unknown() : worker.kill();
    }

    /** Their processes are not ours. */
    @Override
    public void stop() {
        expected = false;
        cancelNotice();
    }

    @Override
    public boolean isStopped() {
        return true;
    }

    @Override
    public List<PoolSnapshot.Worker> unconnected() {
        return List.of();
    }

    @Override
    public @Nullable WorkerError lastError() {
        return lastError;
    }

    private void remember(String name, WorkerError error) {
        lastError = error;
        errorsByName.remove(name);
        errorsByName.put(name, error);
        if (errorsByName.size() > MOST_NAMES) {
            errorsByName.remove(errorsByName.keySet().iterator().next());
        }
    }

    private static PoolChange startedElsewhere() {
        return new PoolChange.Refused("the workers of this pool are started elsewhere");
    }

    /** A worker that was started elsewhere; it leaves the pool when its connection ends. */
    private final class External implements WorkerPlace {
        private final String id = pool + "-external-" + ++joinedCount;
        private final WorkerTally tally = new WorkerTally();
        private final CompletableFuture<PoolChange> left = new CompletableFuture<>();
        private @Nullable Connection connection;

        @Override
        public String id() {
            return id;
        }

        @Override
        public long pid() {
            return 0;
        }

        @Override
        public WorkerTally tally() {
            return tally;
        }

        @Override
        public boolean isAttended() {
            return false;
        }

        @Override
        public void joined(Connection worker) {
            connection = worker;
            connected.put(id, this);
            cancelNotice();
            if (worker.concurrency() > 0) {
                opened();
            }
        }

        @Override
        public void opened() {
            lastError = null;
        }

        @Override
        public void answered() {}

        @Override
        public void left(Departure departure) {
            connected.remove(id);
            noticeAbsence();
            if (departure.isDiagnosed()) {
                remember(worker().name(), new WorkerError(id, departure.why(), List.of()));
            }
            left.complete(new PoolChange.Done(1));
        }

        CompletableFuture<PoolChange> drain() {
            if (worker().isDraining()) {
                return CompletableFuture.completedFuture(
                        new PoolChange.Refused(id + " is draining already"));
            }
            worker().drain();
            return left;
        }

        PoolChange kill() {
            worker().close(LeaveReason.KILLED);
            return new PoolChange.Done(1);
        }

        @Override
        public PoolSnapshot.Worker snapshot() {
            Connection worker = worker();
            WorkerError error = errorsByName.get(worker.name());
            return new PoolSnapshot.Worker(
                    id,
                    worker.name(),
                    tally.serial(),
                    worker.pid(),
                    worker.host(),
                    worker.stateName(),
                    worker.concurrency(),
                    worker.inFlight(),
                    worker.streams(),
                    worker.oldestNanos(),
                    tally.counts(),
                    worker.joinedAt(),
                    0,
                    worker.toldMemoryBytes(),
                    error == null ? "" : error.summary());
        }

        private Connection worker() {
            if (connection == null) {
                throw new IllegalStateException(id + " has not joined");
            }
            return connection;
        }
    }
}
