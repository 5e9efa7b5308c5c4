package dev.handoff.launcher;

import dev.handoff.launcher.logging.Console;
import dev.handoff.launcher.logging.LogLines;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

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

    @Override
    public void uncaughtException(Thread thread, Throwable failure) {
        try {
            var _ =
                    Thread.ofPlatform()
                            .name("handoff-dead-thread")
                            .daemon()
                            .start(() -> tell(thread, failure))
                            .join(MOST_TIME);
        } catch (OutOfMemoryError noThread) {
            tellWithoutMemory();
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        } finally {
            // Not by exit: what ended the thread, such as a full heap, would also end the hooks.
            Runtime.getRuntime().halt(ExitCode.FAILED);
        }
    }

    /**
     * Prints the line itself, since the writer of the log would be too late; then flushes the log.
     */
    private void tell(Thread thread, Throwable failure) {
        try {
            Console.STDERR.print(
                    LogLines.line(
                            DeadThreadExit.class.getName(),
                            Level.ERROR,
                            "thread " + thread.getName() + " died",
                            failure));
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
