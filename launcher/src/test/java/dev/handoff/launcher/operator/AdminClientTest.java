package dev.handoff.launcher.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.server.Handler;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminClientTest {
    private static final String TOKEN = "a-token-of-the-test";
    private static final String DEEP = "{\"a\":";
    private static final BearerToken BEARER = new BearerToken(TOKEN, Path.of("no-such-file"));

    private final List<Request> asked = new CopyOnWriteArrayList<>();
    private @Nullable HttpServer server;

    @AfterEach
    void stopServer() {
        if (server != null) {
            server.stop();
        }
    }

    @Test
    void sendsTheTokenAndWhatItAccepts() throws Exception {
        AdminClient client = client(BEARER, request -> Response.text(200, "pong\n"));
        assertEquals("pong\n", client.get("/stats", "text/plain"));
        assertEquals("Bearer " + TOKEN, asked.getFirst().headers().first("authorization"));
        assertEquals("text/plain", asked.getFirst().headers().first("accept"));
    }

    @Test
    void postsWithoutContent() throws Exception {
        AdminClient client = client(null, request -> Response.text(200, "reset\n"));
        assertEquals("reset\n", client.post("/stats/reset", "text/plain"));
        assertEquals("POST", asked.getFirst().method());
        assertEquals(0, asked.getFirst().body().sizeBytes());
    }

    @Test
    void saysWhichOptionHasTheTokenWhenOneIsAskedFor() throws Exception {
        AdminClient client = client(null, request -> Response.text(401, "no"));
        assertTrue(failure(client).contains("--admin-token-file"), failure(client));
    }

    @Test
    void neverQuotesTheTokenThatIsNotTaken() throws Exception {
        AdminClient client = client(BEARER, request -> Response.text(401, "no"));
        assertFalse(failure(client).contains(TOKEN), failure(client));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void printsNothingThatControlsATerminalWhoeverAnswers(boolean json) throws Exception {
        AdminClient client = client(null, request -> Response.text(200, "{\"a\": \"\u001b[2J\"}"));
        assertEquals("{\"a\": \"\ufffd[2J\"}", new Reports(client, json).window(false));
    }

    @Test
    void waitsNoLongerForAResponseThatTrickles() {
        byte[] begun =
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n12345678"
                        .getBytes(StandardCharsets.US_ASCII);
        InputStream trickle = new ByteArrayInputStream(begun);
        IOException failure =
                assertThrows(IOException.class, () -> AdminResponse.read(trickle, Duration.ZERO));
        assertEquals("its response is not complete after 0 s", failure.getMessage());
    }

    @Test
    void tellsTheDetailOfAProblemDocument() throws Exception {
        AdminClient client =
                client(
                        null,
                        request ->
                                Response.of(
                                        404,
                                        Headers.of("content-type", "application/problem+json"),
                                        Body.utf8(
                                                "{\"detail\": \"no window\\u001b was closed\"}")));
        assertTrue(failure(client).endsWith("answered 404: no window\ufffd was closed"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>", "[1]", "", DEEP})
    void tellsWhenAnotherServerIsAtThatPort(String body) throws Exception {
        AdminClient client = client(null, request -> Response.text(200, body.repeat(2_000)));
        String message =
                assertThrows(AdminException.class, () -> client.getJson("/stats")).getMessage();
        assertTrue(String.valueOf(message).contains("is that Handoff's admin port?"), message);
    }

    @Test
    void quotesAProblemThatIsNestedTooDeep() throws Exception {
        AdminClient client = client(null, request -> Response.text(500, DEEP.repeat(2_000)));
        assertTrue(failure(client).contains("answered 500: {\"a\":{"), failure(client));
    }

    @Test
    void tellsWhereNobodyAnswers() throws Exception {
        // Bound, so that nobody else gets the port, but not listening.
        try (Socket silent = new Socket()) {
            silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = silent.getLocalPort();
            AdminClient client = new AdminClient("127.0.0.1", port, null);
            assertTrue(failure(client).contains("http://127.0.0.1:" + port), failure(client));
        }
    }

    @Test
    void takesAnIpv6Address() {
        assertEquals("http://[::1]:8081", new AdminClient("::1", 8081, null).server());
    }

    private static String failure(AdminClient client) {
        return String.valueOf(
                assertThrows(AdminException.class, () -> client.get("/stats", "text/plain"))
                        .getMessage());
    }

    private AdminClient client(@Nullable BearerToken token, Function<Request, Response> response)
            throws IOException {
        HttpServer started =
                HttpServer.start(
                        ServerOptions.of(
                                Handler.blocking(request -> {
                                    asked.add(request);
                                    return response.apply(request);
                                })));
        server = started;
        return new AdminClient("127.0.0.1", started.port(), token);
    }
}
