package dev.handoff.launcher.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

    private static final List<String> GROUPS = List.of("queue", "recycle");

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
        for (Setting<?> setting : AllSettings.chosenByPools()) {
            if (group(setting) == null) {
                byKey.put(setting.key(), setting);
            }
        }
        return byKey;
    }

    /** The settings that are in a group, by its key and their own in it. */
    static Map<String, Map<String, Setting<?>>> groups() {
        Map<String, Map<String, Setting<?>>> groups = new LinkedHashMap<>();
        for (String group : GROUPS) {
            Map<String, Setting<?>> byKey = new LinkedHashMap<>();
            for (Setting<?> setting : AllSettings.chosenByPools()) {
                if (group.equals(group(setting))) {
                    String rest = setting.key().substring(group.length());
                    byKey.put(Character.toLowerCase(rest.charAt(0)) + rest.substring(1), setting);
                }
            }
            groups.put(group, byKey);
        }
        return groups;
    }

    /** The keys that are about processes, so that they mean nothing without a command. */
    static Set<String> ofProcesses() {
        Set<String> keys = new LinkedHashSet<>(List.of(WORKING_DIRECTORY, ENVIRONMENT));
        for (Setting<?> setting : AllSettings.ofProcesses()) {
            String group = group(setting);
            keys.add(group == null ? setting.key() : group);
        }
        return keys;
    }

    /** The key of the group that a setting is in; null if it has a key of its own. */
    private static @Nullable String group(Setting<?> setting) {
        for (String group : GROUPS) {
            if (setting.key().startsWith(group)) {
                return group;
            }
        }
        return null;
    }

    /** The variables with which the core tells a worker where it is. */
    static Set<String> ofCore() {
        return Set.of(
                "HANDOFF_SOCKET",
                "HANDOFF_POOL",
                "HANDOFF_TOKEN",
                "HANDOFF_WORKER",
                AllSettings.CONCURRENCY.variable(),
                AllSettings.APP_PORT.variable());
    }
}
