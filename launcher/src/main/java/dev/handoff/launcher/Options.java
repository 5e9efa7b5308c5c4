package dev.handoff.launcher;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the user chose: a flag wins over the environment variable, and that over the preset. */
final class Options {
    private final Map<String, String> flags;
    private final Map<String, String> environment;

    /**
     * @param flags the values given on the command line, by flag
     */
    Options(Map<String, String> flags, Map<String, String> environment) {
        this.flags = Map.copyOf(flags);
        this.environment = environment;
    }

    /** The value of a setting that has a preset. */
    <T> T get(Setting<T> setting) throws UsageException {
        T value = find(setting);
        if (value == null) {
            throw new IllegalArgumentException(setting.flag() + " has no preset");
        }
        return value;
    }

    /** The value of a setting, or null if nobody chose one and there is no preset. */
    <T> @Nullable T find(Setting<T> setting) throws UsageException {
        String flagged = flags.get(setting.flag());
        if (flagged != null) {
            return parse(setting, setting.flag(), flagged);
        }
        String variable = environment.get(setting.variable());
        // Compose files and scripts pass a variable on as empty when they have none.
        if (variable != null && !variable.isEmpty()) {
            return parse(setting, setting.variable(), variable);
        }
        return setting.preset();
    }

    private static <T> T parse(Setting<T> setting, String source, String text)
            throws UsageException {
        T value = setting.syntax().parser().parse(text);
        if (value == null) {
            throw new UsageException(
                    "%s is '%s': expected %s".formatted(source, text, setting.syntax().expected()));
        }
        return value;
    }
}
