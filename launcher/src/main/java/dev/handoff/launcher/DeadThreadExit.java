package dev.handoff.launcher;

import dev.handoff.launcher.logging.Console;
import dev.handoff.launcher.logging.LogLines;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process when one of its threads has died, and says why first: a server without one of
 * its loops only seems to live, and its supervisor can start a new one. Called on the dying thread.
 */
final class DeadThreadExit implements Thread.UncaughtExceptionHandler {
    /** The longest wait for a reader of the log, who may have stopped reading. */
    private static final Duration MOST_TIME = Duration.ofSeconds(2);

    /** Encoded in advance, since a full heap may have ended the thread. */
    private final byte[] withoutMemory =
            "handoff: a thread died, and there is no memory left to say which and why\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private final CountDownLatch died = new CountDownLatch(1);
    private final AtomicReference<@Nullable Thread> firstDead = new AtomicReference<>();
    private volatile @Nullable Throwable failure;

    /** Started at once, since there may be neither threads nor memory left when one dies. */
    private final Thread teller =
            Thread.ofPlatform().name("handoff-dead-thread").daemon().start(this::tellFirst);

    @Override
    public void uncaughtException(Thread thread, Throwable reason) {
        try {
            if (firstDead.compareAndSet(null, thread)) {
                failure = reason;
                died.countDown();
            }
            // Not told here: a reader who has stopped reading would hold this thread for ever.
            var _ = teller.join(MOST_TIME);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        } finally {
            // Not by exit: what ended the thread, such as a full heap, would also end the hooks.
            Runtime.getRuntime().halt(ExitCode.FAILED);
        }
    }

    private void tellFirst() {
        try {
            died.await();
        } catch (InterruptedException nobodyMeansThis) {
            return;
        }
        tell(Objects.requireNonNull(firstDead.get()), Objects.requireNonNull(failure));
    }

    /**
     * Prints the line itself, since the writer of the log would be too late; then flushes the log.
     */
    private void tell(Thread thread, Throwable reason) {
        try {
            Console.STDERR.print(
                    LogLines.line(
                            DeadThreadExit.class.getName(),
                            Level.ERROR,
                            "thread " + thread.getName() + " died",
                            reason));
            LogLines.flush();
        } catch (OutOfMemoryError full) {
            tellWithoutMemory();
        }
    }

    private void tellWithoutMemory() {
        try {
            Console.STDERR.write(withoutMemory);
        } catch (IOException nobodyReads) {
            // There is no other place to tell it.
        }
    }
}
