package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FixedResponseTest {
    private static final Handler GONE =
            new FixedResponse(Response.of(410, Headers.of("x-why", "moved"), Body.utf8("gone\n")));

    @Test
    void givesEveryRequestTheSame() throws IOException {
        try (TestServer server = TestServer.start(GONE);
                RawClient client = server.connect()) {
            for (String target : new String[] {"/", "/a?b"}) {
                RawResponse response = client.ask(target);
                assertEquals(410, response.status());
                assertEquals("moved", response.header("x-why"));
                assertEquals("gone\n", response.text());
            }
        }
    }

    @Test
    void givesHeadTheSameFieldsAndNoContent() throws IOException {
        try (TestServer server = TestServer.start(GONE);
                RawClient client = server.connect()) {
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
            RawResponse head = client.readHead();
            assertEquals("5", head.header("content-length"));
            assertEquals(410, client.ask("/behind").status());
        }
    }

    @Test
    void takesSmallContentAndGoesOn() throws IOException {
        try (TestServer server = TestServer.start(GONE);
                RawClient client = server.connect()) {
            RawResponse response = client.post("/", "small").readResponse();
            assertEquals(410, response.status());
            assertEquals("", response.header("connection"));
            assertEquals(410, client.ask("/behind").status());
        }
    }

    @Test
    void waitsForNoContent() throws IOException {
        try (TestServer server = TestServer.start(GONE);
                RawClient client = server.connect()) {
            String[] fields = {
                "POST / HTTP/1.1",
                "Host: a",
                "Content-Length: 1000000",
                "Expect: 100-continue",
                "",
                ""
            };
            client.send(String.join("\r\n", fields));
            RawResponse response = client.readResponse();
            assertEquals(410, response.status());
            assertEquals("close", response.header("connection"));
            client.expectEnd();
        }
    }

    @Test
    void isNoResponseThatBreaksARule() {
        Response split = Response.of(301, Headers.of("location", "/\r\nx: y"), Body.EMPTY);
        assertThrows(IllegalArgumentException.class, () -> new FixedResponse(split));
    }
}
