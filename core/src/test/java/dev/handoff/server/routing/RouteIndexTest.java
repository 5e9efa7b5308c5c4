package dev.handoff.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.server.HeldRequests;
import dev.handoff.server.forwarding.Network;
import dev.handoff.server.forwarding.Origin;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The index finds what a look at one route after the other finds. */
class RouteIndexTest {
    private static final int SEEDS = 100;
    private static final int QUESTIONS = 200;
    private static final int MANY = 2000;

    private static final List<String> NAMES =
            List.of("t", "a.t", "b.a.t", "c.b.a.t", "xa.t", "*.t", "*.a.t", "*.b.a.t", "[::1]");

    private static final List<String> ASKED_NAMES =
            List.of(
                    "",
                    "t",
                    "a.t",
                    "A.T",
                    "B.a.T",
                    "c.b.a.t",
                    ".a.t",
                    "x.a.t",
                    "..t",
                    "xa.t",
                    "xx.b.a.t",
                    "y.c.b.a.t",
                    "[::1]",
                    "[::1]:80",
                    "a.tt",
                    "t.a",
                    "a.t.",
                    "b.a.t.:8080");

    /** "FB" and "Ea" have one hash, and so have "FBFB" and "EaEa". */
    private static final List<String> SEGMENTS =
            List.of("/a", "/b", "/aa", "/ab", "/FB", "/Ea", "/FBFB", "/EaEa", "/\u00e9");

    private static final List<String> ODD = List.of("/", "//", "x", "/a/b/a/b/a/b", "/A", "/EaFB");

    private static final List<RouteConditions> CONDITIONS =
            List.of(
                    RouteConditions.NONE,
                    conditions(Map.of("h", Set.of("1")), Set.of()),
                    conditions(Map.of("h", Set.of("2", "3")), Set.of()),
                    conditions(Map.of("h", Set.of("3")), Set.of()),
                    conditions(Map.of("h", Set.of("1")), Set.of("10.0.0.0/8")),
                    conditions(Map.of(), Set.of("10.0.0.0/8", "192.0.2.1")),
                    conditions(Map.of(), Set.of("10.1.0.0/16")),
                    conditions(Map.of(), Set.of("10.1.2.0/24", "2001:db8::/32")));

    @Test
    void findsWhatALookAtEachRouteFindsInTheSameOrder() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<RouteEntry> entries = RouteTable.entries(routes(random));
            RouteIndex index = new RouteIndex(entries);
            List<RouteEntry> sorted = entries.stream().sorted(RouteIndexTest::compare).toList();
            for (int i = 0; i < QUESTIONS; i++) {
                String host = random.nextInt(9) == 0 ? null : any(ASKED_NAMES, random);
                RouteRequest request = request(host, random);
                String path = path(random) + (random.nextInt(3) == 0 ? any(ODD, random) : "");
                int end = Math.max(0, path.length() - random.nextInt(2));
                List<RouteEntry> expected =
                        sorted.stream()
                                .filter(each -> isForHost(each, host))
                                .filter(each -> isForPath(each, path, end))
                                .filter(each -> each.conditionsFit(request))
                                .toList();
                List<RouteEntry> found = new ArrayList<>(tried(index, request, path, end));
                found.removeIf(each -> !each.conditionsFit(request));
                assertEquals(
                        expected, found, "seed %d: %s, %s to %d".formatted(seed, host, path, end));
            }
        }
    }

    /** All that the index tries, in its order. */
    private static List<RouteEntry> tried(
            RouteIndex index, RouteRequest request, String path, int end) {
        List<RouteEntry> tried = new ArrayList<>();
        index.first(request, path, end, entry -> !tried.add(entry));
        return tried;
    }

    private static RouteRequest request(@Nullable String host, Random random) {
        Headers.Builder fields = new Headers.Builder();
        if (host != null) {
            fields.add("host", host);
        }
        for (int i = random.nextInt(6); i > 3; i--) {
            fields.add("h", "" + random.nextInt(5));
        }
        InetAddress client = InetAddress.ofLiteral("10.1.%d.1".formatted(random.nextInt(4)));
        return new RouteRequest(
                new Request("GET", "/?q=2", HttpVersion.HTTP_1_1, fields.build(), Body.EMPTY),
                new Origin("", client, Origin.HTTP, any(List.of("", "p"), random)));
    }

    private static RouteRequest request(String host, String... fields) {
        Headers.Builder headers = new Headers.Builder().add("host", host);
        for (int i = 0; i < fields.length; i += 2) {
            headers.add(fields[i], fields[i + 1]);
        }
        return new RouteRequest(
                new Request("GET", "/", HttpVersion.HTTP_1_1, headers.build(), Body.EMPTY),
                new Origin("", null, Origin.HTTP, ""));
    }

    /** The rules that users are told, each as it stands there. */
    private static int compare(RouteEntry one, RouteEntry other) {
        int order = Integer.compare(hostRank(one), hostRank(other));
        order = order == 0 ? Integer.compare(hostLength(other), hostLength(one)) : order;
        order = order == 0 ? Integer.compare(other.path().length(), one.path().length()) : order;
        order = order == 0 ? Boolean.compare(other.exact(), one.exact()) : order;
        return order == 0 ? Integer.compare(other.wider(), one.wider()) : order;
    }

    private static int hostRank(RouteEntry entry) {
        if (entry.host() == null) {
            return 2;
        }
        return entry.below() ? 1 : 0;
    }

    private static int hostLength(RouteEntry entry) {
        return entry.host() == null ? 0 : entry.host().length();
    }

    private static boolean isForHost(RouteEntry entry, @Nullable String asked) {
        String host = entry.host();
        if (host == null || asked == null) {
            return host == null;
        }
        String name = asked.replaceFirst(":[0-9]+$", "").replaceFirst("\\.$", "");
        name = name.toLowerCase(Locale.ROOT);
        String ending = "." + host;
        return entry.below()
                ? name.endsWith(ending) && name.length() > ending.length()
                : name.equals(host);
    }

    private static boolean isForPath(RouteEntry entry, String asked, int end) {
        String path = asked.substring(0, end);
        return path.equals(entry.path())
                || path.equals(entry.path() + "/")
                || (!entry.exact() && path.startsWith(entry.path() + "/"));
    }

    @Test
    void looksAtFewRoutesOfMany() {
        RouteIndex index = new RouteIndex(RouteTable.entries(many()));
        assertEquals(2, tried(index, request("h"), "/p7/x", 5).size());
        assertEquals(1, tried(index, request("h"), "/p", 2).size());
        assertEquals(2, tried(index, request("h7.t"), "/p7", 3).size());
        assertEquals(2, tried(index, request("h1.t"), "/q", 2).size());
    }

    @Test
    void looksAtFewRoutesOfManyThatAskForOneField() {
        List<Route> many = new ArrayList<>();
        many.add(route(null, "/", false, Set.of(), RouteConditions.NONE));
        for (int i = 0; i < MANY; i++) {
            many.add(
                    route(
                            null,
                            "/",
                            false,
                            Set.of(),
                            conditions(Map.of("h", Set.of("" + i)), Set.of())));
        }
        RouteIndex index = new RouteIndex(RouteTable.entries(many));
        assertEquals(2, tried(index, request("h", "h", "7"), "/", 1).size());
        assertEquals(1, tried(index, request("h", "h", "x"), "/", 1).size());
        assertEquals(1, tried(index, request("h"), "/", 1).size());
    }

    /** Nothing of a request is copied, however long it is. */
    @Test
    void allocatesNothing() {
        RouteIndex index = new RouteIndex(RouteTable.entries(many()));
        String path = "/p7" + "/x".repeat(4000);
        String host = "a.".repeat(4000) + "t";
        RouteRequest request = request(host);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int j = 0; j < 100; j++) {
                index.first(request, path, path.length(), RouteEntry::exact);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(least < path.length(), least + " bytes");
    }

    private static List<Route> many() {
        List<Route> many = new ArrayList<>();
        many.add(route(null, "/", false, Set.of(), RouteConditions.NONE));
        for (int i = 0; i < MANY / 2; i++) {
            many.add(route(null, "/p" + i, false, Set.of(), RouteConditions.NONE));
            many.add(route("h" + i + ".t", "/q", false, Set.of(), RouteConditions.NONE));
        }
        return many;
    }

    /** Some that do not clash. */
    private static List<Route> routes(Random random) {
        List<Route> routes = new ArrayList<>();
        for (int i = random.nextInt(50); i >= 0; i--) {
            Route next =
                    route(
                            random.nextBoolean() ? null : any(NAMES, random),
                            random.nextInt(5) == 0 ? "/" : path(random),
                            random.nextInt(3) == 0,
                            any(List.of(Set.of(), Set.of("GET"), Set.of("POST")), random),
                            any(CONDITIONS, random));
            if (routes.stream().noneMatch(each -> each.pattern().clashesWith(next.pattern()))) {
                routes.add(next);
            }
        }
        return routes;
    }

    private static Route route(
            @Nullable String host,
            String path,
            boolean exact,
            Set<String> methods,
            RouteConditions conditions) {
        return new Route(
                new RoutePattern(host, path, exact, methods, conditions), new HeldRequests());
    }

    private static String path(Random random) {
        return IntStream.rangeClosed(0, random.nextInt(3))
                .mapToObj(_ -> any(SEGMENTS, random))
                .collect(Collectors.joining());
    }

    private static <T> T any(List<T> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }

    private static RouteConditions conditions(
            Map<String, Set<String>> headers, Set<String> networks) {
        return new RouteConditions(
                headers,
                Map.of(),
                null,
                networks.stream().map(Network::parse).collect(Collectors.toSet()),
                Set.of());
    }
}
