package dev.handoff.launcher.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The keys of one pool in a configuration file. Those that are a {@link Setting} are named as it
 * is, but for a few that share the name of a group: {@code queueBytes} is {@code bytes} in {@code
 * queue}.
 */
final class PoolKey {
    static final String COMMAND = "command";
    static final String WORKING_DIRECTORY = "workingDirectory";
    static final String ENVIRONMENT = "environment";
    static final String ROUTES = "routes";

    private static final List<Setting<?>> SINGLE =
            List.of(
                    Settings.WORKERS,
                    Settings.CONCURRENCY,
                    Settings.USER,
                    Settings.APP_PORT,
                    Settings.STOP_FIRST,
                    Limits.REQUEST_TIMEOUT,
                    Limits.REPLAY_SAFE_METHODS);

    private static final String QUEUE = "queue";
    private static final String RECYCLE = "recycle";
    private static final List<Setting<?>> IN_QUEUE =
            List.of(Limits.QUEUE_REQUESTS, Limits.QUEUE_BYTES, Limits.QUEUE_TIMEOUT);
    private static final List<Setting<?>> IN_RECYCLE =
            List.of(Settings.RECYCLE_REQUESTS, Settings.RECYCLE_AGE, Settings.RECYCLE_MEMORY);

    private PoolKey() {}

    static List<String> all() {
        List<String> keys =
                new ArrayList<>(List.of(COMMAND, WORKING_DIRECTORY, ENVIRONMENT, ROUTES));
        keys.addAll(settings().keySet());
        keys.addAll(groups().keySet());
        return keys;
    }

    /** The settings that have a key of their own. */
    static Map<String, Setting<?>> settings() {
        Map<String, Setting<?>> byKey = new LinkedHashMap<>();
        SINGLE.forEach(setting -> byKey.put(setting.key(), setting));
        return byKey;
    }

    /** The settings that are in a group, by its key and their own in it. */
    static Map<String, Map<String, Setting<?>>> groups() {
        Map<String, Map<String, Setting<?>>> groups = new LinkedHashMap<>();
        groups.put(QUEUE, inGroup(QUEUE, IN_QUEUE));
        groups.put(RECYCLE, inGroup(RECYCLE, IN_RECYCLE));
        return groups;
    }

    private static Map<String, Setting<?>> inGroup(String group, List<Setting<?>> settings) {
        Map<String, Setting<?>> byKey = new LinkedHashMap<>();
        for (Setting<?> setting : settings) {
            String rest = setting.key().substring(group.length());
            byKey.put(Character.toLowerCase(rest.charAt(0)) + rest.substring(1), setting);
        }
        return byKey;
    }

    /** The settings that a pool has, whether it may choose them itself or not. */
    static List<Setting<?>> inEffect(boolean hasProcesses) {
        List<Setting<?>> settings = new ArrayList<>(Settings.ofPools());
        settings.removeIf(setting ->
                !hasProcesses
                        && (ofProcesses().contains(setting.key()) || IN_RECYCLE.contains(setting)));
        return settings;
    }

    /** What is said about processes, so that it means nothing without a command. */
    static List<String> ofProcesses() {
        return List.of(
                WORKING_DIRECTORY,
                ENVIRONMENT,
                Settings.WORKERS.key(),
                Settings.CONCURRENCY.key(),
                Settings.USER.key(),
                Settings.APP_PORT.key(),
                Settings.STOP_FIRST.key(),
                RECYCLE);
    }

    /** The variables with which the core tells a worker where it is. */
    static Set<String> ofCore() {
        return Set.of(
                "HANDOFF_SOCKET",
                "HANDOFF_POOL",
                "HANDOFF_TOKEN",
                "HANDOFF_WORKER",
                Settings.CONCURRENCY.variable(),
                Settings.APP_PORT.variable());
    }
}
