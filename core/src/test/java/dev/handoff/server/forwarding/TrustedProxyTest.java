package dev.handoff.server.forwarding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Response;
import dev.handoff.server.Handler;
import dev.handoff.server.ServerOptions;
import dev.handoff.server.TestServer;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrustedProxyTest {
    /** Answers with the client, the host and the target. */
    private static final Handler TELL =
            exchange ->
                    exchange.respond(
                            Response.text(
                                    200,
                                    "%s %s %s"
                                            .formatted(
                                                    exchange.client(),
                                                    exchange.request().headers().first("host"),
                                                    exchange.request().target())));

    private static final String HTTPS_TARGET =
            "GET https://shop.example/cart?a HTTP/1.1\r\nHost: x\r\n\r\n";

    @Test
    void judgesEachRequestOfAProxysConnectionByItself() throws IOException {
        try (TestServer server = startTrusting("127.0.0.0/8");
                RawClient client = server.connect()) {
            assertEquals("192.0.2.1:0 a /", ask(client, "X-Forwarded-For: 192.0.2.1\r\n"));
            assertEquals("192.0.2.2:0 a /", ask(client, "X-Forwarded-For: 192.0.2.2\r\n"));
            assertEquals("127.0.0.1:" + client.localPort() + " a /", ask(client, ""));
        }
    }

    @Test
    void believesNobodyElse() throws IOException {
        try (TestServer server = startTrusting("10.0.0.0/8");
                RawClient client = server.connect()) {
            String self = "127.0.0.1:" + client.localPort() + " a /";
            assertEquals(self, ask(client, "X-Forwarded-For: 192.0.2.1\r\n"));
            assertEquals(self, ask(client, "Forwarded: for=192.0.2.1\r\n"));
        }
    }

    @Test
    void servesAnHttpsTargetThatATrustedProxySends() throws IOException {
        try (TestServer server = startTrusting("127.0.0.1");
                RawClient client = server.connect()) {
            RawResponse response = client.send(HTTPS_TARGET).readResponse();
            assertEquals(200, response.status());
            assertEquals(
                    "127.0.0.1:" + client.localPort() + " shop.example /cart?a", response.text());
        }
    }

    @Test
    void refusesAnHttpsTargetFromAnybodyElse() throws IOException {
        try (TestServer server = startTrusting("10.0.0.1");
                RawClient client = server.connect()) {
            assertEquals(421, client.send(HTTPS_TARGET).readResponse().status());
        }
    }

    private static TestServer startTrusting(String network) throws IOException {
        return TestServer.start(
                ServerOptions.of(TELL).withTrustedProxies(TrustedProxies.of(List.of(network))));
    }

    private static String ask(RawClient client, String fields) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n").readResponse().text();
    }
}
