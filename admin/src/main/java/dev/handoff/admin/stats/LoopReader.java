package dev.handoff.admin.stats;

import dev.handoff.loop.EventLoop;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLoad;
import java.util.concurrent.CompletableFuture;

/**
 * Has one loop copy what it counts, by a task of its own, and keeps the newest copy. Belongs to the
 * thread of the loop that reads.
 */
final class LoopReader {
    private final int index;
    private final LoopPoll<Copy> poll;
    private Copy newest;
    private int peak;

    private record Copy(Totals totals, ServerLoad load, boolean acceptPaused, int peak) {}

    /**
     * @param index of the loop
     * @param readingLoop the loop that reads
     */
    LoopReader(int index, ObservedServer observed, EventLoop readingLoop) {
        EventLoop loop = observed.loops().get(index);
        LoopCounters counters = observed.counters().loop(index);
        HttpServer server = observed.server();
        this.index = index;
        this.newest = new Copy(new LoopCounters(index).totals(), new ServerLoad(0, 0), false, 0);
        this.poll =
                new LoopPoll<>(
                        () -> loop.ask(() -> copy(counters, server.load(index))),
                        this::take,
                        readingLoop);
    }

    /** Brings the copy up to date, if the loop answers in time. */
    CompletableFuture<Void> read() {
        return poll.ask();
    }

    Totals totals() {
        return newest.totals;
    }

    LoopState state() {
        return new LoopState(
                index, poll.isAnswered(), newest.load.active(), newest.load.bufferedBytes());
    }

    boolean isAcceptPaused() {
        return newest.acceptPaused;
    }

    /** The most connections that were open at once since this was last asked. */
    int takePeak() {
        int taken = peak;
        peak = 0;
        return taken;
    }

    private static Copy copy(LoopCounters counters, ServerLoad load) {
        ClientCounters clients = counters.clients();
        return new Copy(counters.totals(), load, clients.isAcceptPaused(), clients.takePeak());
    }

    private void take(Copy copy) {
        newest = copy;
        peak = Math.max(peak, copy.peak);
    }
}
