package dev.handoff.process.dispatch;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the worker that gets a request, among those that are connected to the pool. Belongs to
 * the thread of the pool's loop.
 */
final class WorkerChoice implements Iterable<WorkerConnection> {
    /**
     * Such a part of the workers' concurrency is kept for requests that are whole: the others hold
     * their places for as long as their clients like.
     */
    private static final int PART_FOR_WHOLE_ONES = 4;

    private final List<WorkerConnection> workers = new ArrayList<>();

    /** The worker at which the search begins; it moves, so that equal workers take turns. */
    private int turn;

    private int mostConcurrency;

    void add(WorkerConnection worker) {
        workers.add(worker);
        mostConcurrency();
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

    /** As they are now: workers may leave meanwhile. */
    @Override
    public Iterator<WorkerConnection> iterator() {
        return List.copyOf(workers).iterator();
    }

    /** How many requests they take at once, all together. */
    int concurrency() {
        int concurrency = 0;
        for (WorkerConnection worker : workers) {
            concurrency += worker.isDraining() ? 0 : worker.concurrency();
        }
        return concurrency;
    }

    /** How many requests they take at once besides their responses in pieces and WebSockets. */
    int places() {
        int places = 0;
        for (WorkerConnection worker : workers) {
            places += worker.places();
        }
        return places;
    }

    /**
     * The most requests that they have taken at once so far. It does not shrink while workers are
     * replaced.
     */
    int mostConcurrency() {
        mostConcurrency = Math.max(mostConcurrency, concurrency());
        return mostConcurrency;
    }

    /**
     * Whether each has as many requests as it takes at once. It does not matter whether it reads
     * them.
     */
    boolean areBusy() {
        for (WorkerConnection worker : workers) {
            if (worker.isOpen() && worker.inFlight() < worker.concurrency()) {
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

    /** How many responses in pieces they have under way, all together. */
    int streams() {
        int streams = 0;
        for (WorkerConnection worker : workers) {
            streams += worker.streams();
        }
        return streams;
    }

    /** The requests that wait for more content, all together. */
    List<WorkerRequest> arrivingOnes() {
        List<WorkerRequest> all = new ArrayList<>();
        for (WorkerConnection worker : workers) {
            all.addAll(worker.arrivingOnes());
        }
        return all;
    }

    /** Whether they hold as many requests as they may whose content is to come. */
    boolean areFullOfArriving() {
        int arriving = 0;
        boolean anyHasRoom = false;
        for (WorkerConnection worker : workers) {
            if (!worker.isDraining()) {
                arriving += worker.arriving();
                anyHasRoom |= hasRoomForArriving(worker);
            }
        }
        return arriving > 0 && (!anyHasRoom || arriving >= mostArriving(uploads()));
    }

    /** Whether they can handle one request at once whose content is to come, all together. */
    boolean haveOnePlaceForArriving() {
        return uploads() == 1;
    }

    /** How many such requests they can handle at once. */
    private int uploads() {
        int uploads = 0;
        for (WorkerConnection worker : workers) {
            uploads += worker.isDraining() ? 0 : worker.uploads();
        }
        return uploads;
    }

    /** Each worker, and all of them together, keep some room. */
    private static boolean hasRoomForArriving(WorkerConnection worker) {
        return worker.arriving() < mostArriving(worker.uploads());
    }

    /**
     * @param uploads how many such requests can be handled at once
     */
    private static int mostArriving(int uploads) {
        return Math.max(1, uploads - Math.max(1, uploads / PART_FOR_WHOLE_ONES));
    }

    /**
     * Chooses who gets the next request: the worker with room that holds the smallest share of its
     * concurrency. So a new worker has its share at once, though the concurrency of the others has
     * grown. Returns null while no worker has room.
     *
     * @param gaveBack the worker that gave the request back, which gets it again only if no other
     *     is there
     */
    @Nullable WorkerConnection leastFilled(
            WorkerRequest.@Nullable Holder gaveBack, WorkerRequest request) {
        if (haveAllConnections()) {
            return null;
        }
        WorkerRequest.Holder avoided = gaveBack != null && hasOther(gaveBack) ? gaveBack : null;
        boolean onlyForWebSockets = isOnlyForWebSockets(request);
        WorkerConnection best = null;
        int count = workers.size();
        for (int i = 0; i < count; i++) {
            WorkerConnection candidate = workers.get((turn + i) % count);
            if (candidate != avoided
                    && candidate.room() > 0
                    && mayHave(candidate, request, onlyForWebSockets)
                    && (best == null || isLessFilled(candidate, best))) {
                best = candidate;
            }
        }
        turn = count == 0 ? 0 : (turn + 1) % count;
        return best;
    }

    /**
     * Whether HTTP servers hold as many requests as those that serve take at once, all together:
     * what replaced ones still hold counts, so that reloads in a row do not use up the descriptors.
     */
    private boolean haveAllConnections() {
        int free = 0;
        for (WorkerConnection worker : workers) {
            if (!worker.needsConnections()) {
                return false;
            }
            free += (worker.isDraining() ? 0 : worker.concurrency()) - worker.inFlight();
        }
        return free <= 0;
    }

    /**
     * Whether some workers are not to have that request, or not now, so that it waits beside the
     * others.
     */
    boolean isDemanding(WorkerRequest request) {
        if (request.isToCome()) {
            return true;
        }
        boolean onlyForWebSockets = isOnlyForWebSockets(request);
        for (WorkerConnection worker : workers) {
            if (!mayHave(worker, request, onlyForWebSockets)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOnlyForWebSockets(WorkerRequest request) {
        return request.asksForWebSocket && anyTakesWebSockets();
    }

    private static boolean mayHave(
            WorkerConnection worker, WorkerRequest request, boolean onlyForWebSockets) {
        return worker.takesContentOf(request)
                && (!request.isToCome() || hasRoomForArriving(worker))
                && (!onlyForWebSockets || worker.takesWebSockets());
    }

    /**
     * Compares shares of the concurrency, which grows with a worker's speed; where they are equal,
     * the responses in pieces that are under way.
     */
    private static boolean isLessFilled(WorkerConnection one, WorkerConnection other) {
        long ones = (long) one.inFlight() * other.concurrency();
        long others = (long) other.inFlight() * one.concurrency();
        return ones < others || (ones == others && one.streams() < other.streams());
    }

    /** Whether a worker takes WebSockets: then all of those go to such workers. */
    boolean anyTakesWebSockets() {
        for (WorkerConnection worker : workers) {
            if (worker.takesWebSockets()) {
                return true;
            }
        }
        return false;
    }

    /** Whether there are workers, and none of them can have the content of that request. */
    boolean noneTakesContentOf(WorkerRequest request) {
        for (WorkerConnection worker : workers) {
            if (worker.takesContentOf(request)) {
                return false;
            }
        }
        return !workers.isEmpty();
    }

    /** Whether another one takes requests. */
    boolean hasOther(WorkerRequest.Holder than) {
        for (WorkerConnection worker : workers) {
            if (worker != than && worker.isOpen()) {
                return true;
            }
        }
        return false;
    }
}
