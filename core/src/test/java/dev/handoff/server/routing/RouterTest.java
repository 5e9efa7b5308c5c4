package dev.handoff.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.http.Response;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.HeldRequests;
import dev.handoff.server.TestServer;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouterTest {
    private static final Handler A = exchange -> exchange.respond(Response.text(200, "a"));
    private static final Handler B = exchange -> exchange.respond(Response.text(200, "b"));

    private final HeldRequests held = new HeldRequests();

    @Test
    void answers404WhereNoRouteFits() throws IOException {
        Router router = new Router(List.of(route("/a", A)));
        try (TestServer server = TestServer.start(router);
                RawClient client = server.connect()) {
            client.get("/b");
            expect(client.readResponse(), 404, "no_route");
            client.get("/a");
            assertEquals("a", client.readResponse().text());
        }
    }

    @Test
    void answers405WithWhatIsAllowedWhereOnlyTheMethodDiffers() throws IOException {
        Router router =
                new Router(
                        List.of(
                                new Route(new RoutePattern(null, "/", Set.of("PUT")), A),
                                new Route(new RoutePattern(null, "/a", Set.of("GET")), B)));
        try (TestServer server = TestServer.start(router);
                RawClient client = server.connect()) {
            client.send("DELETE /a HTTP/1.1\r\nHost: h\r\n\r\n");
            RawResponse response = client.readResponse();
            expect(response, 405, "method_not_allowed");
            assertEquals("GET, HEAD, PUT", response.header("allow"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/app, /app",
        "/app/x?y, /app",
        "/app?y, /app",
        "/%61pp/x, /%61pp",
        "/app/a%2Fb, /app",
        "/app//x, /app",
        "/app/sub/x, /app/sub"
    })
    void tellsTheHandlerItsPrefixAsTheClientWroteIt(String target, String prefix)
            throws IOException {
        Handler told = exchange -> exchange.respond(Response.text(200, exchange.prefix()));
        Router router =
                new Router(
                        List.of(
                                new Route(new RoutePattern(null, "/", Set.of()), A),
                                new Route(new RoutePattern(null, "/app", Set.of()), told, "/app"),
                                new Route(
                                        new RoutePattern(null, "/app/sub/x", Set.of()),
                                        told,
                                        "/app/sub")));
        try (TestServer server = TestServer.start(router);
                RawClient client = server.connect()) {
            assertEquals(prefix, client.ask(target).text());
            assertEquals("a", client.ask("/apps").text());
        }
    }

    /** One reader would take off the prefix, and the other not. */
    @ParameterizedTest
    @ValueSource(
            strings = {"/app/../x", "/app/%2e%2e/x", "//app", "/x/../app", "/app%2Fx", "/./app"})
    void refusesAPathOfWhichAPrefixIsInDoubtAlsoForTheSameHandler(String target)
            throws IOException {
        Router router =
                new Router(
                        List.of(
                                new Route(new RoutePattern(null, "/", Set.of()), A),
                                new Route(new RoutePattern(null, "/app", Set.of()), A, "/app")));
        try (TestServer server = TestServer.start(router);
                RawClient client = server.connect()) {
            client.get(target);
            expect(client.readResponse(), 400, "ambiguous_path");
        }
    }

    @Test
    void refusesAPrefixThatIsNotAboveThePath() {
        RoutePattern app = new RoutePattern(null, "/app", Set.of());
        for (String prefix : new String[] {"/other", "/app/x", "/ap"}) {
            assertThrows(IllegalArgumentException.class, () -> new Route(app, A, prefix));
        }
    }

    @Test
    void answers400WhereTheRouteDependsOnTheReaderOfThePath() throws IOException {
        Router router = new Router(List.of(route("/", A), route("/b", B)));
        try (TestServer server = TestServer.start(router);
                RawClient client = server.connect()) {
            client.get("/x/..%2fb");
            expect(client.readResponse(), 400, "ambiguous_path");
            client.get("/b");
            assertEquals("b", client.readResponse().text());
        }
    }

    @Test
    void aNewTableCountsForTheNextRequestOfAnOpenConnection()
            throws IOException, InterruptedException {
        Router router = new Router(List.of(route("/", held)));
        try (TestServer server = TestServer.start(router);
                RawClient client = server.connect()) {
            client.get("/old");
            Exchange old = held.take();
            router.replace(List.of(route("/", B)));
            HeldRequests.answer(old);
            assertEquals("/old", client.readResponse().text());
            client.get("/new");
            assertEquals("b", client.readResponse().text());
        }
    }

    @Test
    void aHandlerMayHaveATimeoutOfItsOwn() throws IOException, InterruptedException {
        Handler patient = held.within(Duration.ofMinutes(10));
        Handler hasty = held.within(Duration.ofSeconds(1));
        Router router = new Router(List.of(route("/", patient), route("/hasty", hasty)));
        try (TestServer server = TestServer.start(router);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            first.get("/");
            second.get("/hasty");
            List<Exchange> both = held.take(2);
            server.advance(Duration.ofSeconds(1));
            RawResponse late = second.readResponse();
            assertEquals("deadline", late.header("handoff-error"));
            server.advance(Duration.ofMinutes(9));
            both.forEach(HeldRequests::answer);
            assertEquals("/", first.readResponse().text());
        }
    }

    private static Route route(String path, Handler handler) {
        return new Route(new RoutePattern(null, path, Set.of()), handler);
    }

    private static void expect(RawResponse response, int status, String code) {
        assertEquals(status, Integer.parseInt(response.statusLine().split(" ", 3)[1]));
        assertEquals(code, response.header("handoff-error"));
        assertEquals("", response.header("connection"));
    }
}
