package dev.handoff.launcher.moving;

import java.util.List;

/**
 * A configuration file that was made of another server's.
 *
 * @param json the text of a {@code handoff.json}
 * @param left what has no answer, or another meaning here, a line each
 */
public record Moved(String json, List<String> left) {
    public Moved {
        left = List.copyOf(left);
    }
}
