package dev.handoff.process.supervise;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Reads what a process writes to one stream and passes it on line by line, on a thread of its own.
 * Remembers the last lines, for the report on a crash.
 */
final class LineRelay {
    /** A longer line is passed on in pieces, none of which ends within a surrogate pair. */
    static final int LONGEST_LINE = 8 * 1024;

    static final int REMEMBERED_LINES = 20;

    private final String worker;
    private final ProcessListener.Output stream;
    private final ProcessListener listener;
    private final ArrayDeque<String> lastLines = new ArrayDeque<>();
    private final StringBuilder line = new StringBuilder();

    /** A piece of the line has been passed on already. */
    private boolean continued;

    LineRelay(String worker, ProcessListener.Output stream, ProcessListener listener) {
        this.worker = worker;
        this.stream = stream;
        this.listener = listener;
    }

    /** Begins to read; completes at the end of the stream. */
    CompletableFuture<Void> start(InputStream input) {
        CompletableFuture<Void> read = new CompletableFuture<>();
        Thread.ofPlatform()
                .name(worker + "-" + stream)
                .daemon()
                .start(() -> {
                    try {
                        relay(input);
                    } finally {
                        read.complete(null);
                    }
                });
        return read;
    }

    synchronized List<String> lastLines() {
        return List.copyOf(lastLines);
    }

    void relay(InputStream input) {
        try (Reader reader =
                new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8))) {
            int next = reader.read();
            while (next >= 0) {
                take((char) next);
                next = reader.read();
            }
        } catch (IOException closed) {
            // The process has ended, and its streams with it; there is nothing more to read.
        }
        if (!line.isEmpty()) {
            endLine();
        }
    }

    private void take(char next) {
        if (next == '\n') {
            endLine();
            return;
        }
        if (line.length() >= LONGEST_LINE && !Character.isLowSurrogate(next)) {
            pass();
            continued = true;
        }
        line.append(next);
    }

    private void endLine() {
        int length = line.length();
        if (length > 0 && line.charAt(length - 1) == '\r') {
            line.setLength(length - 1);
        }
        if (!continued || !line.isEmpty()) {
            pass();
        }
        continued = false;
    }

    private void pass() {
        String text = line.toString();
        line.setLength(0);
        remember(text);
        listener.onOutput(worker, stream, text);
    }

    private synchronized void remember(String text) {
        if (lastLines.size() == REMEMBERED_LINES) {
            lastLines.removeFirst();
        }
        lastLines.add(text);
    }
}
