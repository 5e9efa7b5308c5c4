package dev.handoff.launcher;

import dev.handoff.launcher.logging.Console;
import dev.handoff.launcher.logging.LogLines;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Ends the process when a thread has died, and says why first: without one of its loops a server
 * only seems to live, and whoever watches it can do better.
 */
final class LastWords implements Thread.UncaughtExceptionHandler {
    /** Nobody may be reading; that must not keep the process. */
    private static final Duration MOST_TIME = Duration.ofSeconds(2);

    /** Made in time, as a full heap may be what ended the thread. */
    private final byte[] withoutMemory =
            "handoff: a thread died, and there is no memory left to say which and why\n"
                    .getBytes(StandardCharsets.US_ASCII);

    @Override
    public void uncaughtException(Thread thread, Throwable failure) {
        try {
            var _ =
                    Thread.ofPlatform()
                            .name("handoff-last-words")
                            .daemon()
                            .start(() -> tell(thread, failure))
                            .join(MOST_TIME);
        } catch (OutOfMemoryError noThread) {
            tellWithoutMemory();
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        } finally {
            // Not by exit: what ended the thread, such as a full heap, would end the hooks too.
            Runtime.getRuntime().halt(Main.FAILED);
        }
    }

    /** By itself, as the writer of the log would be too late; then what was told before. */
    private void tell(Thread thread, Throwable failure) {
        try {
            Console.STDERR.print(
                    LogLines.line(
                            Main.class.getName(),
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
