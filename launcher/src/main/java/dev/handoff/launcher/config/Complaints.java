package dev.handoff.launcher.config;

import dev.handoff.process.protocol.SafeText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Collects all that is wrong with a configuration file, one line each. */
final class Complaints {
    /** The most lines that are shown at once. */
    private static final int MOST = 20;

    private final String file;
    private final List<String> lines = new ArrayList<>();

    /** How many came after these. */
    private int more;

    /**
     * @param file as the user named it
     */
    Complaints(String file) {
        this.file = file;
    }

    /** The file as a whole cannot be read. */
    void add(String problem) {
        addLine(file + ": " + problem);
    }

    /** The file is no JSON from there on. */
    void add(long line, long column, String problem) {
        addLine("%s, line %d, column %d: %s".formatted(file, line, column, problem));
    }

    /** Something else was expected in that place, such as "is 7: expected a name". */
    void add(JsonNode.Place place, String problem) {
        String pointer = place.pointer().isEmpty() ? "the whole" : place.pointer();
        addLine("%s, line %d: %s %s".formatted(file, place.line(), pointer, problem));
    }

    /** Keys and values may hold anything, which no terminal should get. */
    private void addLine(String line) {
        if (lines.size() < MOST) {
            lines.add(SafeText.of(SafeText.beginning(line)));
        } else {
            more++;
        }
    }

    void addUnexpected(JsonNode node, String expected) {
        add(node.place(), "is %s: expected %s".formatted(node.shown(), expected));
    }

    /** The key is unknown. */
    void addUnknown(JsonNode node, String key, Collection<String> known) {
        String nearest = Spelling.nearest(key, known);
        add(
                node.place(),
                nearest == null
                        ? "is unknown: expected one of " + String.join(", ", known)
                        : "is unknown (did you mean " + nearest + "?)");
    }

    boolean areNone() {
        return lines.isEmpty();
    }

    /**
     * @throws ConfigurationException if there is anything to complain about
     */
    void throwIfAny() throws ConfigurationException {
        if (!lines.isEmpty()) {
            List<String> shown = new ArrayList<>(lines);
            if (more > 0) {
                shown.add(file + ": and " + more + " more");
            }
            throw new ConfigurationException(shown);
        }
    }
}
