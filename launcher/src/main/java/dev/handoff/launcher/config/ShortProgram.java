package dev.handoff.launcher.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A program that says something and ends. It may ask a directory that does not answer, or be
 * stopped by another process of its user.
 */
final class ShortProgram {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    /** Of the exit code of a process that was ended by a signal. */
    private static final int SIGNALLED = 128;

    private ShortProgram() {}

    /**
     * What it prints, in UTF-8, without blanks at the ends.
     *
     * @throws IOException if it cannot be started, or was ended by a signal, or has not ended in
     *     time; the message says so
     */
    static String output(List<String> command) throws IOException {
        return output(command, LONGEST);
    }

    static String output(List<String> command, Duration longest) throws IOException {
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        process.getOutputStream().close();
        CompletableFuture<String> output =
                CompletableFuture.supplyAsync(() -> read(process))
                        .thenCombine(process.onExit(), (said, ended) -> said);
        try {
            String said = output.get(longest.toMillis(), TimeUnit.MILLISECONDS);
            int code = process.exitValue();
            if (code > SIGNALLED) {
                throw new IOException("signal %d ended it".formatted(code - SIGNALLED));
            }
            return said.strip();
        } catch (TimeoutException late) {
            throw new IOException(
                    "it has not ended within %d s: does another process of its user stop it?"
                            .formatted(longest.toSeconds()),
                    late);
        } catch (ExecutionException failure) {
            throw new IOException(failure.getCause());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new IOException(ended);
        } finally {
            process.destroyForcibly();
        }
    }

    private static String read(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
