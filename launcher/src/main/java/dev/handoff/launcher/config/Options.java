package dev.handoff.launcher.config;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The values that the user chose. A value for one pool wins there; then come the flag, the
 * environment variable, the configuration file and the preset.
 */
public final class Options {
    private static final String PRESET = "default";

    private final Map<String, Given> pool;
    private final Map<String, String> flags;
    private final Map<String, String> environment;
    private final Map<String, Given> file;

    /**
     * @param source where it was chosen, in the user's words: a flag, a variable, a place in the
     *     file
     */
    record Given(String text, String source) {}

    /**
     * @param flags the values given on the command line, by flag
     */
    public Options(Map<String, String> flags, Map<String, String> environment) {
        this(Map.of(), flags, environment, Map.of());
    }

    private Options(
            Map<String, Given> pool,
            Map<String, String> flags,
            Map<String, String> environment,
            Map<String, Given> file) {
        this.pool = Map.copyOf(pool);
        this.flags = Map.copyOf(flags);
        this.environment = environment;
        this.file = Map.copyOf(file);
    }

    /**
     * @param values by the flag of their setting
     */
    Options withFile(Map<String, Given> values) {
        return new Options(pool, flags, environment, values);
    }

    /**
     * @param values by the flag of their setting
     */
    Options withPool(Map<String, Given> values) {
        return new Options(values, flags, environment, file);
    }

    /** The value of a setting that has a preset. */
    public <T> T get(Setting<T> setting) throws UsageException {
        T value = find(setting);
        if (value == null) {
            throw new IllegalArgumentException(setting.flag() + " has no preset");
        }
        return value;
    }

    /** The value of a setting, or null if nobody chose one and there is no preset. */
    public <T> @Nullable T find(Setting<T> setting) throws UsageException {
        Given given = given(setting);
        return given == null ? setting.preset() : parse(setting, given);
    }

    /** Whether nobody chose the value of a setting. */
    boolean isPreset(Setting<?> setting) {
        return given(setting) == null;
    }

    /** Where the value of a setting comes from. */
    String source(Setting<?> setting) {
        Given given = given(setting);
        return given == null ? PRESET : given.source();
    }

    private @Nullable Given given(Setting<?> setting) {
        Given ofPool = pool.get(setting.flag());
        if (ofPool != null) {
            return ofPool;
        }
        String flagged = flags.get(setting.flag());
        if (flagged != null) {
            return new Given(flagged, setting.flag());
        }
        String variable = environment.get(setting.variable());
        // Compose files and scripts pass a variable on as empty when they have none.
        if (variable != null && !variable.isEmpty()) {
            return new Given(variable, setting.variable());
        }
        return file.get(setting.flag());
    }

    /** Whether the same was chosen in the same places. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Options options
                && pool.equals(options.pool)
                && flags.equals(options.flags)
                && environment.equals(options.environment)
                && file.equals(options.file);
    }

    @Override
    public int hashCode() {
        return Objects.hash(pool, flags, environment, file);
    }

    private static <T> T parse(Setting<T> setting, Given given) throws UsageException {
        T value = setting.syntax().parser().parse(given.text());
        if (value == null) {
            throw new UsageException(
                    "%s is '%s': expected %s"
                            .formatted(given.source(), given.text(), setting.syntax().expected()));
        }
        return value;
    }
}
