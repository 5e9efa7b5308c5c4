package dev.handoff.launcher.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What {@code run --debug} means for the other options: one worker gets one request after another,
 * and nothing times out while a debugger has halted it.
 */
public final class Debugging {
    /** The longest time that a setting takes. */
    private static final String A_YEAR = "8760h";

    private static final Map<String, String> PRESETS =
            Stream.concat(
                            Stream.of(AllSettings.WORKERS, AllSettings.CONCURRENCY)
                                    .map(setting -> Map.entry(setting.flag(), "1")),
                            List.of(
                                            AllSettings.REQUEST_TIMEOUT,
                                            AllSettings.STREAM_IDLE_TIMEOUT,
                                            AllSettings.QUEUE_TIMEOUT,
                                            AllSettings.NO_WORKER_GRACE,
                                            AllSettings.CANCEL_GRACE,
                                            AllSettings.WORKER_WRITE_TIMEOUT)
                                    .stream()
                                    .map(setting -> Map.entry(setting.flag(), A_YEAR)))
                    .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

    private Debugging() {}

    /** The flags that take effect; those that the user gave win. */
    public static Map<String, String> flags(Map<String, String> given) {
        Map<String, String> all = new HashMap<>(PRESETS);
        all.putAll(given);
        return all;
    }

    /** Rejects several workers, since there is one terminal. */
    public static void check(Options options) throws UsageException {
        if (options.get(AllSettings.WORKERS) != 1) {
            throw new UsageException(
                    "--debug is for one worker, which has the terminal: leave --workers out");
        }
    }
}
