package dev.handoff.process.supervise;

import dev.handoff.process.protocol.SafeText;
import java.util.List;
import java.util.regex.Pattern;

/** Finds the reason for a failure among the last lines of a process's stderr. */
final class LastComplaint {
    /** Where stack traces are written, and what Node writes below each. */
    private static final Pattern SAYS_NOTHING = Pattern.compile("\\s.*|\\W*|Node\\.js v.*");

    private LastComplaint() {}

    /**
     * The line that tells most, which usually is the last one, {@link SafeText safe to show}.
     *
     * @param stderr its last lines, oldest first
     * @return empty if there is none
     */
    static String of(List<String> stderr) {
        for (String line : stderr.reversed()) {
            if (!SAYS_NOTHING.matcher(line).matches()) {
                return SafeText.of(line.strip());
            }
        }
        for (String line : stderr.reversed()) {
            if (!line.isBlank()) {
                return SafeText.of(line.strip());
            }
        }
        return "";
    }
}
