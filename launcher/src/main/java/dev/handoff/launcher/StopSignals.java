package dev.handoff.launcher;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import sun.misc.Signal;

/**
 * Handles the signals to stop: TERM from a supervisor, INT from Ctrl-C. The first lets the server
 * finish, the second stops it at once. Any thread.
 */
final class StopSignals {
    private static final List<String> NAMES = List.of("TERM", "INT");

    /** How long a stop at once may take for clearing up before the process is halted. */
    static final Duration HURRY = Duration.ofSeconds(1);

    private final CompletableFuture<String> first = new CompletableFuture<>();
    private final CountDownLatch second = new CountDownLatch(1);
    private final Consumer<String> hurry;

    /**
     * @param hurry ends the process, if nothing is wrong with it
     * @param halt ends it in any case; called when {@code hurry} has used up its time
     */
    StopSignals(Consumer<String> hurry, Duration hurryTime, Runnable halt) {
        this.hurry = hurry;
        // Started now, since there may be neither threads nor memory left at the end.
        Thread last = new Thread(() -> haltAfterSecond(hurryTime, halt), "handoff-halt");
        last.setDaemon(true);
        last.start();
    }

    /**
     * From here on the signals no longer end the process by themselves.
     *
     * @param hurry called for every signal after the first, with its name. What it does not end
     *     within {@link #HURRY} is halted
     */
    static StopSignals install(Consumer<String> hurry) {
        StopSignals signals =
                new StopSignals(hurry, HURRY, () -> Runtime.getRuntime().halt(ExitCode.FAILED));
        for (String name : NAMES) {
            Signal.handle(new Signal(name), signal -> signals.came("SIG" + signal.getName()));
        }
        return signals;
    }

    /**
     * Stops the server as the first signal does, for callers that have another way to ask.
     *
     * @return false if the server has been told to stop already; then nothing changes
     */
    boolean request(String who) {
        return first.complete(who);
    }

    /** Completes with the name of the first signal. */
    CompletableFuture<String> first() {
        return first;
    }

    void came(String name) {
        if (!first.complete(name)) {
            second.countDown();
            hurry.accept(name);
        }
    }

    private void haltAfterSecond(Duration hurryTime, Runnable halt) {
        boolean interrupted;
        do {
            interrupted = false;
            try {
                second.await();
            } catch (InterruptedException nobodyMeansThis) {
                interrupted = true;
            }
        } while (interrupted);
        long until = System.nanoTime() + hurryTime.toNanos();
        long left = until - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = until - System.nanoTime();
        }
        halt.run();
    }
}
