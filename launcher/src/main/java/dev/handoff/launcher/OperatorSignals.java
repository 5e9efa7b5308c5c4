package dev.handoff.launcher;

import dev.handoff.launcher.logging.TargetPath;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.OldestRequests;
import dev.handoff.process.dispatch.RequestSnapshot;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Acts on the signals of operators: HUP reloads and replaces the workers, USR1 logs the requests in
 * hand, USR2 reopens the access log. Any thread.
 */
final class OperatorSignals {
    private static final System.Logger LOG = System.getLogger(OperatorSignals.class.getName());

    /** The admin server shows longer lists. */
    private static final int MOST_REQUESTS = 100;

    private final boolean hangupIsIgnored;
    private volatile @Nullable Core core;

    private OperatorSignals(Runnable reload) {
        // Java leaves this one alone where whoever started it ignores it.
        hangupIsIgnored = SignalHandler.SIG_IGN.equals(handle("HUP", reload));
        handle("USR1", () -> whileServing(core -> core.pools().forEach(OperatorSignals::print)));
        handle("USR2", () -> whileServing(Core::reopenAccessLog));
    }

    /**
     * From here on the signals no longer end the process.
     *
     * @param reload called for HUP; must return at once
     */
    static OperatorSignals install(Runnable reload) {
        return new OperatorSignals(reload);
    }

    private static SignalHandler handle(String name, Runnable action) {
        return Signal.handle(new Signal(name), signal -> action.run());
    }

    /** Lets the signals act on a server; before this they do nothing. */
    void serve(Core serving) {
        core = serving;
        if (hangupIsIgnored) {
            LOG.log(
                    Level.INFO,
                    "SIGHUP does nothing, since the server was started with that signal ignored, as by nohup: `handoff reload` does what it would");
        }
    }

    private void whileServing(Consumer<Core> action) {
        Core serving = core;
        if (serving != null) {
            action.accept(serving);
        }
    }

    private static void print(WorkerPool pool) {
        var _ =
                pool.oldestRequests(MOST_REQUESTS)
                        .thenAccept(inHand -> LOG.log(Level.INFO, describe(pool.name(), inHand)));
    }

    /** One request a line, the oldest first. */
    static String describe(String pool, OldestRequests inHand) {
        StringBuilder text = new StringBuilder("requests in hand in pool ");
        text.append(pool).append(": ").append(inHand.count());
        for (RequestSnapshot each : inHand.oldest()) {
            text.append("\n%6d ms  ".formatted(each.age().toMillis()))
                    .append(each.worker() == null ? "(queued)" : each.worker())
                    .append("  %s %s".formatted(each.method(), TargetPath.of(each.target())));
            switch (each.state()) {
                case QUEUED, RUNNING -> {}
                case STREAMING -> text.append("  (streaming)");
                case WEBSOCKET -> text.append("  (WebSocket)");
                case CANCELLED -> text.append("  (cancelled)");
            }
        }
        int younger = inHand.count() - inHand.oldest().size();
        if (younger > 0) {
            text.append("\nand ").append(younger).append(" younger ones");
        }
        return text.toString();
    }
}
