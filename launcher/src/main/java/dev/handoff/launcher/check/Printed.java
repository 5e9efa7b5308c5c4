package dev.handoff.launcher.check;

import dev.handoff.process.protocol.SafeText;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines that a worker has printed, safe to show. One thread reads, any may ask. */
final class Printed {
    static final int MOST_LINES = 8;

    /** The rest of a line is left out: it may have no end. */
    static final int MOST_CHARACTERS = 4096;

    private final Deque<String> lines = new ArrayDeque<>();

    /** Reads to the end. */
    void read(Reader output) throws IOException {
        StringBuilder line = new StringBuilder();
        int last = '\n';
        for (int next = output.read(); next >= 0; next = output.read()) {
            boolean isEnd = next == '\r' || next == '\n';
            if (isEnd && !(last == '\r' && next == '\n')) {
                add(line.toString());
                line.setLength(0);
            } else if (!isEnd && line.length() < MOST_CHARACTERS) {
                line.append((char) next);
            }
            last = next;
        }
        if (!line.isEmpty()) {
            add(line.toString());
        }
    }

    private synchronized void add(String line) {
        if (lines.size() == MOST_LINES) {
            lines.removeFirst();
        }
        lines.addLast(SafeText.of(line));
    }

    /** With line ends between them. */
    synchronized String text() {
        return String.join("\n", lines);
    }
}
