package dev.handoff.process;

import static dev.handoff.process.WebSocketPool.frames;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSockets that an HTTP server accepts, with the real server in front of the pool. */
final class ServersWebSocketTest {
    private static final String ACCEPT =
            """
            HTTP/1.1 101 Switching Protocols
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=
            Sec-WebSocket-Protocol: chat
            X-Own: 1

            """
                    .replace("\n", "\r\n");

    /** Of those that have nothing more to send. */
    private static final int MOST_LINGERING = 512;

    private TestPool pool;
    private HttpServer server;
    private ScriptedServer upstream;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.startOfServers(PoolLimits.DEFAULT);
        server =
                HttpServer.start(ServerOptions.of(pool.pool.handler()).withLoops(pool.loops.all()));
        upstream = new ScriptedServer();
        pool.pool.connect(List.of(upstream.place()), 1);
        pool.events.await(PoolEvent.Joined.class);
    }

    @AfterEach
    void stop() throws IOException {
        server.stop();
        upstream.close();
        pool.close();
    }

    @Test
    void messagesGoBothWays() throws IOException {
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            String head = connection.head();
            assertTrue(head.contains("\r\nupgrade: websocket\r\n"), head);
            assertTrue(head.contains("\r\nconnection: Upgrade\r\n"), head);
            assertTrue(head.contains("\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"), head);
            assertTrue(head.contains("\r\nsec-websocket-protocol: chat, other\r\n"), head);
            assertFalse(head.contains("extensions"), head);
            // Its first message may come with the head.
            connection.send(ACCEPT + "\u0081\u0005hello");
            RawResponse response = client.readHead();
            assertEquals(101, response.status());
            assertEquals("chat", response.header("sec-websocket-protocol"));
            assertEquals("1", response.header("x-own"));
            expect(client, "\u0081\u0005hello");

            client.send(frames().text("back").toBytes());
            assertEquals("\u0081back", unmasked(connection));
            client.send(frames().binary(new byte[] {1, 2}).toBytes());
            assertEquals("\u0082\u0001\u0002", unmasked(connection));

            // A message in two frames, each in two parts, and a ping between them.
            connection.send("\u0001\u0003o");
            connection.send("ne\u0089\u0002hi\u0080\u0003t");
            assertEquals("\u008ahi", unmasked(connection));
            connection.send("wo");
            assertEquals("onetwo", message(client, 6));
            pool.await(snapshot -> snapshot.streams() == 1);
        }
    }

    @Test
    void theServerCloses() throws IOException {
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            accept(client, connection);
            connection.send("\u0088\u0005\u0003\u00e9bye");
            expect(client, "\u0088\u0005\u0003\u00e9bye");
            assertEquals("\u0088\u0003\u00e9", unmasked(connection));
            connection.awaitEnd();
            pool.await(snapshot -> snapshot.streams() == 0 && snapshot.inFlight() == 0);
        }
    }

    @Test
    void theClientCloses() throws IOException {
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            accept(client, connection);
            client.send(frames().frame(0x88, new byte[] {0x03, (byte) 0xe8}).toBytes());
            assertEquals("\u0088\u0003\u00e8", unmasked(connection));
            connection.awaitEnd();
            pool.await(snapshot -> snapshot.streams() == 0 && snapshot.inFlight() == 0);
        }
    }

    @Test
    void aClientThatIsGoneEndsIt() throws IOException {
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            accept(client, connection);
            client.reset();
            assertEquals("\u0088", unmasked(connection).substring(0, 1));
            connection.awaitEnd();
            pool.await(snapshot -> snapshot.streams() == 0 && snapshot.inFlight() == 0);
        }
    }

    /** What it holds until then counts nowhere else, as the client is gone. */
    @Test
    void onlySomeWaitUntilTheServerHasAnsweredTheirEnd() throws IOException {
        List<ScriptedServer.Connection> waiting = new ArrayList<>();
        for (int i = 0; i < MOST_LINGERING; i++) {
            try (RawClient client = ask()) {
                var connection = upstream.accept();
                waiting.add(connection);
                accept(client, connection);
                client.reset();
                assertEquals("\u0088", unmasked(connection).substring(0, 1));
            }
        }
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            accept(client, connection);
            client.reset();
            connection.awaitEnd();
        }
        for (var connection : waiting) {
            connection.close();
        }
    }

    @Test
    void aServerThatIsGoneClosesIt() throws IOException {
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            accept(client, connection);
            connection.reset();
            // 1012: the service restarts.
            assertEquals("\u0003\u00f4", close(client).substring(0, 2));
        }
    }

    @Test
    void aServerThatRefusesAnswersAsItLikes() throws IOException {
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            connection.head();
            connection.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
            RawResponse response = client.readResponse();
            assertEquals(403, response.status());
            assertEquals("no", response.text());
            // Node, for one, reads no request any more where it has told of an upgrade.
            connection.awaitEnd();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Upgrade: websocket\r\nConnection: Upgrade\r\n",
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n",
                "Upgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"
            })
    void anAnswerThatBreaksARuleIs502(String fields) throws IOException {
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            connection.head();
            connection.send("HTTP/1.1 101 Switching Protocols\r\n" + fields + "\r\n");
            RawResponse response = client.readResponse();
            assertEquals(502, response.status());
            assertEquals("worker_fault", response.header("handoff-error"));
            connection.awaitEnd();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0081\u0081\u0000\u0000\u0000\u0000a",
                "\u00c1\u0001a",
                "\u0083\u0001a",
                "\u0080\u0001a",
                "\u0009\u0001a",
                "\u0089~\u0000\u0080",
                "\u0081~\u0000\u0001a",
                "\u0088\u0001a",
                "\u0088\u0002\u0003\u00ed",
                "\u0001\u0001a\u0081\u0001b"
            })
    void aFrameThatBreaksARuleClosesIt(String frames) throws IOException {
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            accept(client, connection);
            connection.send(frames);
            pool.events.await(PoolEvent.RequestLost.class);
            pool.await(snapshot -> snapshot.streams() == 0 && snapshot.inFlight() == 0);
        }
    }

    @Test
    void textThatIsNotUtf8ClosesIt() throws IOException {
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            accept(client, connection);
            connection.send("\u0081\u0001\u00ff");
            assertEquals("\u0003\u00f3", close(client).substring(0, 2));
            assertEquals("\u0088", unmasked(connection).substring(0, 1));
        }
    }

    @Test
    void aServerThatPingsAndReadsNothingIsAnsweredOnce() throws IOException {
        try (RawClient client = ask();
                var connection = upstream.accept()) {
            accept(client, connection);
            String pings = ("\u0089}" + "p".repeat(125)).repeat(500);
            for (int i = 0; i < 1000; i++) {
                connection.send(pings);
            }
            connection.send("\u0089\u0004last\u0081\u0004done");
            assertEquals("done", message(client, 4));
            int answered = 1;
            while (!unmasked(connection).equals("\u008alast")) {
                answered++;
            }
            assertTrue(answered < 250_000, answered + " pongs were held");
        }
    }

    @Test
    void aServerWaitsForASlowClient() throws Exception {
        try (RawClient client = ask(new RawClient(server.port(), 4096));
                var connection = upstream.accept()) {
            accept(client, connection);
            int messages = 1200;
            byte[] random = new byte[65_536];
            // What the client is sent is compressed.
            new Random(1).nextBytes(random);
            String message = "\u0082\u007f\0\0\0\0\0\u0001\0\0" + new String(random, ISO_8859_1);
            Thread sending =
                    Thread.startVirtualThread(() -> {
                        try {
                            for (int i = 0; i < messages; i++) {
                                connection.send(message);
                            }
                        } catch (IOException failure) {
                            throw new AssertionError(failure);
                        }
                    });
            sending.join(Duration.ofMillis(500));
            assertTrue(sending.isAlive(), "somebody holds all messages for the client");
            long left = (long) messages * random.length;
            while (left > 0) {
                left -= message(client, 1).length();
            }
            sending.join();
        }
    }

    private RawClient ask() throws IOException {
        return ask(new RawClient(server.port()));
    }

    private static RawClient ask(RawClient client) throws IOException {
        return client.get(
                "/chat",
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Extensions: permessage-deflate",
                "Sec-WebSocket-Protocol: chat, other");
    }

    private static void accept(RawClient client, ScriptedServer.Connection connection)
            throws IOException {
        connection.head();
        connection.send(ACCEPT.replace("\r\nX-Own: 1", ""));
        assertEquals(101, client.readHead().status());
    }

    private static void expect(RawClient client, String text) throws IOException {
        assertEquals(text, new String(client.read(text.length()), ISO_8859_1));
    }

    /** The bytes of a message, whatever its frames are. */
    private static String message(RawClient client, int bytes) throws IOException {
        StringBuilder message = new StringBuilder();
        while (message.length() < bytes) {
            byte[] head = client.read(2);
            int length = head[1] & 0x7f;
            if (length == 126) {
                byte[] more = client.read(2);
                length = (more[0] & 0xff) << 8 | (more[1] & 0xff);
            } else if (length == 127) {
                byte[] more = client.read(8);
                length = (more[5] & 0xff) << 16 | (more[6] & 0xff) << 8 | (more[7] & 0xff);
            }
            message.append(new String(client.read(length), ISO_8859_1));
        }
        return message.toString();
    }

    /** The payload of the close that comes next. */
    private static String close(RawClient client) throws IOException {
        byte[] head = client.read(2);
        assertEquals((byte) 0x88, head[0]);
        return new String(client.read(head[1]), ISO_8859_1);
    }

    /** The first byte of a frame of the pool's, and its payload. */
    private static String unmasked(ScriptedServer.Connection connection) throws IOException {
        String head = connection.read(2);
        assertEquals(0x80, head.charAt(1) & 0x80, "it has no mask");
        String mask = connection.read(4);
        String payload = connection.read(head.charAt(1) & 0x7f);
        StringBuilder text = new StringBuilder(head.substring(0, 1));
        for (int i = 0; i < payload.length(); i++) {
            text.append((char) (payload.charAt(i) ^ mask.charAt(i % 4)));
        }
        return text.toString();
    }
}
