package dev.handoff.process.dispatch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests that one worker holds, each under the id that it was handed over with. Ids count up
 * from 1 on each connection. Belongs to the thread of the pool's loop.
 */
final class HeldRequests {
    private static final int FIRST_CAPACITY = 16;

    /**
     * Chains of {@link WorkerRequest#nextHeld}. Their number is a power of two, so that the last
     * bits of an id choose the chain.
     */
    private @Nullable WorkerRequest[] chains = new @Nullable WorkerRequest[FIRST_CAPACITY];

    /** How many responses in pieces may be under way besides the worker's concurrency. */
    private final int mostBeside;

    private int size;
    private int streams;
    private int arriving;
    private long lastId;

    /**
     * @param mostBeside how many responses in pieces may be under way besides its concurrency
     */
    HeldRequests(int mostBeside) {
        this.mostBeside = mostBeside;
    }

    /** The id for the next request. */
    long nextId() {
        return ++lastId;
    }

    void add(WorkerRequest request) {
        if (size == chains.length) {
            grow();
        }
        size++;
        if (request.isContentDue()) {
            arriving++;
        }
        link(request);
    }

    /** Whether there was ever a request of that id. */
    boolean wasHanded(long id) {
        return id >= 1 && id <= lastId;
    }

    @Nullable WorkerRequest find(long id) {
        WorkerRequest request = chains[chainOf(id)];
        while (request != null && request.id != id) {
            request = request.nextHeld;
        }
        return request;
    }

    /** Takes the request of that id out; null if there is none. */
    @Nullable WorkerRequest remove(long id) {
        WorkerRequest before = null;
        WorkerRequest request = chains[chainOf(id)];
        while (request != null && request.id != id) {
            before = request;
            request = request.nextHeld;
        }
        if (request == null) {
            return null;
        }
        if (before == null) {
            chains[chainOf(id)] = request.nextHeld;
        } else {
            before.nextHeld = request.nextHeld;
        }
        request.nextHeld = null;
        size--;
        if (request.begun() != null) {
            streams--;
        }
        if (request.isContentDue()) {
            arriving--;
        }
        return request;
    }

    int size() {
        return size;
    }

    /** How many count against the worker's concurrency. */
    int inFlight() {
        return size - Math.min(streams, mostBeside);
    }

    /** How many of the worker's places its responses in pieces and WebSockets take. */
    int placesOfStreams() {
        return Math.max(0, streams - mostBeside);
    }

    /** One of them has begun a response in pieces, or has become a WebSocket. */
    void streamBegan() {
        streams++;
    }

    /** How many responses in pieces are under way, cancelled ones included. */
    int streams() {
        return streams;
    }

    /** The rest of the content of one of them has come. */
    void contentEnded() {
        arriving--;
    }

    /** How many of them have content that is to come, cancelled ones included. */
    int arriving() {
        return arriving;
    }

    /** Those whose content is to come, and whose clients are there. */
    List<WorkerRequest> arrivingOnes() {
        return arriving == 0 ? List.of() : wanted(WorkerRequest::isContentDue);
    }

    /**
     * Those whose responses or content come in pieces, and whose clients are there: these may take
     * as long as they like.
     */
    List<WorkerRequest> lasting() {
        return wanted(request ->
                request.begun() == null
                        ? request.isToCome()
                        : request.begun() instanceof WorkerStream);
    }

    /** The WebSockets whose clients are there. */
    List<WorkerRequest> webSockets() {
        return wanted(request -> request.webSocket() != null);
    }

    private List<WorkerRequest> wanted(Predicate<WorkerRequest> which) {
        return all().stream()
                .filter(each -> each.state == WorkerRequest.State.IN_FLIGHT && which.test(each))
                .toList();
    }

    boolean isEmpty() {
        return size == 0;
    }

    /**
     * Whether a client waits for the response with that id. That of a WebSocket may have broken a
     * rule, and still be owed answers.
     */
    boolean isWanted(long id) {
        WorkerRequest request = find(id);
        return request != null
                && (request.state == WorkerRequest.State.IN_FLIGHT || request.webSocket() != null);
    }

    /** How many of them a client waits for. */
    int wantedCount() {
        int count = 0;
        for (WorkerRequest request : all()) {
            count += request.state == WorkerRequest.State.IN_FLIGHT ? 1 : 0;
        }
        return count;
    }

    /** The age of the oldest of them; 0 if there is none. */
    long oldestNanos(long nowNanos) {
        long oldest = 0;
        for (WorkerRequest request : all()) {
            oldest = Math.max(oldest, nowNanos - request.arrivedNanos);
        }
        return oldest;
    }

    /** All of them, cancelled ones included, in no order. */
    List<WorkerRequest> all() {
        List<WorkerRequest> all = new ArrayList<>(size);
        for (WorkerRequest first : chains) {
            for (WorkerRequest each = first; each != null; each = each.nextHeld) {
                all.add(each);
            }
        }
        return all;
    }

    /** Takes all of them out, in the order in which they were handed over. */
    List<WorkerRequest> removeAll() {
        List<WorkerRequest> held = all();
        held.sort(Comparator.comparingLong(request -> request.id));
        held.forEach(request -> request.nextHeld = null);
        Arrays.fill(chains, null);
        size = 0;
        streams = 0;
        arriving = 0;
        return held;
    }

    private void grow() {
        List<WorkerRequest> all = all();
        chains = new @Nullable WorkerRequest[2 * chains.length];
        all.forEach(this::link);
    }

    private void link(WorkerRequest request) {
        int chain = chainOf(request.id);
        request.nextHeld = chains[chain];
        chains[chain] = request;
    }

    private int chainOf(long id) {
        return (int) id & (chains.length - 1);
    }
}
