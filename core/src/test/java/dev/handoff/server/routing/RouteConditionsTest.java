package dev.handoff.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.server.Handler;
import dev.handoff.server.HeldRequests;
import dev.handoff.server.forwarding.Network;
import dev.handoff.server.forwarding.Origin;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What routes of one path ask for besides. */
class RouteConditionsTest {
    private final List<Route> routes = new ArrayList<>();
    private final Map<Handler, String> names = new HashMap<>();

    @ParameterizedTest
    @CsvSource({
        "/x, exact",
        "/x/, exact",
        "/x?y, exact",
        "/%78, exact",
        "/x/y, below",
        "/xy, none"
    })
    void anExactPathIsForNoOther(String target, String expected) {
        add("below", pattern("/x", RouteConditions.NONE));
        add("exact", new RoutePattern(null, "/x/", true, Set.of(), RouteConditions.NONE));
        assertEquals(expected, find(target, Origin.HTTP, "192.0.2.1"));
    }

    @Test
    void theExactRootIsForTheRootAlone() {
        add("exact", new RoutePattern(null, "/", true, Set.of(), RouteConditions.NONE));
        assertEquals("exact", find("/", Origin.HTTP, "192.0.2.1"));
        assertEquals("none", find("/x", Origin.HTTP, "192.0.2.1"));
    }

    @ParameterizedTest
    @CsvSource({"1, beta", "2, beta", "3, plain", "'', plain", "1|1, plain", ", plain"})
    void aFieldHasToComeOnceWithOneOfTheValues(@Nullable String values, String expected) {
        add("plain", pattern("/", RouteConditions.NONE));
        add("beta", pattern("/", header("x-beta", "1", "2")));
        List<String> fields = new ArrayList<>();
        for (String value : values == null ? new String[0] : values.split("\\|", -1)) {
            fields.addAll(List.of("x-beta", value));
        }
        assertEquals(expected, find("/", Origin.HTTP, "192.0.2.1", fields.toArray(String[]::new)));
    }

    @ParameterizedTest
    @CsvSource({
        "/?v=2, two",
        "/?a&v=2&b, two",
        "/?%76=%32, two",
        "/?v=a+b, two",
        "/?v=2&v=2, plain",
        "/?v=2&%76=3, plain",
        "/?v, plain",
        "/?w=2, plain",
        "/?v==2, plain",
        "/?&=&v=2&&, two",
        "/, plain",
        "*, plain"
    })
    void aParameterHasToComeOnceWithOneOfTheValues(String target, String expected) {
        add("plain", pattern("/", RouteConditions.NONE));
        add("two", pattern("/", query("v", "2", "a b")));
        assertEquals(expected, find(target, Origin.HTTP, "192.0.2.1"));
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, net",
        "192.0.3.1, one",
        "192.0.3.2, any",
        "2001:db8::1, net",
        "::1, any"
    })
    void aClientIsInOneOfTheNetworks(String client, String expected) {
        add("any", pattern("/", RouteConditions.NONE));
        add("net", pattern("/", clients("192.0.2.0/24", "2001:db8::/32")));
        add("one", pattern("/", clients("192.0.3.1")));
        assertEquals(expected, find("/", Origin.HTTP, client));
    }

    @Test
    void aClientWithoutAnAddressIsInNone() {
        add("any", pattern("/", RouteConditions.NONE));
        add("net", pattern("/", clients("0.0.0.0/0", "::/0")));
        Request request = request("/");
        Origin unix = new Origin("unix:0", null, Origin.HTTP, "");
        assertEquals("any", names.get(new RouteTable(routes).find(request, unix)));
    }

    @Test
    void choosesByTheScheme() {
        add("any", pattern("/", RouteConditions.NONE));
        add("secure", pattern("/", scheme(Origin.HTTPS)));
        assertEquals("any", find("/", Origin.HTTP, "192.0.2.1"));
        assertEquals("secure", find("/", Origin.HTTPS, "192.0.2.1"));
    }

    @ParameterizedTest
    @CsvSource({"a:80, here", "b:80, here", "c:80, c", "d:80, any", "'', any"})
    void choosesByWhereTheRequestCameIn(String place, String expected) {
        add("any", pattern("/", RouteConditions.NONE));
        add("here", pattern("/", places("a:80", "b:80")));
        add("c", pattern("/", places("c:80")));
        assertEquals(expected, find("/", new Origin("unix:0", null, Origin.HTTP, place)));
    }

    @Test
    void aRouteForFewerPlacesAsksForMore() {
        add("both", pattern("/", places("a:80", "b:80")));
        add("one", pattern("/", places("a:80")));
        assertEquals("one", find("/", new Origin("unix:0", null, Origin.HTTP, "a:80")));
        assertEquals("both", find("/", new Origin("unix:0", null, Origin.HTTP, "b:80")));
        assertEquals("none", find("/", new Origin("unix:0", null, Origin.HTTP, "c:80")));
        assertClash(pattern("/", places("a:80", "b:80")), pattern("/", places("b:80", "c:80")));
        assertClash(pattern("/", places("a:80")), pattern("/", header("h", "1")));
    }

    /** Or 8 KB with 2,000 parameters would cost 60 ms of an event loop behind 300 routes. */
    @Test
    void readsFieldsAndQueryOnceHoweverManyRoutesAskForThem() {
        for (int i = 0; i < 300; i++) {
            add("query " + i, pattern("/", query("v", "" + i)));
            add("header " + i, pattern("/x", header("x-v", "" + i)));
        }
        RouteTable many = new RouteTable(routes);
        RouteTable few = new RouteTable(List.of(routes.get(0), routes.get(1)));
        for (String target : List.of("/?" + "v=1&".repeat(2000), "/x?" + "v=1&".repeat(2000))) {
            long once = allocatedBytes(few, target);
            assertTrue(allocatedBytes(many, target) < 2 * once + 10_000, target.substring(0, 2));
        }
    }

    private static long allocatedBytes(RouteTable table, String target) {
        Request request = request(target, "x-v", "none");
        Origin origin = Origin.of(new InetSocketAddress("192.0.2.1", 4711), Origin.HTTP, "");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            assertNotNull(table.find(request, origin));
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    /** In any order of the routes, also where fewer values or a smaller network ask for more. */
    @Test
    void takesTheRouteThatAsksForMore() {
        List<Route> nested =
                List.of(
                        route("any", pattern("/", RouteConditions.NONE)),
                        route("wide", pattern("/", clients("10.0.0.0/8", "11.0.0.0/8"))),
                        route("narrow", pattern("/", clients("10.1.0.0/16", "11.0.0.0/8"))),
                        route(
                                "narrowest",
                                pattern(
                                        "/",
                                        new RouteConditions(
                                                Map.of("a", Set.of("1")),
                                                Map.of(),
                                                null,
                                                networks("10.1.0.0/16"),
                                                Set.of()))));
        for (int i = 0; i < nested.size(); i++) {
            routes.clear();
            routes.addAll(nested.subList(i, nested.size()));
            routes.addAll(nested.subList(0, i));
            assertEquals("narrowest", find("/", Origin.HTTP, "10.1.0.1", "a", "1"));
            assertEquals("narrow", find("/", Origin.HTTP, "10.1.0.1"));
            assertEquals("wide", find("/", Origin.HTTP, "10.2.0.1", "a", "1"));
            assertEquals("any", find("/", Origin.HTTP, "12.0.0.1", "a", "1"));
        }
    }

    @Test
    void goesOnToAShorterPathWhereAConditionFails() {
        add("root", pattern("/", RouteConditions.NONE));
        add("beta", pattern("/x", header("x-beta", "1")));
        assertEquals("root", find("/x", Origin.HTTP, "192.0.2.1"));
        assertEquals("beta", find("/x", Origin.HTTP, "192.0.2.1", "x-beta", "1"));
    }

    @Test
    void servesHeadWithTheConditionsOfGet() {
        add("get", new RoutePattern(null, "/", false, Set.of("GET"), header("a", "1")));
        add("head", new RoutePattern(null, "/", false, Set.of("HEAD"), header("a", "2")));
        RouteTable table = new RouteTable(routes);
        Origin here = Origin.of(new InetSocketAddress("192.0.2.1", 1), Origin.HTTP, "");
        for (String[] each : new String[][] {{"1", "get"}, {"2", "head"}}) {
            Request head =
                    new Request(
                            "HEAD",
                            "/",
                            HttpVersion.HTTP_1_1,
                            Headers.of("a", each[0]),
                            Body.EMPTY);
            assertEquals(each[1], names.get(table.find(head, here)));
        }
    }

    @Test
    void takesRoutesThatExcludeEachOther() {
        add("one", pattern("/", header("h", "1")));
        add("others", pattern("/", header("h", "2", "3")));
        add("http", pattern("/x", scheme(Origin.HTTP)));
        add("https", pattern("/x", scheme(Origin.HTTPS)));
        add("near", pattern("/y", clients("10.0.0.0/8")));
        add("far", pattern("/y", clients("192.0.2.0/24", "::/0")));
        assertEquals("others", find("/", Origin.HTTP, "192.0.2.1", "h", "3"));
        assertEquals("https", find("/x", Origin.HTTPS, "192.0.2.1"));
        assertEquals("far", find("/y", Origin.HTTP, "::1"));
    }

    @Test
    void refusesRoutesOfWhichNeitherAsksForMore() {
        assertClash(pattern("/", header("h", "1")), pattern("/", header("h", "1")));
        assertClash(pattern("/", header("h", "1")), pattern("/", header("i", "1")));
        assertClash(pattern("/", header("h", "1", "2")), pattern("/", header("h", "2", "3")));
        assertClash(pattern("/", query("q", "1")), pattern("/", scheme(Origin.HTTPS)));
        assertClash(pattern("/", header("h", "1")), pattern("/", RouteConditions.NONE, "GET"));
        assertClash(
                pattern("/", clients("10.0.0.0/8", "192.0.2.0/24")),
                pattern("/", clients("10.1.0.0/16", "198.51.100.0/24")));
        assertClash(pattern("/", clients("10.0.0.0/8")), pattern("/", clients("10.9.9.9/8")));
    }

    private static void assertClash(RoutePattern one, RoutePattern other) {
        List<Route> both = Stream.of(one, other).map(each -> new Route(each, held())).toList();
        assertThrows(
                IllegalArgumentException.class, () -> new RouteTable(both), one + "; " + other);
    }

    private static Handler held() {
        return new HeldRequests();
    }

    @Test
    void readsAsASentence() {
        RouteConditions all =
                new RouteConditions(
                        Map.of("b", Set.of("2", "1")),
                        Map.of("q", Set.of("x")),
                        Origin.HTTPS,
                        networks("10.0.0.0/8"),
                        Set.of("[::1]:80", "0.0.0.0:80"));
        assertEquals(
                "GET a.test/x alone if header b is 1 or 2 and query q is x and scheme is https and client is 10.0.0.0/8 and listen is 0.0.0.0:80 or [::1]:80",
                new RoutePattern("a.test", "/x", true, Set.of("GET"), all).toString());
    }

    private static RoutePattern pattern(
            String path, RouteConditions conditions, String... methods) {
        return new RoutePattern(null, path, false, Set.of(methods), conditions);
    }

    private static RouteConditions header(String name, String... values) {
        return new RouteConditions(
                Map.of(name, Set.of(values)), Map.of(), null, Set.of(), Set.of());
    }

    private static RouteConditions query(String name, String... values) {
        return new RouteConditions(
                Map.of(), Map.of(name, Set.of(values)), null, Set.of(), Set.of());
    }

    private static RouteConditions scheme(String scheme) {
        return new RouteConditions(Map.of(), Map.of(), scheme, Set.of(), Set.of());
    }

    private static RouteConditions clients(String... networks) {
        return new RouteConditions(Map.of(), Map.of(), null, networks(networks), Set.of());
    }

    private static RouteConditions places(String... places) {
        return new RouteConditions(Map.of(), Map.of(), null, Set.of(), Set.of(places));
    }

    private static Set<Network> networks(String... networks) {
        return Stream.of(networks).map(Network::parse).collect(Collectors.toSet());
    }

    private Route route(String name, RoutePattern pattern) {
        Handler handler = new HeldRequests();
        names.put(handler, name);
        return new Route(pattern, handler);
    }

    private void add(String name, RoutePattern pattern) {
        routes.add(route(name, pattern));
    }

    private String find(String target, String scheme, String client, String... fields) {
        Origin origin = new Origin(client + ":1", InetAddress.ofLiteral(client), scheme, "");
        return find(target, origin, fields);
    }

    private String find(String target, Origin origin, String... fields) {
        Handler found = new RouteTable(routes).find(request(target, fields), origin);
        return names.getOrDefault(found, "none");
    }

    private static Request request(String target, String... fields) {
        return new Request("GET", target, HttpVersion.HTTP_1_1, Headers.of(fields), Body.EMPTY);
    }
}
