package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ExpectContinueTest {
    private static final String HEAD =
            "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
    private static final String CONTINUE = "HTTP/1.1 100 Continue\r\n";

    private final HeldRequests held = new HeldRequests();

    @Test
    void isAnsweredOncePerRequest() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_BODY);
                RawClient client = server.connect()) {
            for (int i = 0; i < 2; i++) {
                client.send(HEAD);
                assertEquals(CONTINUE, client.readHead().head());
                client.send("he");
                server.settle();
                client.send("llo");

                assertEquals("hello", client.readResponse().text());
            }
        }
    }

    @Test
    void isNotAnsweredOnceTheBodyComes() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_BODY);
                RawClient client = server.connect()) {
            client.send(HEAD + "hello");

            assertEquals("hello", client.readResponse().text());
        }
    }

    @Test
    void waitsForTheResponsesToEarlierRequests() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/first").send(HEAD);
            Exchange first = held.take();
            server.settle();
            HeldRequests.answer(first);

            assertEquals("/first", client.readResponse().text());
            assertEquals(CONTINUE, client.readHead().head());
            client.send("hello");
            HeldRequests.answer(held.take());
            assertEquals("/body", client.readResponse().text());
        }
    }

    @Test
    void theBodyIsNotLateWhileItWaitsForUs() throws IOException, InterruptedException {
        ServerLimits limits =
                ServerLimits.DEFAULT
                        .withBodyTimeout(Duration.ofSeconds(5))
                        .withRequestTimeout(Duration.ofHours(1));
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = server.connect()) {
            client.get("/first").send(HEAD);
            Exchange first = held.take();
            server.advance(Duration.ofSeconds(20));
            server.advance(Duration.ofSeconds(20));
            HeldRequests.answer(first);
            assertEquals("/first", client.readResponse().text());
            assertEquals(CONTINUE, client.readHead().head());

            // From now on it is.
            server.advance(Duration.ofMillis(4999));
            assertEquals(0, held.waiting());
            server.advance(Duration.ofMillis(1));
            assertEquals(408, client.readResponse().status());
        }
    }

    @Test
    void isNotAnsweredWhereTheHeadIsRefused() throws IOException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send(HEAD.replace("Content-Length: 5", "Content-Length: 99999999999"));

            assertEquals(413, client.readResponse().status());
            client.expectEnd();
        }
    }

    @Test
    void isNotAnsweredToAnHttp10Client() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_BODY);
                RawClient client = server.connect()) {
            client.send(HEAD.replace("HTTP/1.1", "HTTP/1.0"));
            server.settle();
            client.send("hello");

            assertEquals("hello", client.readResponse().text());
        }
    }
}
