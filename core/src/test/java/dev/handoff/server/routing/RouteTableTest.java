package dev.handoff.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.server.Handler;
import dev.handoff.server.HeldRequests;
import dev.handoff.server.forwarding.Origin;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTableTest {
    private static final String REFUSED = "refused";
    private static final Origin HERE =
            Origin.of(new InetSocketAddress("192.0.2.1", 4711), Origin.HTTP, "");

    private final List<Route> routes = new ArrayList<>();
    private final Map<Handler, String> names = new HashMap<>();

    @ParameterizedTest
    @CsvSource({
        "/, root",
        "/api, api",
        "/api/, api",
        "/api/x, api",
        "/api?x, api",
        "/api/v2/x, v2",
        "/api/v2?x=/, v2",
        "/apix, root",
        "/API, root",
        "/x?/api, root",
        "/x/api, root",
        "*, root"
    })
    void takesTheLongestPathOfWholeSegments(String target, String expected) {
        add("root", null, "/");
        add("api", null, "/api");
        add("v2", null, "/api/v2/");
        assertEquals(expected, find("GET", "h", target));
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.org, exact",
        "API.Example.ORG, exact",
        "api.example.org:8080, exact",
        "api.example.org., exact",
        "api.example.org.:8080, exact",
        "a.example.org, below",
        "a.b.example.org, longer",
        "x.a.b.example.org:1, longer",
        "example.org, any",
        "badexample.org, any",
        ".example.org, any",
        "api.example.org.evil.test, any",
        "[::1]:80, address",
        "[::1], address",
        "[::2], any"
    })
    void takesTheMostExactHost(String host, String expected) {
        add("any", null, "/");
        add("below", "*.Example.org", "/");
        add("longer", "*.b.example.org", "/");
        add("exact", "Api.example.org.", "/");
        add("address", "[::1]", "/");
        assertEquals(expected, find("GET", host, "/"));
    }

    @Test
    void takesARequestWithoutHostForAnyHost() {
        add("any", null, "/");
        add("named", "example.org", "/");
        assertEquals("any", find("GET", null, "/"));
    }

    @Test
    void weighsTheHostBeforeThePathAndThePathBeforeTheMethod() {
        add("host", "a.test", "/");
        add("path", null, "/x");
        add("method", null, "/", "POST");
        assertEquals("host", find("POST", "a.test", "/x"));
        assertEquals("path", find("POST", "b.test", "/x"));
        assertEquals("method", find("POST", "b.test", "/y"));
        assertEquals(REFUSED, find("GET", "b.test", "/y"));
    }

    @Test
    void goesOnToTheNextRouteThatFits() {
        add("writing", null, "/x", "POST", "PUT");
        add("host", "a.test", "/only");
        add("rest", null, "/");
        assertEquals("writing", find("PUT", "a.test", "/x"));
        assertEquals("rest", find("GET", "a.test", "/x"));
        assertEquals("rest", find("put", "a.test", "/x"));
        assertEquals("rest", find("GET", "a.test", "/elsewhere"));
    }

    @Test
    void servesHeadWhereItServesGet() {
        add("reading", null, "/", "GET");
        add("head", null, "/x", "HEAD");
        add("get", null, "/x", "GET");
        assertEquals("reading", find("HEAD", "h", "/"));
        assertEquals("head", find("HEAD", "h", "/x"));
        assertEquals("get", find("GET", "h", "/x"));
    }

    /** Those that every reader takes for the same path. */
    @ParameterizedTest
    @CsvSource({
        "/%61dmin, admin",
        "/admin/%2e%2e.txt, admin",
        "/admin/.well-known, admin",
        "/admin//x, admin",
        "/admin/./x, admin",
        "/admin/x/../y, admin",
        "/admin/a%2Fb, admin",
        "/public/a%2Fb, root",
        "/public//a, root",
        "/public/%2561dmin, root",
        "/%zz, root",
        "/%, root",
        "/caf%C3%A9, cafe",
        "/caf%c3%a9/x, cafe"
    })
    void readsEncodedPathsAsWhatTheyMean(String target, String expected) {
        add("root", null, "/");
        add("admin", null, "/admin");
        add("cafe", null, "/café");
        assertEquals(expected, find("GET", "h", target));
    }

    /** What one reader takes for one route and another for the other. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "//admin",
                "/./admin",
                "/%2e/admin",
                "/x/../admin",
                "/x/%2E%2e/admin",
                "/x/..%2fadmin",
                "/%2Fadmin",
                "/admin%2Fx",
                "/admin/..",
                "/admin/../x",
                "/admin/%2e%2e/x?y",
                "/admin/..%2Fx",
                "/x/y%2fz/../../admin",
                "/y%2Fz/%2e%2e/admin",
                "/x//../../admin",
                "/admin/a%2Fb/../..",
                "/./admin/%2e%2e",
                "/x/../admin/%2E%2e",
                "/./admin/.%2e/x",
                "/x/../admin/y/%2e%2e/..%2f..",
                "/../admin"
            })
    void refusesPathsWhoseRouteDependsOnTheReader(String target) {
        add("root", null, "/");
        add("admin", null, "/admin");
        assertEquals(REFUSED, find("GET", "h", target));
    }

    @Test
    void letsAnySpellingPassWhereAllPathsGoTheSameWay() {
        add("root", null, "/");
        assertEquals("root", find("GET", "h", "/x/..%2f%2e//"));
        add("named", "a.test", "/");
        assertEquals("root", find("GET", "h", "/x/..%2f%2e//"));
        assertEquals("named", find("GET", "a.test", "/x/..%2f%2e//"));
    }

    @Test
    void refusesTwoRoutesForTheSame() {
        add("first", "A.test", "/x", "GET", "POST");
        add("second", "a.test.", "/%78/", "POST");
        assertThrows(IllegalArgumentException.class, () -> new RouteTable(routes));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:80", "", "*", "*.", ".a", "a..b", "a/b", "a b", "[::1", "a.*.b"})
    void refusesHostsThatAreNone(String host) {
        assertNotNull(RoutePattern.flawOfHost(host));
        assertThrows(IllegalArgumentException.class, () -> new RoutePattern(host, "/", Set.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", "/a?b", "/a#b", "/a b", "//", "/a//b", "/./a", "/a/..", "/%2f"})
    void refusesPathsThatCanBeReadInSeveralWays(String path) {
        assertNotNull(RoutePattern.flawOfPath(path));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/a", "/a/", "/a.b/.c", "/caf%C3%A9", "/a;b=1/c@d"})
    void takesOrdinaryPaths(String path) {
        assertNull(RoutePattern.flawOfPath(path));
    }

    private void add(String name, @Nullable String host, String path, String... methods) {
        Handler handler = new HeldRequests();
        names.put(handler, name);
        routes.add(new Route(new RoutePattern(host, path, Set.of(methods)), handler));
    }

    private String find(String method, @Nullable String host, String target) {
        Headers headers = host == null ? Headers.EMPTY : Headers.of("host", host);
        Request request = new Request(method, target, HttpVersion.HTTP_1_1, headers, Body.EMPTY);
        return names.getOrDefault(new RouteTable(routes).find(request, HERE), REFUSED);
    }
}
