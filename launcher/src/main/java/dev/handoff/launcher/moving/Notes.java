package dev.handoff.launcher.moving;

import dev.handoff.process.protocol.SafeText;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What of a configuration has no answer here, or another meaning, in the order it was found. */
final class Notes {
    private final Set<String> lines = new LinkedHashSet<>();

    /**
     * @param pointer the JSON pointer (RFC 6901) of what is meant
     */
    void add(String pointer, String text) {
        lines.add(SafeText.of(SafeText.beginning(pointer + " " + text)));
    }

    /** Notes the keys that nobody has asked for. */
    void addUnknown(String pointer, Collection<String> keys, Set<String> known) {
        for (String key : keys) {
            if (!known.contains(key)) {
                add(member(pointer, key), "has no answer here: left out");
            }
        }
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    static String member(String pointer, String key) {
        return pointer + "/" + key.replace("~", "~0").replace("/", "~1");
    }
}
