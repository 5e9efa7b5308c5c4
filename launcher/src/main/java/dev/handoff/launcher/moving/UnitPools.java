package dev.handoff.launcher.moving;

import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes pools of Unit's applications, each when a route leads to it. */
final class UnitPools {
    private static final Set<String> COMMON =
            Set.of(
                    "type",
                    "processes",
                    "limits",
                    "environment",
                    "user",
                    "group",
                    "working_directory",
                    // What this is for is done otherwise here, and nobody misses it.
                    "stdout",
                    "stderr");

    private static final Set<String> OF_PYTHON =
            Set.of(
                    "module",
                    "callable",
                    "factory",
                    "path",
                    "home",
                    "threads",
                    "prefix",
                    "protocol",
                    "targets");

    private static final Set<String> OF_PROGRAM = Set.of("executable", "arguments");

    /** With a word behind it, what has Node load Unit's own module. */
    private static final Set<String> LOADERS = Set.of("--loader", "--require", "--import", "-r");

    private final JsonObject applications;
    private final Notes notes;
    private final Map<String, Map<String, Object>> made = new LinkedHashMap<>();
    private final Map<String, String> prefixes = new LinkedHashMap<>();
    private final Set<String> used = new HashSet<>();

    UnitPools(JsonObject applications, Notes notes) {
        this.applications = applications;
        this.notes = notes;
    }

    /** The pools by their names. */
    Map<String, Map<String, Object>> made() {
        return made;
    }

    void noteUnused() {
        for (String name : applications.keySet()) {
            if (!used.contains(name)) {
                notes.add(
                        pointer(name), "is left out: no route leads to it that has an answer here");
            }
        }
    }

    /** The prefix under which the application of a pool is to see itself; empty for none. */
    String prefix(String pool) {
        return prefixes.getOrDefault(pool, "");
    }

    /**
     * The name of the pool of an application.
     *
     * @param target of the application; null for its only one
     * @param from the pointer of what leads to it
     * @return null, with a note, if it has no answer here
     */
    @Nullable String pool(String name, @Nullable String target, String from) {
        String pool = target == null ? name : name + "-" + target;
        if (made.containsKey(pool)) {
            return pool;
        }
        if (!(applications.get(name) instanceof JsonObject application)) {
            notes.add(from, "names no application that there is: left out");
            return null;
        }
        String pointer = pointer(name);
        String[] type = String.valueOf(UnitKeys.text(application, "type")).split(" ", 2);
        Map<String, Object> keys =
                switch (type[0]) {
                    case "python" -> python(application, target, pointer, pool);
                    case "external" -> program(application, pointer);
                    default -> null;
                };
        if (keys == null) {
            notes.add(pointer, "is left out: " + instead(type[0]));
            return null;
        }
        common(application, pointer, keys);
        made.put(pool, keys);
        used.add(name);
        return pool;
    }

    /**
     * The name of the pool of HTTP servers.
     *
     * @param name of the servers, such as the address of one
     * @param addresses as {@code host:port} or {@code unix:path}
     */
    String ofServers(String name, List<String> addresses) {
        String pool = name.replaceAll("[^A-Za-z0-9]+", "-").replaceAll("^-|-$", "");
        made.putIfAbsent(pool, new LinkedHashMap<>(Map.of("servers", String.join(",", addresses))));
        return pool;
    }

    private static String pointer(String name) {
        return Notes.member("/applications", name);
    }

    private static String instead(String type) {
        return switch (type) {
            case "ruby" -> "adapters/rack/handoff.rb serves Rack, see docs/LANGUAGES.md";
            case "php" ->
                    "adapters/psr15/handoff.php serves handlers of PSR-15; scripts that print need PHP-FPM";
            case "perl", "java", "wasm", "wasm-wasi-component" ->
                    "there is no adapter for %s, see docs/LANGUAGES.md".formatted(type);
            default -> "its type is unknown";
        };
    }

    private Map<String, Object> python(
            JsonObject application, @Nullable String target, String pointer, String pool) {
        JsonObject what =
                target == null
                        ? application
                        : UnitKeys.object(UnitKeys.object(application, "targets"), target);
        String callable = UnitKeys.text(what, "callable");
        List<String> command = new ArrayList<>();
        String home = UnitKeys.text(application, "home");
        if (home != null) {
            command.addAll(List.of(withoutSlash(home) + "/bin/python", "-m", "handoff_worker"));
        }
        command.add(
                UnitKeys.text(what, "module")
                        + ":"
                        + (callable == null ? "application" : callable));
        if (what.getBoolean("factory", false)) {
            command.add("--factory");
        }
        Integer threads = UnitKeys.number(application, "threads");
        if (threads != null) {
            command.addAll(List.of("--threads", threads.toString()));
        }
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("command", command.size() == 1 ? command.getFirst() : command);
        paths(application, keys);
        String prefix = UnitKeys.text(what, "prefix");
        if (prefix != null) {
            prefixes.put(pool, withoutSlash(prefix));
        }
        notes.addUnknown(
                pointer,
                application.keySet().stream().filter(key -> !COMMON.contains(key)).toList(),
                OF_PYTHON);
        return keys;
    }

    /** Where the modules are: the first folder is where the worker starts. */
    private static void paths(JsonObject application, Map<String, Object> keys) {
        List<String> paths = UnitKeys.strings(application.get("path"));
        String given = UnitKeys.text(application, "working_directory");
        String folder = given != null || paths.isEmpty() ? given : paths.getFirst();
        if (folder != null) {
            keys.put("workingDirectory", folder);
        }
        List<String> others = paths.stream().filter(path -> !path.equals(folder)).toList();
        if (!others.isEmpty()) {
            keys.put("environment", Map.of("PYTHONPATH", String.join(":", others)));
        }
    }

    /** A program of Node's, or one that speaks Unit's own protocol. */
    private Map<String, Object> program(JsonObject application, String pointer) {
        List<String> words = new ArrayList<>();
        String executable = String.valueOf(UnitKeys.text(application, "executable"));
        if (!executable.equals("/usr/bin/env")) {
            words.add(executable);
        }
        words.addAll(UnitKeys.strings(application.get("arguments")));
        boolean loadsUnit = false;
        for (int i = 0; i + 1 < words.size(); i++) {
            if (LOADERS.contains(words.get(i)) && words.get(i + 1).startsWith("unit-http")) {
                words.subList(i, i + 2).clear();
                loadsUnit = true;
                i--;
            }
        }
        boolean isNode = words.stream().anyMatch(UnitPools::isOfNode);
        if (!isNode) {
            notes.add(
                    pointer,
                    "starts a program: one that is made for Unit speaks Unit's protocol, and has to be built with adapters/go or speak docs/PROTOCOL.md");
        } else if (!loadsUnit) {
            notes.add(
                    pointer,
                    "is of Node: require('unit-http') is node:http in the file that is started, and elsewhere has to become require('node:http')");
        }
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("command", words);
        String folder = UnitKeys.text(application, "working_directory");
        if (folder != null) {
            keys.put("workingDirectory", folder);
        }
        notes.addUnknown(
                pointer,
                application.keySet().stream().filter(key -> !COMMON.contains(key)).toList(),
                OF_PROGRAM);
        return keys;
    }

    private static boolean isOfNode(String word) {
        String name = word.substring(word.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
        return name.equals("node")
                || name.endsWith(".js")
                || name.endsWith(".mjs")
                || name.endsWith(".cjs");
    }

    private void common(JsonObject application, String pointer, Map<String, Object> keys) {
        processes(application, pointer, keys);
        JsonObject limits = UnitKeys.object(application, "limits");
        Integer timeout = UnitKeys.number(limits, "timeout");
        if (timeout != null && timeout > 0) {
            keys.put("requestTimeout", timeout + "s");
        }
        Integer requests = UnitKeys.number(limits, "requests");
        if (requests != null && requests > 0) {
            keys.put("recycle", Map.of("requests", requests));
        }
        notes.addUnknown(
                pointer + "/limits", limits.keySet(), Set.of("timeout", "requests", "shm"));
        Map<String, Object> environment = new LinkedHashMap<>();
        if (keys.get("environment") instanceof Map<?, ?> paths) {
            paths.forEach((key, value) -> environment.put(String.valueOf(key), value));
        }
        JsonObject given = UnitKeys.object(application, "environment");
        for (String key : given.keySet()) {
            environment.put(key, UnitKeys.text(given, key));
        }
        if (!environment.isEmpty()) {
            keys.put("environment", environment);
        }
        String user = UnitKeys.text(application, "user");
        String group = UnitKeys.text(application, "group");
        if (user != null) {
            keys.put("user", user);
            if (group != null) {
                keys.put("group", group);
            }
            notes.add(pointer + "/user", "holds only where the server runs as root, as in Unit");
        } else if (group != null) {
            notes.add(
                    pointer + "/group", "counts only beside a user here: write both into the pool");
        }
    }

    private void processes(JsonObject application, String pointer, Map<String, Object> keys) {
        Integer count = UnitKeys.number(application, "processes");
        JsonObject range = UnitKeys.object(application, "processes");
        Integer most = UnitKeys.number(range, "max");
        if (count == null && most != null) {
            count = most;
            notes.add(
                    pointer + "/processes",
                    "comes and goes in Unit: here all %d run all the time".formatted(most));
        }
        if (count != null) {
            keys.put("workers", count);
        }
    }

    static String withoutSlash(String path) {
        return path.length() > 1 && path.endsWith("/")
                ? path.substring(0, path.length() - 1)
                : path;
    }
}
