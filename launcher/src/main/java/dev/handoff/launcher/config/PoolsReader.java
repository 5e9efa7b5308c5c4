package dev.handoff.launcher.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the pools of a configuration file, and rejects two pools that want the same requests. */
final class PoolsReader {
    /** Each has workers of its own, at least one process: more are hardly meant. */
    static final int MOST_POOLS = 1000;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    /**
     * Workers of pool x that others start are called x-external-1, as would those of a pool
     * x-external.
     */
    private static final String ENDING_OF_IDS = "-external";

    /** Characters that only a shell interprets. */
    private static final Pattern FOR_A_SHELL = Pattern.compile("[\"'\\\\$|&;<>`*?~#]");

    /** It does not show what is there instead: variables are secrets, however they are spelled. */
    private static final String IS_NO_ENVIRONMENT =
            "is no object of variables: expected {\"NAME\": \"value\"}, and no = in a name";

    private final Path folder;
    private final Map<String, String> environment;
    private final Options options;
    private final Complaints complaints;
    private final RouteClaims claims;
    private final Set<String> poolsLedTo;

    /** Those that were found, by the names that the file has for user and group; null for none. */
    private final Map<String, @Nullable WorkerUser> users = new HashMap<>();

    /**
     * @param folder where relative paths start
     * @param claims of the routes of the top level
     * @param poolsLedTo the pools that need no routes, since others lead to them
     */
    PoolsReader(
            Path folder,
            Map<String, String> environment,
            Options options,
            Complaints complaints,
            RouteClaims claims,
            Set<String> poolsLedTo) {
        this.folder = folder;
        this.environment = environment;
        this.options = options;
        this.complaints = complaints;
        this.claims = claims;
        this.poolsLedTo = poolsLedTo;
    }

    List<PoolPlan> read(JsonNode node) throws UsageException {
        if (!(node instanceof JsonNode.Members pools) || pools.members().isEmpty()) {
            complaints.addUnexpected(node, "an object with at least one pool, by name");
            return List.of();
        }
        int count = pools.members().size();
        if (count > MOST_POOLS) {
            complaints.add(node.place(), "has %d pools: %d at most".formatted(count, MOST_POOLS));
            return List.of();
        }
        List<PoolPlan> plans = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : pools.members().entrySet()) {
            JsonNode pool = entry.getValue();
            if (!NAME.matcher(entry.getKey()).matches()) {
                complaints.add(
                        pool.place(),
                        "is no name: expected a letter or digit first, then letters, digits, -, _ and ., at most 64");
            } else if (entry.getKey().endsWith(ENDING_OF_IDS)) {
                complaints.add(
                        pool.place(),
                        "ends in %s, like the ids of workers that are started elsewhere: choose another name"
                                .formatted(ENDING_OF_IDS));
            } else if (pool instanceof JsonNode.Members members) {
                plans.add(pool(entry.getKey(), members, pools.members().size() == 1));
            } else {
                complaints.addUnexpected(pool, "an object");
            }
        }
        return plans;
    }

    private PoolPlan pool(String name, JsonNode.Members pool, boolean isOnly)
            throws UsageException {
        Map<String, Options.Given> values = new LinkedHashMap<>();
        pool.members().forEach((key, node) -> setting(key, node, values));
        Options own = options.withPool(values);
        Workers workers = workers(pool, own);
        return new PoolPlan(
                name,
                workers,
                workers == null ? PoolPlan.servers(own) : null,
                Limits.pool(own),
                own.get(AllSettings.REQUEST_TIMEOUT),
                routes(name, pool, isOnly),
                own);
    }

    private void setting(String key, JsonNode node, Map<String, Options.Given> values) {
        Setting<?> setting = PoolKey.settings().get(key);
        Map<String, Setting<?>> group = PoolKey.groups().get(key);
        if (setting != null) {
            put(setting, node, values);
        } else if (group != null) {
            group(group, node, values);
        } else if (!PoolKey.all().contains(key)) {
            complaints.addUnknown(node, key, PoolKey.all());
        }
    }

    private void group(
            Map<String, Setting<?>> group, JsonNode node, Map<String, Options.Given> values) {
        if (!(node instanceof JsonNode.Members members)) {
            complaints.addUnexpected(node, "an object with " + String.join(", ", group.keySet()));
            return;
        }
        members.members()
                .forEach((key, value) -> {
                    Setting<?> setting = group.get(key);
                    if (setting == null) {
                        complaints.addUnknown(value, key, group.keySet());
                    } else {
                        put(setting, value, values);
                    }
                });
    }

    private void put(Setting<?> setting, JsonNode node, Map<String, Options.Given> values) {
        Options.Given value = SettingReader.read(setting, node, folder, complaints);
        if (value != null) {
            values.put(setting.flag(), value);
        }
    }

    private @Nullable Workers workers(JsonNode.Members pool, Options own) throws UsageException {
        Path directory = workingDirectory(pool);
        Map<String, String> added = environment(pool);
        JsonNode node = pool.members().get(PoolKey.COMMAND);
        JsonNode servers = pool.members().get(AllSettings.SERVERS.key());
        if (node == null) {
            for (String key : PoolKey.ofProcesses()) {
                JsonNode useless = pool.members().get(key);
                boolean isForServers = servers != null && key.equals(AllSettings.CONCURRENCY.key());
                if (useless != null && !isForServers) {
                    complaints.add(
                            useless.place(), "is for pools with a command, and this one has none");
                }
            }
            return null;
        }
        if (servers != null) {
            complaints.add(
                    servers.place(),
                    "is for servers that are started elsewhere: leave out command");
        }
        boolean http = own.get(AllSettings.HTTP);
        HandlerCommand command = command(node, directory, http);
        WorkerUser runAs = user(pool, own);
        return command == null
                ? null
                : new Workers(
                        command,
                        own.get(AllSettings.WORKERS),
                        own.find(AllSettings.CONCURRENCY),
                        own.find(AllSettings.APP_PORT),
                        http,
                        runAs,
                        own.get(AllSettings.STOP_FIRST),
                        Workers.recycling(own),
                        false,
                        false,
                        added,
                        directory);
    }

    private @Nullable WorkerUser user(JsonNode.Members pool, Options own) throws UsageException {
        String asked = own.find(AllSettings.USER) + ":" + own.find(AllSettings.GROUP);
        if (users.containsKey(asked)) {
            return users.get(asked);
        }
        try {
            WorkerUser found = WorkerUser.of(own, SearchPath.of(environment));
            users.put(asked, found);
            return found;
        } catch (StartException failure) {
            JsonNode said = pool.members().getOrDefault(AllSettings.USER.key(), pool);
            complaints.add(said.place(), "cannot be used: " + failure.getMessage());
            return null;
        }
    }

    private Path workingDirectory(JsonNode.Members pool) {
        JsonNode node = pool.members().get(PoolKey.WORKING_DIRECTORY);
        if (node instanceof JsonNode.Text text && !text.value().isBlank()) {
            try {
                Path directory = folder.resolve(text.value()).normalize();
                if (Files.isDirectory(directory)) {
                    return directory;
                }
            } catch (InvalidPathException impossible) {
                // The complaint below says so.
            }
            complaints.add(node.place(), "is " + text.shown() + ": there is no such folder");
        } else if (node != null) {
            complaints.addUnexpected(node, "a folder");
        }
        return folder;
    }

    private Map<String, String> environment(JsonNode.Members pool) {
        Map<String, String> variables = new HashMap<>();
        JsonNode node = pool.members().get(PoolKey.ENVIRONMENT);
        if (node instanceof JsonNode.Members members) {
            members.members().forEach((name, value) -> variable(node, name, value, variables));
        } else if (node != null) {
            complaints.add(node.place(), IS_NO_ENVIRONMENT);
        }
        return variables;
    }

    private void variable(
            JsonNode node, String name, JsonNode value, Map<String, String> variables) {
        if (name.contains("=")) {
            complaints.add(node.place(), IS_NO_ENVIRONMENT);
        } else if (PoolKey.ofCore().contains(name)) {
            complaints.add(value.place(), "is set by the core itself");
        } else if (name.isEmpty() || hasNul(name)) {
            complaints.add(value.place(), "is no name of a variable");
        } else if (value instanceof JsonNode.Text text && !hasNul(text.value())) {
            variables.put(name, text.value());
        } else {
            complaints.add(value.place(), "is not a string, as variables are");
        }
    }

    private @Nullable HandlerCommand command(JsonNode node, Path directory, boolean http) {
        List<String> words = words(node);
        if (words.isEmpty()) {
            return null;
        }
        Programs programs = Programs.of(environment);
        if (http) {
            programs = programs.withoutSdks();
        }
        String program = words.getFirst();
        try {
            boolean isFile =
                    Language.ofFile(program) != null
                            || Files.isDirectory(directory.resolve(program));
            if (HandlerCommand.namesApplication(program)
                    && !Files.exists(directory.resolve(program))) {
                if (http) {
                    throw new UsageException(HandlerCommand.needsNoServer(program));
                }
                return HandlerCommand.ofApplication(words, programs, directory);
            }
            if (isFile || program.contains("/")) {
                words.set(0, directory.resolve(program).normalize().toString());
            }
            return isFile
                    ? HandlerCommand.ofFile(words, programs, directory)
                    : HandlerCommand.ofCommand(words, programs);
        } catch (UsageException | StartException | InvalidPathException failure) {
            complaints.add(node.place(), "cannot be run: " + failure.getMessage());
            return null;
        }
    }

    /** The words of a command; empty, with a complaint, if it has none. */
    private List<String> words(JsonNode node) {
        List<String> words = new ArrayList<>();
        if (node instanceof JsonNode.Text text) {
            if (FOR_A_SHELL.matcher(text.value()).find()) {
                complaints.addUnexpected(
                        node, "plain words, as no shell reads it; anything else in an array");
                return List.of();
            }
            words.addAll(List.of(text.value().strip().split("\\s+", -1)));
        } else if (node instanceof JsonNode.Items items) {
            for (JsonNode item : items.items()) {
                if (item instanceof JsonNode.Text text && !hasNul(text.value())) {
                    words.add(text.value());
                } else {
                    complaints.addUnexpected(item, "a string");
                    return List.of();
                }
            }
        }
        if (words.isEmpty() || words.getFirst().isBlank()) {
            complaints.addUnexpected(node, "a program with its arguments, or a handler's file");
            return List.of();
        }
        return words;
    }

    private List<PoolRoute> routes(String name, JsonNode.Members pool, boolean isOnly) {
        JsonNode node = pool.members().get(PoolKey.ROUTES);
        if (node == null && isOnly) {
            return PoolPlan.routesOfOnly(claims.haveAll());
        }
        if (node == null && poolsLedTo.contains(name)) {
            return List.of();
        }
        if (node == null) {
            complaints.add(
                    pool.place(), "has no routes: where there are several pools each needs some");
            return List.of();
        }
        if (!(node instanceof JsonNode.Items items) || items.items().isEmpty()) {
            complaints.addUnexpected(node, "an array of at least one route");
            return List.of();
        }
        List<PoolRoute> routes = new ArrayList<>();
        for (JsonNode item : items.items()) {
            PoolRoute route = claims.read(item, List.of());
            if (route != null) {
                routes.add(route);
            }
        }
        return routes;
    }

    private static boolean hasNul(String text) {
        return text.indexOf('\0') >= 0;
    }
}
