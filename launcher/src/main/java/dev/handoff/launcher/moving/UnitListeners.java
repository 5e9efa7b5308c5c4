package dev.handoff.launcher.moving;

import dev.handoff.launcher.config.ListenAddress;
import dev.handoff.launcher.config.ListenAddress.Tcp;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes places where Handoff listens of Unit's listeners. Where these lead to different things, the
 * routes say for which places they are.
 */
final class UnitListeners {
    /** Each follows all the routes that it leads to. */
    private static final int MOST = 100;

    private static final Set<String> KNOWN = Set.of("pass", "tls", "forwarded", "client_ip");

    private final JsonObject listeners;
    private final Notes notes;

    /** The listeners that lead to the same, by what that is, in the order of the first of each. */
    private final Map<String, List<String>> leadingTo = new LinkedHashMap<>();

    private final List<String> places = new ArrayList<>();

    /** The proxies that each listener trusts. */
    private final Map<String, List<String>> proxies = new LinkedHashMap<>();

    UnitListeners(JsonObject listeners, Notes notes) {
        this.listeners = listeners;
        this.notes = notes;
    }

    /**
     * @param routes follow what the listeners lead to
     * @param made gets the settings
     */
    void move(UnitRoutes routes, Map<String, Object> made) {
        listeners.forEach(this::read);
        boolean alike = leadingTo.size() == 1;
        leadingTo.forEach((pass, addresses) ->
                routes.follow(
                        pass,
                        pointer(addresses.getFirst()) + "/pass",
                        alike ? Map.of() : Map.of("listen", listen(addresses))));
        trust(made);
        if (places.size() == 1 && ListenAddress.parse(places.getFirst()) instanceof Tcp only) {
            made.put("host", only.host());
            made.put("port", only.port());
        } else if (!places.isEmpty()) {
            made.put("listen", String.join(",", places));
        }
    }

    private void read(String address, JsonValue value) {
        String pointer = pointer(address);
        if (!(value instanceof JsonObject listener)) {
            notes.add(pointer, "is no object: left out");
        } else if (places.size() == MOST) {
            notes.add("/listeners", "are more than %d: the others are left out".formatted(MOST));
        } else if (ListenAddress.parse(place(address)) == null) {
            notes.add(pointer, "is no address with a port, and no Unix socket: left out");
        } else {
            places.add(place(address));
            @Nullable String pass = UnitKeys.text(listener, "pass");
            leadingTo
                    .computeIfAbsent(pass == null ? "" : pass, _ -> new ArrayList<>())
                    .add(address);
            String key = listener.containsKey("forwarded") ? "forwarded" : "client_ip";
            proxies.put(address, UnitKeys.strings(UnitKeys.object(listener, key).get("source")));
            keys(listener, pointer);
        }
    }

    private void keys(JsonObject listener, String pointer) {
        if (listener.containsKey("tls")) {
            notes.add(
                    pointer + "/tls",
                    "is yours to set: tlsListen, tlsCertificate and tlsKey take its place (docs/CONFIGURATION.md)");
        }
        notes.addUnknown(pointer, listener.keySet(), KNOWN);
    }

    /** As the first listener that trusts any proxy: here all listeners trust the same. */
    private void trust(Map<String, Object> made) {
        List<String> trusted =
                proxies.values().stream()
                        .filter(each -> !each.isEmpty())
                        .findFirst()
                        .orElse(List.of());
        if (trusted.isEmpty()) {
            return;
        }
        String all = String.join(",", trusted);
        made.put("trustedProxy", all);
        proxies.forEach((address, own) -> {
            if (!own.equals(trusted)) {
                notes.add(
                        pointer(address),
                        "trusts other proxies; here all listeners trust the same: " + all);
            }
        });
    }

    private static Object listen(List<String> addresses) {
        List<String> all = addresses.stream().map(UnitListeners::place).toList();
        return all.size() == 1 ? all.getFirst() : all;
    }

    private static String pointer(String address) {
        return Notes.member("/listeners", address);
    }

    private static String place(String address) {
        return address.startsWith("*:") ? "0.0.0.0" + address.substring(1) : address;
    }
}
