package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.ParserLimits;
import dev.handoff.http.Refusal;
import dev.handoff.http.RequestStart;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusedRequestTest {
    private static final ServerLimits SMALL =
            ServerLimits.DEFAULT.withRequest(new ParserLimits(100, 1000, 10, 1000));

    private final HeldRequests held = new HeldRequests();

    @ParameterizedTest
    @CsvSource({
        "400, bad_header_value, GET / HTTP/1.1|Host: a|X: \u0001||",
        "400, missing_host, GET / HTTP/1.1||",
        "413, body_too_large, POST / HTTP/1.1|Host: a|Content-Length: 1001||",
        "414, target_too_long, GET /{101} HTTP/1.1|Host: a||",
        "417, unknown_expectation, GET / HTTP/1.1|Host: a|Expect: wonders||",
        "431, head_too_large, GET / HTTP/1.1|Host: a|X: {1000}||",
        "501, unknown_transfer_coding, 'POST / HTTP/1.1|Host: a|Transfer-Encoding: gzip, chunked||'",
        "505, unsupported_version, GET / HTTP/2.0|Host: a||"
    })
    void answersWithTheRuleThatWasBrokenAndCloses(int status, String rule, String request)
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held, SMALL);
                RawClient client = server.connect()) {
            client.send(expand(request));

            RawResponse response = client.readResponse();
            assertEquals(status, response.status());
            assertEquals(rule, response.header("handoff-error"));
            assertEquals("close", response.header("connection"));
            client.expectEnd();
            client.leave();
            server.listener.await("closed REFUSED");
            assertEquals(0, held.waiting());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /long?a, GET /long?a HTTP/1.1|Host: a|X: {1000}||",
        "POST, /body, POST /body HTTP/1.1|Host: a|Transfer-Encoding: chunked||x|",
        "GET, '', GET /\u0001 HTTP/1.1|Host: a||",
        "'', '', (|"
    })
    void tellsAsMuchOfTheRequestLineAsItHasUnderstood(String method, String target, String request)
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held, SMALL);
                RawClient client = server.connect()) {
            client.send(expand(request));
            RawResponse response = client.readResponse();
            client.leave();
            server.listener.await("closed REFUSED");
            assertEquals(List.of(new RequestStart(method, target)), server.listener.refusedStarts);
            assertEquals(List.of(response.text().length()), server.listener.refusedBytes);
        }
    }

    @Test
    void namesTheLimitWhereItHasAName() throws IOException {
        ServerOptions builder =
                ServerOptions.of(held)
                        .withLimits(SMALL)
                        .withLimitNames(Map.of(Refusal.BODY_TOO_LARGE, "--most is 1kB"));
        try (TestServer server = TestServer.start(builder)) {
            assertEquals(
                    "The content is too large (--most is 1kB).\n",
                    response(server, "POST / HTTP/1.1|Host: a|Content-Length: 1001||"));
            assertEquals(
                    "The request target is too long.\n",
                    response(server, "GET /{101} HTTP/1.1|Host: a||"));
        }
    }

    private static String response(TestServer server, String request) throws IOException {
        try (RawClient client = server.connect()) {
            client.send(expand(request));
            return client.readResponse().text();
        }
    }

    @Test
    void answersWithAProblemWhereTheClientAskedForThat() throws IOException {
        try (TestServer server = TestServer.start(held, SMALL);
                RawClient client = server.connect()) {
            client.send("GET / HTTP/1.1\r\nAccept: application/json\r\nHost: a b\r\n\r\n");

            RawResponse response = client.readResponse();
            assertEquals("application/problem+json", response.header("content-type"));
            assertEquals("no-store", response.header("cache-control"));
            assertEquals(
                    """
                    {"title":"Bad Request","status":400,\
                    "detail":"The Host field is empty or is not a host with an optional port.",\
                    "code":"bad_host"}
                    """,
                    response.text());
            client.expectEnd();
        }
    }

    @Test
    void answersARefusedHeadWithoutContent() throws IOException {
        try (TestServer server = TestServer.start(held, SMALL);
                RawClient client = server.connect()) {
            client.send("HEAD / HTTP/1.1\r\n\r\n");

            RawResponse response = client.readHead();
            assertEquals(400, response.status());
            assertEquals(
                    Refusal.MISSING_HOST.message().length() + 1,
                    Integer.parseInt(response.header("content-length")));
            client.expectEnd();
        }
    }

    @Test
    void aRefusalDoesNotOvertakeResponsesThatAreOwed() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect();
                RawClient other = server.connect()) {
            client.get("/slow").send("garbage\r\n\r\n");
            server.listener.await("refused BAD_METHOD");
            other.get("/other");
            Exchange slow = held.take();
            HeldRequests.answer(held.take());
            assertEquals("/other", other.readResponse().text());
            HeldRequests.answer(slow);

            RawResponse first = client.readResponse();
            assertEquals("/slow", first.text());
            assertEquals("", first.header("connection"));
            RawResponse second = client.readResponse();
            assertEquals(400, second.status());
            assertEquals("close", second.header("connection"));
            client.expectEnd();

            other.get("/again");
            HeldRequests.answer(held.take());
            assertEquals("/again", other.readResponse().text());
        }
    }

    @Test
    void readsNothingBehindARefusedRequest() throws IOException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send("garbage\r\n\r\n").get("/behind");
            server.settle();

            assertEquals(400, client.readResponse().status());
            client.expectEnd();
            assertEquals(0, held.waiting());
        }
    }

    @Test
    void aClientThatStillSendsItsBodyCanReadWhyItWasRefused()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held, SMALL);
                RawClient client = server.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n");
            server.listener.await("refused BODY_TOO_LARGE");
            // Would the server not read it, this were answered by a reset.
            client.send(new byte[5_000_000]);
            server.settle();

            assertEquals(413, client.readResponse().status());
            client.expectEnd();
        }
    }

    @Test
    void dropsWhatIsSentBehindTheLastRequestSoThatItsResponseArrives()
            throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withPipelinedRequests(1);
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = server.connect()) {
            client.get("/first");
            client.send("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            // More than is kept while the first is unanswered.
            client.send(new byte[200_000]);
            server.settle();
            HeldRequests.answer(held.take());
            HeldRequests.answer(held.take());
            server.settle();
            client.send(new byte[5_000_000]);
            server.settle();

            assertEquals("/first", client.readResponse().text());
            assertEquals("/last", client.readResponse().text());
            client.expectEnd();
        }
    }

    private static String expand(String request) {
        String expanded = request.replace("|", "\r\n");
        int open = expanded.indexOf('{');
        if (open < 0) {
            return expanded;
        }
        int close = expanded.indexOf('}');
        int count = Integer.parseInt(expanded.substring(open + 1, close));
        assertTrue(count > 0);
        return expanded.substring(0, open) + "x".repeat(count) + expanded.substring(close + 1);
    }
}
