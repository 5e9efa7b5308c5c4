package dev.handoff.launcher;

import dev.handoff.process.HeldRequest;
import dev.handoff.process.PoolChange;
import dev.handoff.process.WorkerPool;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * What an operator asks a serving process for by a signal: HUP replaces the workers by new ones,
 * USR1 prints the requests that workers hold, USR2 opens the access log anew. Any thread.
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

    /** How it goes is told to the pools' listeners. */
    static void reload(List<WorkerPool> pools) {
        for (WorkerPool pool : pools) {
            var _ =
                    pool.reload()
                            .thenAccept(outcome -> {
                                if (outcome instanceof PoolChange.Refused(String reason)) {
                                    LOG.log(
                                            Level.WARNING,
                                            "pool " + pool.name() + " is not reloaded: " + reason);
                                }
                            });
        }
    }

    private static void print(WorkerPool pool) {
        var _ =
                pool.heldRequests()
                        .thenAccept(held -> LOG.log(Level.INFO, describe(pool.name(), held)));
    }

    /** One request a line, the oldest first. */
    static String describe(String pool, List<HeldRequest> held) {
        StringBuilder text = new StringBuilder("requests in flight in pool ");
        text.append(pool).append(": ").append(held.size());
        for (HeldRequest each : held.subList(0, Math.min(held.size(), MOST_REQUESTS))) {
            text.append(
                    "\n%6d ms  %s  %s %s%s"
                            .formatted(
                                    each.age().toMillis(),
                                    each.worker(),
                                    each.method(),
                                    each.target(),
                                    each.cancelled() ? "  (cancelled)" : ""));
        }
        if (held.size() > MOST_REQUESTS) {
            text.append("\nand ").append(held.size() - MOST_REQUESTS).append(" younger ones");
        }
        return text.toString();
    }
}
