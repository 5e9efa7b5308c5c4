package dev.handoff.launcher;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The places where a server listens, as a user names them. */
class ListenIT extends EndToEnd {
    private static final String TELLS_FRAME = Distribution.testWorker("tells_frame.py");
    private static final String REQUEST =
            "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n\r\n";

    @TempDir private Path folder;

    @Test
    void servesAtTwoPortsAndAFile() throws Exception {
        Path file = folder.resolve("http.sock");
        HandoffProcess handoff =
                run(
                        "--listen",
                        "127.0.0.1:0, unix:" + file + ",[::1]:0",
                        "--access-log",
                        "stdout",
                        TELLS_FRAME);
        JsonObject overTcp = JsonLog.read(client(handoff).ask("/").text());
        assertTrue(overTcp.getString("client").startsWith("127.0.0.1:"), overTcp.toString());
        JsonObject frame = frame(ask(file));
        assertEquals("unix:0", frame.getString("client"));
        handoff.stdout().await(line -> line.startsWith("unix - - ["));
        handoff.stdout().await(line -> line.equals("→ unix:" + file));
        handoff.stdout().await(line -> line.startsWith("→ http://[::1]:"));

        handoff.signal("TERM");
        assertEquals(0, handoff.awaitExit());
        assertFalse(Files.exists(file));
    }

    @Test
    void aFileIsTakenFromTheDeadAndNotFromTheLiving() throws Exception {
        Path file = folder.resolve("http.sock");
        HandoffProcess first = run("--listen", "unix:" + file, TELLS_FRAME);
        assertEquals("unix:" + file, first.url());
        assertEquals(200, status(ask(file)));
        HandoffProcess second = run("--listen", "unix:" + file, TELLS_FRAME);
        assertEquals(1, second.awaitExit());
        second.awaitLog(
                "cannot listen on unix:%s: another server listens on %s".formatted(file, file));
        first.signal("KILL");
        first.awaitExit();
        assertTrue(Files.exists(file));
        assertEquals("unix:" + file, run("--listen", "unix:" + file, TELLS_FRAME).url());
        assertEquals(200, status(ask(file)));
    }

    @Test
    void believesAProxyAtAFileOnlyWhereThatIsSaid() throws Exception {
        Path file = folder.resolve("http.sock");
        String listen = "unix:" + file;
        assertEquals(listen, run("--listen", listen, "--trusted-proxy", "unix", TELLS_FRAME).url());
        assertEquals("192.0.2.1:0", frame(ask(file)).getString("client"));
    }

    /** The port is free to choose, so routes name it as the option does. */
    @Test
    void routesAskWhereTheRequestCameInAlsoAfterAReload() throws Exception {
        Path file = folder.resolve("http.sock");
        Path config = folder.resolve("handoff.json");
        Files.writeString(config, routes(file, "unix:" + file, "127.0.0.1:0"));
        HandoffProcess handoff =
                handoff("serve", "--admin-port", "0", "--config", config.toString());
        RawClient kept = client(handoff);
        assertEquals("second", kept.ask("/").text());
        assertTrue(ask(file).endsWith("first"));

        Files.writeString(config, routes(file, "127.0.0.1:0", "unix:" + file));
        handoff.signal("HUP");
        handoff.awaitLog("the configuration is reloaded");
        assertEquals("first", kept.ask("/").text());
        assertTrue(ask(file).endsWith("second"));

        // It listens nowhere else before the next start.
        Path other = folder.resolve("other.sock");
        Files.writeString(config, routes(other, "127.0.0.1:0", "unix:" + other));
        handoff.signal("HUP");
        handoff.awaitLog(
                "the configuration stays as it was: routes are for requests that come in at unix:%s (listen), and this server listens at 127.0.0.1:0 and unix:%s"
                        .formatted(other, file));
        assertEquals("first", kept.ask("/").text());
        assertTrue(ask(file).endsWith("second"));
    }

    private static String routes(Path file, String first, String second) {
        return """
        {"listen": "127.0.0.1:0,unix:%s", "routes": [
          {"listen": "%s", "respond": {"status": 200, "body": "first"}},
          {"listen": ["%s"], "respond": {"status": 200, "body": "second"}}]}
        """
                .formatted(file, first, second);
    }

    /** Or a route that is meant for loopback would be served to everybody, or to nobody. */
    @Test
    void aRouteForAPlaceThatAnOptionTakesAwayIsAnError() throws Exception {
        Path config = folder.resolve("handoff.json");
        Files.writeString(config, routes(folder.resolve("s"), "127.0.0.1:0", "127.0.0.1:0"));
        HandoffProcess handoff =
                handoff("serve", "--listen", "127.0.0.2:0", "--config", config.toString());
        assertEquals(2, handoff.awaitExit());
        handoff.awaitLog(
                "/routes/0/listen is \"127.0.0.1:0\": expected a place where it listens: 127.0.0.2:0");
    }

    @Test
    void refusesWhatIsNoAddress() throws Exception {
        for (String wrong : List.of("8080", ":8080", "::1:8080", "a:99999", "unix:", "a:1,a:1")) {
            HandoffProcess refused = run("--listen", wrong, TELLS_FRAME);
            assertEquals(2, refused.awaitExit(), wrong);
            refused.awaitLog("addresses such as 127.0.0.1:8080");
        }
    }

    private static String ask(Path file) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(file))) {
            channel.write(ByteBuffer.wrap(REQUEST.getBytes(ISO_8859_1)));
            return new String(Channels.newInputStream(channel).readAllBytes(), ISO_8859_1);
        }
    }

    private static int status(String response) {
        return Integer.parseInt(response.split(" ", 3)[1]);
    }

    private static JsonObject frame(String response) {
        return JsonLog.read(response.substring(response.indexOf("\r\n\r\n") + 4));
    }
}
