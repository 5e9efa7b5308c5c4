package dev.handoff.launcher.check;

import dev.handoff.process.protocol.SafeText;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last things that were sent and came in a case, for people. For one thread. */
final class Transcript {
    private static final int MOST_LINES = 10;
    private static final int MOST_CHARACTERS = 240;

    private final Deque<String> lines = new ArrayDeque<>();
    private int left;

    void sent(String what) {
        add("sent  " + what);
    }

    void came(String what) {
        add("came  " + what);
    }

    void clear() {
        lines.clear();
        left = 0;
    }

    List<String> lines() {
        if (left == 0) {
            return List.copyOf(lines);
        }
        Deque<String> all = new ArrayDeque<>(lines);
        all.addFirst("...   " + left + " more before");
        return List.copyOf(all);
    }

    private void add(String line) {
        if (lines.size() == MOST_LINES) {
            lines.removeFirst();
            left++;
        }
        lines.addLast(shortened(SafeText.of(line)));
    }

    static String shortened(String text) {
        return text.length() <= MOST_CHARACTERS
                ? text
                : text.substring(0, MOST_CHARACTERS)
                        + "... ("
                        + (text.length() - MOST_CHARACTERS)
                        + " more characters)";
    }
}
