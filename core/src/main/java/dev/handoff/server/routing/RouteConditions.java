package dev.handoff.server.routing;

import dev.handoff.server.forwarding.Network;
import dev.handoff.server.forwarding.Origin;
import java.net.InetAddress;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a route asks of a request besides host, path and method. A request has to satisfy all of it.
 *
 * @param headers the values that a field may have, by its name in lower-case. A field that comes
 *     more than once satisfies no condition, so that it cannot satisfy two
 * @param query the values that a parameter of the query may have, by its name, both decoded as
 *     forms are (WHATWG URL, {@code application/x-www-form-urlencoded}); once, as fields
 * @param scheme {@link Origin#HTTP} or {@link Origin#HTTPS}; null for either
 * @param clients the networks of the client; empty for any
 * @param places where the request may have come in, see {@link Origin#place}; empty for anywhere
 */
public record RouteConditions(
        Map<String, Set<String>> headers,
        Map<String, Set<String>> query,
        @Nullable String scheme,
        Set<Network> clients,
        Set<String> places) {
    /** Asks for nothing. */
    public static final RouteConditions NONE =
            new RouteConditions(Map.of(), Map.of(), null, Set.of(), Set.of());

    public RouteConditions {
        headers = copy(headers);
        query = copy(query);
        clients = Set.copyOf(clients);
        places = Set.copyOf(places);
    }

    private static Map<String, Set<String>> copy(Map<String, Set<String>> values) {
        Map<String, Set<String>> copy = new HashMap<>();
        values.forEach((name, each) -> copy.put(name, Set.copyOf(each)));
        return Map.copyOf(copy);
    }

    boolean isNone() {
        return scheme == null
                && headers.isEmpty()
                && query.isEmpty()
                && clients.isEmpty()
                && places.isEmpty();
    }

    boolean fit(RouteRequest request) {
        return (scheme == null || scheme.equals(request.origin().scheme()))
                && (places.isEmpty() || places.contains(request.origin().place()))
                && (clients.isEmpty() || isFrom(request.origin().address()))
                && fit(headers, request::onlyField)
                && fit(query, request::onlyParameter);
    }

    private boolean isFrom(@Nullable InetAddress client) {
        if (client != null) {
            for (Network each : clients) {
                if (each.contains(client)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean fit(
            Map<String, Set<String>> wanted, Function<String, @Nullable String> only) {
        for (Map.Entry<String, Set<String>> each : wanted.entrySet()) {
            String value = only.apply(each.getKey());
            if (value == null || !each.getValue().contains(value)) {
                return false;
            }
        }
        return true;
    }

    /** Whether every request that satisfies the other satisfies this, as far as one can tell. */
    boolean contain(RouteConditions other) {
        return (scheme == null || scheme.equals(other.scheme))
                && contain(headers, other.headers)
                && contain(query, other.query)
                && (clients.isEmpty()
                        || (!other.clients.isEmpty()
                                && NetworkIndex.contains(clients, other.clients)))
                && (places.isEmpty()
                        || (!other.places.isEmpty() && places.containsAll(other.places)));
    }

    private static boolean contain(Map<String, Set<String>> ours, Map<String, Set<String>> others) {
        for (Map.Entry<String, Set<String>> each : ours.entrySet()) {
            Set<String> values = others.get(each.getKey());
            if (values == null || !each.getValue().containsAll(values)) {
                return false;
            }
        }
        return true;
    }

    /** Whether no request can satisfy both. */
    boolean exclude(RouteConditions other) {
        return (scheme != null && other.scheme != null && !scheme.equals(other.scheme))
                || exclude(headers, other.headers)
                || exclude(query, other.query)
                || areApart(places, other.places, Collections::disjoint)
                || areApart(clients, other.clients, NetworkIndex::areApart);
    }

    /** Whether both ask for something, and for nothing that may be in both. */
    private static <T> boolean areApart(
            Set<T> ours, Set<T> others, BiPredicate<Set<T>, Set<T>> nothingIsInBoth) {
        return !ours.isEmpty() && !others.isEmpty() && nothingIsInBoth.test(ours, others);
    }

    private static boolean exclude(Map<String, Set<String>> ours, Map<String, Set<String>> others) {
        for (Map.Entry<String, Set<String>> each : ours.entrySet()) {
            Set<String> values = others.get(each.getKey());
            if (values != null && Collections.disjoint(each.getValue(), values)) {
                return true;
            }
        }
        return false;
    }

    /** As people read it, behind a path: {@code if header x-beta is 1}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(headers).forEach((name, values) -> add("header " + name, values, text));
        new TreeMap<>(query).forEach((name, values) -> add("query " + name, values, text));
        if (scheme != null) {
            add("scheme", Set.of(scheme), text);
        }
        if (!clients.isEmpty()) {
            Map<String, Network> sorted = new TreeMap<>();
            clients.forEach(each -> sorted.put(each.toString(), each));
            add("client", sorted.keySet(), text);
        }
        if (!places.isEmpty()) {
            add("listen", places, text);
        }
        return text.toString();
    }

    private static void add(String what, Set<String> values, StringBuilder text) {
        text.append(text.isEmpty() ? " if " : " and ").append(what).append(" is ");
        text.append(String.join(" or ", values.stream().sorted().toList()));
    }
}
