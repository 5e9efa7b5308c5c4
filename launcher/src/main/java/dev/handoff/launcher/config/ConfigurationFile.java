package dev.handoff.launcher.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads {@code handoff.json}: settings at the top, named as the options, the pools and routes. */
public final class ConfigurationFile {
    static final String SCHEMA_KEY = "$schema";
    private static final Set<String> OF_UNIT = Set.of("listeners", "applications");

    static final String POOLS_KEY = "pools";
    static final String ROUTES_KEY = "routes";

    private final Path folder;
    private final Complaints complaints;

    private ConfigurationFile(Path file, Complaints complaints) {
        Path absolute = file.toAbsolutePath();
        Path parent = absolute.getParent();
        this.folder = parent == null ? absolute : parent;
        this.complaints = complaints;
    }

    /**
     * @param given the flags and the environment, which win over the file
     * @param environment in which programs are looked for
     * @throws ConfigurationException if the file is not as expected
     * @throws UsageException if a flag or a variable is not
     */
    public static Configuration read(Path file, Options given, Map<String, String> environment)
            throws ConfigurationException, UsageException {
        Complaints complaints = new Complaints(file.toString());
        JsonNode root = JsonFile.read(file, complaints);
        if (root == null) {
            complaints.throwIfAny();
            throw new IllegalStateException("nothing was read, and nothing complained about");
        }
        return new ConfigurationFile(file, complaints).configuration(root, given, environment);
    }

    /** The keys of the top level. */
    static List<String> keys() {
        List<String> keys = new ArrayList<>(List.of(SCHEMA_KEY, POOLS_KEY, ROUTES_KEY));
        AllSettings.inFile().forEach(setting -> keys.add(setting.key()));
        return keys;
    }

    private Configuration configuration(
            JsonNode root, Options given, Map<String, String> environment)
            throws ConfigurationException, UsageException {
        Map<String, Options.Given> values = new HashMap<>();
        Map<String, JsonNode> members = Map.of();
        if (root instanceof JsonNode.Members object) {
            members = object.members();
        } else {
            complaints.addUnexpected(root, "an object");
        }
        JsonNode pools = null;
        JsonNode routes = null;
        for (Map.Entry<String, JsonNode> member : members.entrySet()) {
            switch (member.getKey()) {
                case SCHEMA_KEY -> expectText(member.getValue());
                case POOLS_KEY -> pools = member.getValue();
                case ROUTES_KEY -> routes = member.getValue();
                default -> setting(member.getKey(), member.getValue(), values);
            }
        }
        Options options = given.withFile(values);
        RouteClaims claims =
                new RouteClaims(
                        folder,
                        complaints.areNone() ? CoreOptions.places(options) : Set.of(),
                        complaints);
        RoutesReader reader = new RoutesReader(folder, complaints, claims);
        List<RoutePlan> others = routes == null ? List.of() : reader.read(routes);
        List<PoolPlan> plans =
                pools == null
                        ? List.of(PoolPlan.only(null, options, claims.haveAll()))
                        : new PoolsReader(
                                        folder,
                                        environment,
                                        options,
                                        complaints,
                                        claims,
                                        reader.poolsLedTo())
                                .read(pools);
        reader.check(others, plans);
        complaints.throwIfAny();
        return new Configuration(options, CoreOptions.from(options), plans, others);
    }

    private void expectText(JsonNode node) {
        if (!(node instanceof JsonNode.Text)) {
            complaints.addUnexpected(node, "the address of a schema");
        }
    }

    private void setting(String key, JsonNode node, Map<String, Options.Given> values) {
        for (Setting<?> setting : AllSettings.inFile()) {
            if (setting.key().equals(key)) {
                Options.Given value = SettingReader.read(setting, node, folder, complaints);
                if (value != null) {
                    values.put(setting.flag(), value);
                }
                return;
            }
        }
        if (OF_UNIT.contains(key)) {
            complaints.add(
                    node.place(),
                    "is a key of NGINX Unit: 'handoff import unit FILE' makes a handoff.json of its configuration");
        } else {
            complaints.addUnknown(node, key, keys());
        }
    }
}
