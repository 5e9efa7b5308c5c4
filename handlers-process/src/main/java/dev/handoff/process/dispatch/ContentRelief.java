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
 * others wait for one. It ends those that come slowly, the slowest first, and prefers those that
 * have come. Belongs to the thread of the pool's loop.
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
    private final Runnable dispatchQueued;

    /** Goes off at the next look; null while none is needed. */
    private @Nullable Timer look;

    ContentRelief(
            EventLoop loop, RequestQueue queue, WorkerChoice workers, Runnable dispatchQueued) {
        this.loop = loop;
        this.queue = queue;
        this.workers = workers;
        this.dispatchQueued = dispatchQueued;
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
        return other.isToCome()
                && !one.isToCome()
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
                // Else one that waits for 100 (Continue) and stays silent would never be slow.
                waiting.letBegin();
            }
        });
        if (!patient.isEmpty()) {
            slowInQueue.forEach(WorkerRequest::giveWay);
            patient.stream()
                    .filter(this::hasCome)
                    .forEach(each -> queue.putFirst(each, loop.nanoTime()));
            workers.arrivingOnes().stream()
                    .map(Pace::of)
                    .filter(each -> each.slownessNanos >= SLOW_NANOS)
                    .sorted(Comparator.comparingLong(Pace::slownessNanos).reversed())
                    .limit(patient.size())
                    .forEach(each -> each.request.giveWay());
            dispatchQueued.run();
        }
    }

    /**
     * Whether its client has sent all, or as much as waits for a handler: others may never send
     * any. The only place is for those that have sent all.
     */
    private boolean hasCome(WorkerRequest patient) {
        return patient.arrives()
                && (!patient.isToCome()
                        || (patient.bodyBytes() > 0 && !workers.haveOnePlaceForArriving()));
    }
}
