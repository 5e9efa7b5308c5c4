package dev.handoff.launcher;

import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.RequestInHand;
import dev.handoff.process.dispatch.RequestsInHand;
import dev.handoff.process.supervise.PoolChange;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * What an operator asks a serving process for by a signal: HUP replaces the workers by new ones,
 * USR1 prints the requests in hand, USR2 opens the access log anew. Any thread.
 */
final class OperatorSignals {
    private static final System.Logger LOG = System.getLogger(OperatorSignals.class.getName());

    /** Longer lists are for the admin server. */
    private static final int MOST_REQUESTS = 100;

    private volatile @Nullable Core core;

    private OperatorSignals() {}

    /**
     * From here on the signals no longer end the process.
     *
     * @param reload called for HUP; must return at once
     */
    static OperatorSignals install(Runnable reload) {
        OperatorSignals signals = new OperatorSignals();
        Signal.handle(new Signal("HUP"), signal -> reload.run());
        Signal.handle(
                new Signal("USR1"),
                signal ->
                        signals.whileServing(core -> core.pools().forEach(OperatorSignals::print)));
        Signal.handle(new Signal("USR2"), signal -> signals.whileServing(Core::reopenAccessLog));
        return signals;
    }

    /** Until now there was nothing that the signals could be about. */
    void serve(Core serving) {
        core = serving;
    }

    private void whileServing(Consumer<Core> action) {
        Core serving = core;
        if (serving != null) {
            action.accept(serving);
        }
    }

    /**
     * Has the workers of these pools replaced; how it goes is told to the pools' listeners.
     *
     * @return completes when all are done with an empty string, or with why the first of those that
     *     failed did
     */
    static CompletableFuture<String> reload(List<WorkerPool> pools) {
        CompletableFuture<String> first = CompletableFuture.completedFuture("");
        for (WorkerPool pool : pools) {
            CompletableFuture<String> next =
                    pool.reload().thenApply(outcome -> whyNot(pool.name(), outcome));
            first = first.thenCombine(next, (why, another) -> why.isEmpty() ? another : why);
        }
        return first;
    }

    /** Why a pool is not reloaded; empty if it is. */
    private static String whyNot(String pool, PoolChange outcome) {
        return switch (outcome) {
            case PoolChange.Done(int workers) -> "";
            case PoolChange.Failed(int workers, var error) ->
                    "pool %s: %d replaced, then given up; the other workers go on as they are: %s"
                            .formatted(pool, workers, error.summary());
            case PoolChange.Refused(String reason) -> {
                String why = "pool " + pool + " is not reloaded: " + reason;
                LOG.log(Level.WARNING, why);
                yield why;
            }
            case PoolChange.Unknown() ->
                    throw new IllegalStateException("a pool does not know itself");
        };
    }

    private static void print(WorkerPool pool) {
        var _ =
                pool.requestsInHand(MOST_REQUESTS)
                        .thenAccept(inHand -> LOG.log(Level.INFO, describe(pool.name(), inHand)));
    }

    /** One request a line, the oldest first. */
    static String describe(String pool, RequestsInHand inHand) {
        StringBuilder text = new StringBuilder("requests in hand in pool ");
        text.append(pool).append(": ").append(inHand.count());
        for (RequestInHand each : inHand.oldest()) {
            text.append("\n%6d ms  ".formatted(each.age().toMillis()))
                    .append(each.worker() == null ? "(queued)" : each.worker())
                    .append("  %s %s".formatted(each.method(), TargetPath.of(each.target())));
            if (each.state() == RequestInHand.State.CANCELLED) {
                text.append("  (cancelled)");
            }
        }
        int younger = inHand.count() - inHand.oldest().size();
        if (younger > 0) {
            text.append("\nand ").append(younger).append(" younger ones");
        }
        return text.toString();
    }
}
