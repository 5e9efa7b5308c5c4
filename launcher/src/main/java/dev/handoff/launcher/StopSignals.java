package dev.handoff.launcher;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import sun.misc.Signal;

/**
 * Waits to be told to stop: by TERM from a supervisor, by INT from Ctrl-C. The first is waited for,
 * the next means at once. Any thread.
 */
final class StopSignals {
    private static final List<String> NAMES = List.of("TERM", "INT");

    private final CompletableFuture<String> first = new CompletableFuture<>();
    private final Consumer<String> hurry;

    private StopSignals(Consumer<String> hurry) {
        this.hurry = hurry;
    }

    /**
     * From here on the signals no longer end the process by themselves.
     *
     * @param hurry called for every signal after the first, with its name
     */
    static StopSignals install(Consumer<String> hurry) {
        StopSignals signals = new StopSignals(hurry);
        for (String name : NAMES) {
            Signal.handle(new Signal(name), signal -> signals.came("SIG" + signal.getName()));
        }
        return signals;
    }

    /**
     * As the first signal does, for somebody who asks by another way.
     *
     * @return false if it is told to stop already; then this hurries nobody
     */
    boolean request(String who) {
        return first.complete(who);
    }

    /** Completes with the name of the first signal. */
    CompletableFuture<String> first() {
        return first;
    }

    private void came(String name) {
        if (!first.complete(name)) {
            hurry.accept(name);
        }
    }
}
