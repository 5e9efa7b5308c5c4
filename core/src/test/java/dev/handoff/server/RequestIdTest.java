package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdTest {
    private static final String UUID =
            "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

    /** Answers with the id, a space, and all that the request's field says. */
    private static final Handler TELL =
            exchange ->
                    exchange.respond(
                            Response.text(
                                    200,
                                    exchange.requestId()
                                            + " "
                                            + String.join(
                                                    "|",
                                                    exchange.request()
                                                            .headers()
                                                            .all("x-request-id"))));

    @Test
    void passesOnTheIdOfTheClientAndTellsItNobodyUnasked() throws IOException {
        try (TestServer server = TestServer.start(TELL);
                RawClient client = server.connect()) {
            RawResponse response = ask(client, "X-Request-Id: abc-1\r\n");
            assertEquals("abc-1 abc-1", response.text());
            assertEquals("", response.header("x-request-id"));
            assertEquals("null ", ask(client, "").text());
        }
    }

    @Test
    void sendsTheIdOfTheClientBack() throws IOException {
        try (TestServer server = TestServer.start(ServerOptions.of(TELL).withRequestIds(true));
                RawClient client = server.connect()) {
            RawResponse response = ask(client, "X-Request-Id: abc-1\r\n");
            assertEquals("abc-1 abc-1", response.text());
            assertEquals("abc-1", response.header("x-request-id"));
        }
    }

    @Test
    void makesAnotherIdForEachRequestWithoutOne() throws IOException {
        try (TestServer server = TestServer.start(ServerOptions.of(TELL).withRequestIds(true));
                RawClient client = server.connect()) {
            RawResponse first = ask(client, "");
            String id = first.header("x-request-id");
            assertTrue(id.matches(UUID), id);
            assertEquals(id + " " + id, first.text());
            assertNotEquals(id, ask(client, "").header("x-request-id"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Request-Id:\r\n",
                "X-Request-Id: two words\r\n",
                "X-Request-Id: \u00e9\r\n",
                "X-Request-Id: one\r\nX-Request-Id: two\r\n"
            })
    void replacesAnIdThatIsNotOneWord(String fields) throws IOException {
        try (TestServer server = TestServer.start(ServerOptions.of(TELL).withRequestIds(true));
                RawClient client = server.connect()) {
            RawResponse response = ask(client, fields);
            String id = response.header("x-request-id");
            assertTrue(id.matches(UUID), id);
            assertEquals(id + " " + id, response.text());
        }
    }

    @Test
    void takesAnIdOf128CharactersAndNoLonger() throws IOException {
        try (TestServer server = TestServer.start(ServerOptions.of(TELL).withRequestIds(true));
                RawClient client = server.connect()) {
            String longest = "x".repeat(128);
            assertEquals(
                    longest,
                    ask(client, "X-Request-Id: " + longest + "\r\n").header("x-request-id"));
            assertTrue(
                    ask(client, "X-Request-Id: " + longest + "x\r\n")
                            .header("x-request-id")
                            .matches(UUID));
        }
    }

    @Test
    void tellsNoIdOfARequestThatIsRefused() throws IOException {
        try (TestServer server = TestServer.start(ServerOptions.of(TELL).withRequestIds(true));
                RawClient client = server.connect()) {
            RawResponse response =
                    client.send("GET / HTTP/1.1\r\nX-Request-Id: abc-1\r\n\r\n").readResponse();
            assertEquals(400, response.status());
            assertEquals("", response.header("x-request-id"));
        }
    }

    @Test
    void leavesTheHandlersOwnIdInTheResponse() throws IOException {
        Handler own =
                exchange ->
                        exchange.respond(
                                Response.of(200, Headers.of("X-Request-ID", "mine"), Body.EMPTY));
        try (TestServer server = TestServer.start(ServerOptions.of(own).withRequestIds(true));
                RawClient client = server.connect()) {
            assertEquals("mine", ask(client, "").header("x-request-id"));
        }
    }

    private static RawResponse ask(RawClient client, String fields) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n").readResponse();
    }
}
