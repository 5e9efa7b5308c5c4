package dev.handoff.process;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The workers that are connected to a pool, and the choice of the one that gets a request. Belongs
 * to the thread of the pool's loop.
 */
final class ConnectedWorkers implements Iterable<WorkerConnection> {
    private final List<WorkerConnection> workers = new ArrayList<>();

    /** Where the search begins, so that equals take turns. */
    private int turn;

    private int widestWindow;

    void add(WorkerConnection worker) {
        workers.add(worker);
        widestWindow();
    }

    void remove(WorkerConnection worker) {
        workers.remove(worker);
    }

    boolean isEmpty() {
        return workers.isEmpty();
    }

    int size() {
        return workers.size();
    }

    /** As they are now: whoever leaves meanwhile disturbs nobody. */
    @Override
    public Iterator<WorkerConnection> iterator() {
        return List.copyOf(workers).iterator();
    }

    @Nullable WorkerConnection find(String id) {
        for (WorkerConnection worker : workers) {
            if (worker.id().equals(id)) {
                return worker;
            }
        }
        return null;
    }

    /** How many requests they take at once, all together. */
    int window() {
        int window = 0;
        for (WorkerConnection worker : workers) {
            window += worker.isDraining() ? 0 : worker.window();
        }
        return window;
    }

    /**
     * The most that they have taken at once so far: while they are replaced it is more than now.
     */
    int widestWindow() {
        widestWindow = Math.max(widestWindow, window());
        return widestWindow;
    }

    /** Whether none of them has a free place in its window, be it slow to read or not. */
    boolean areBusy() {
        for (WorkerConnection worker : workers) {
            if (worker.isOpen() && worker.inFlight() < worker.window()) {
                return false;
            }
        }
        return true;
    }

    /** How many requests they hold, all together. */
    int inFlight() {
        int inFlight = 0;
        for (WorkerConnection worker : workers) {
            inFlight += worker.inFlight();
        }
        return inFlight;
    }

    /**
     * Who gets the next request: of those that have room the one whose window is filled least, so
     * that a newcomer has its share at once, though the windows of the others have grown. Null
     * while nobody has room.
     *
     * @param gaveBack has refused the request, and gets it again only if nobody else is there
     */
    @Nullable WorkerConnection leastFilled(@Nullable WorkerConnection gaveBack) {
        WorkerConnection avoided = gaveBack != null && hasOther(gaveBack) ? gaveBack : null;
        WorkerConnection best = null;
        int count = workers.size();
        for (int i = 0; i < count; i++) {
            WorkerConnection candidate = workers.get((turn + i) % count);
            if (candidate != avoided
                    && candidate.room() > 0
                    && (best == null || candidate.isLessFilledThan(best))) {
                best = candidate;
            }
        }
        turn = count == 0 ? 0 : (turn + 1) % count;
        return best;
    }

    private boolean hasOther(WorkerConnection than) {
        for (WorkerConnection worker : workers) {
            if (worker != than && worker.isOpen()) {
                return true;
            }
        }
        return false;
    }
}
