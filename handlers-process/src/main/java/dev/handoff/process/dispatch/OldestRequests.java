package dev.handoff.process.dispatch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The oldest of the requests that a pool has at one moment.
 *
 * @param count how many requests it has in all
 * @param oldest as many of them as were asked for, the oldest first
 */
public record OldestRequests(int count, List<RequestSnapshot> oldest) {
    public OldestRequests {
        oldest = List.copyOf(oldest);
    }

    /** Finds the oldest among many without putting all of them in order. */
    static final class Search {
        private static final Comparator<WorkerRequest> OLDEST_FIRST =
                (one, other) -> Long.signum(one.arrivedNanos - other.arrivedNanos);

        private final int most;

        /** The youngest first, which is the one to go when an older one comes. */
        private final PriorityQueue<WorkerRequest> found =
                new PriorityQueue<>(OLDEST_FIRST.reversed());

        private int count;

        Search(int most) {
            this.most = most;
        }

        void add(WorkerRequest request) {
            count++;
            WorkerRequest youngest = found.size() < most ? null : found.peek();
            if (youngest == null) {
                found.add(request);
            } else if (OLDEST_FIRST.compare(request, youngest) < 0) {
                found.poll();
                found.add(request);
            }
        }

        OldestRequests end(long nowNanos) {
            List<WorkerRequest> ordered = new ArrayList<>(found);
            ordered.sort(OLDEST_FIRST);
            return new OldestRequests(
                    count,
                    ordered.stream().map(each -> RequestSnapshot.of(each, nowNanos)).toList());
        }
    }
}
