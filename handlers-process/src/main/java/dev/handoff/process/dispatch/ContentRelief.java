package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes room where requests whose content is to come hold all the places that such may have, and
 * others wait for one. It ends those that come slowly, the slowest first. Belongs to the thread of
 * the pool's loop.
 */
final class ContentRelief {
    /** A client that takes longer for 64 KiB may lose its place to others. */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Others wait for so long before a place is taken for them, and between two looks. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How slowly a request comes at one moment: it changes while others are looked at. */
    private record Pace(WorkerRequest request, long slownessNanos) {
        static Pace of(WorkerRequest request) {
            return new Pace(request, request.slownessNanos());
        }
    }

    private final EventLoop loop;
    private final RequestQueue queue;
    private final WorkerChoice workers;

    /** Goes off at the next look; null while none is needed. */
    private @Nullable Timer look;

    ContentRelief(EventLoop loop, RequestQueue queue, WorkerChoice workers) {
        this.loop = loop;
        this.queue = queue;
        this.workers = workers;
    }

    /** A request waits, or one was handed over whose content is to come. */
    void watch() {
        if (look == null && !queue.isEmpty() && workers.areFullOfArriving()) {
            look = loop.scheduleAfter(PATIENCE_NANOS, this::look);
        }
    }

    /**
     * Whether the place that one gave up is for a request that has waited, not for the next one
     * that may come as slowly. Where there are more places, some are kept for whole requests.
     */
    boolean goesBefore(WorkerRequest one, WorkerRequest other) {
        return other.arrives()
                && !one.arrives()
                && workers.haveOnePlaceForArriving()
                && hasWaited(one);
    }

    private boolean hasWaited(WorkerRequest request) {
        return loop.nanoTime() - queue.waitsSinceNanos(request) >= PATIENCE_NANOS;
    }

    private void look() {
        look = null;
        if (!queue.isEmpty() && workers.areFullOfArriving()) {
            makeRoom();
        }
        watch();
    }

    private void makeRoom() {
        List<WorkerRequest> slowInQueue = new ArrayList<>();
        List<WorkerRequest> patient = new ArrayList<>();
        queue.forEach(waiting -> {
            if (waiting.slownessNanos() >= SLOW_NANOS) {
                slowInQueue.add(waiting);
            } else if (hasWaited(waiting)) {
                patient.add(waiting);
            }
        });
        if (!patient.isEmpty()) {
            slowInQueue.forEach(WorkerRequest::giveWay);
            workers.arrivingOnes().stream()
                    .map(Pace::of)
                    .filter(each -> each.slownessNanos >= SLOW_NANOS)
                    .sorted(Comparator.comparingLong(Pace::slownessNanos).reversed())
                    .limit(patient.size())
                    .forEach(each -> each.request.giveWay());
        }
    }
}
