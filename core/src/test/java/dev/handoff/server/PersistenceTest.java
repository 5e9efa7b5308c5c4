package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PersistenceTest {
    private static final String GET_MORE = "GET /more HTTP/1.1\r\nHost: a\r\n\r\n";

    @Test
    void answersARequestWithExactlyTheseBytes() throws IOException {
        try (TestServer server = TestServer.start(e -> e.respond(Response.text(200, "hello\n")));
                RawClient client = server.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

            assertEquals(
                    """
                    HTTP/1.1 200 OK\r
                    content-type: text/plain; charset=utf-8\r
                    Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                    Content-Length: 6\r
                    Connection: close\r
                    \r
                    hello
                    """,
                    client.readToEnd());
        }
    }

    @Test
    void keepsAConnectionForFurtherRequests() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            for (int i = 0; i < 100; i++) {
                RawResponse response = client.get("/" + i).readResponse();
                assertEquals("/" + i, response.text());
                assertEquals("", response.header("connection"));
            }
            assertEquals(1, server.http.connections());
        }
    }

    @Test
    void closesWhenTheClientAsksForIt() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            client.send("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

            assertEquals("close", client.readResponse().header("connection"));
            client.expectEnd();
            client.leave();
            server.listener.await("closed NOT_PERSISTENT");
        }
    }

    @Test
    void handlesNothingBehindTheLastRequest() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            client.send("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + GET_MORE);

            assertEquals("/last", client.readResponse().text());
            client.expectEnd();
        }
    }

    @Test
    void closesAnHttp10ConnectionAfterItsResponse() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            client.send("GET /old HTTP/1.0\r\n\r\n");

            RawResponse response = client.readResponse();
            assertEquals("/old", response.text());
            assertEquals("close", response.header("connection"));
            client.expectEnd();
        }
    }

    @Test
    void tellsAnHttp10ClientThatItKeepsTheConnectionItAskedToKeep() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            for (int i = 0; i < 2; i++) {
                client.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
                assertEquals("keep-alive", client.readResponse().header("connection"));
            }
        }
    }

    @Test
    void answersHeadWithTheLengthButWithoutTheContent() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            client.send("HEAD /12345 HTTP/1.1\r\nHost: a\r\n\r\n").get("/next");

            assertEquals("6", client.readHead().header("content-length"));
            assertEquals("/next", client.readResponse().text());
        }
    }

    @Test
    void readsARequestThatComesByteByByte() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_BODY);
                RawClient client = server.connect()) {
            String request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
            for (int i = 0; i < request.length(); i++) {
                client.send(request.substring(i, i + 1));
                server.settle();
            }

            assertEquals("hello", client.readResponse().text());
        }
    }

    @Test
    void theDateMovesWithTheClock() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            client.get("/").readResponse();
            server.advance(Duration.ofSeconds(3));

            String date = client.get("/").readResponse().header("date");
            assertEquals("Sun, 06 Nov 1994 08:49:40 GMT", date);
        }
    }

    @Test
    void saysWhereAClientComesFrom() throws IOException {
        try (TestServer server = TestServer.start(e -> e.respond(Response.text(200, e.client())));
                RawClient client = server.connect()) {
            assertEquals("127.0.0.1:" + client.localPort(), client.get("/").readResponse().text());
        }
    }

    @Test
    void responsesWithoutABodyHaveNone() throws IOException {
        Response noContent = Response.of(204, Headers.EMPTY, Body.utf8("ignored"));
        try (TestServer server = TestServer.start(e -> e.respond(noContent));
                RawClient client = server.connect()) {
            client.get("/").get("/");

            assertEquals("HTTP/1.1 204 No Content", client.readHead().statusLine());
            assertEquals("HTTP/1.1 204 No Content", client.readHead().statusLine());
        }
    }
}
