package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers are replaced while clients ask, and nobody notices. */
class ReloadIT extends EndToEnd {
    private static final int CLIENTS = 4;

    @TempDir private Path folder;
    private Path handler;

    @BeforeEach
    void write() throws IOException {
        handler = folder.resolve("handler.py");
        Files.copy(Path.of(Distribution.testWorker("worker.py")), folder.resolve("worker.py"));
        write("one");
    }

    @Test
    void losesNoRequestInAReload() throws Exception {
        HandoffProcess handoff = run("--workers", "2", handler.toString());
        assertEquals("one", client(handoff).ask("/").text());
        handoff.awaitConnected("default-1", "default-2");
        List<Long> before = handoff.awaitWorkers(2);
        try (Load load = new Load(CLIENTS, handoff.port())) {
            load.awaitMore(200);
            write("two");
            handoff.signal("HUP");
            handoff.stderr().await(line -> line.endsWith("reload: done, 2 workers replaced"));
            HandoffProcess.awaitGone(before);
            load.awaitMore(200);
            load.assertOnly(Set.of("one", "two"), "responses around a reload");
        }
        assertEquals("two", client(handoff).ask("/").text());
        assertEquals(2, handoff.workers().size());
    }

    @Test
    void keepsTheOldVersionWhenTheNewOneDoesNotStart() throws Exception {
        HandoffProcess handoff = run("--workers", "2", handler.toString());
        assertEquals("one", client(handoff).ask("/").text());
        handoff.awaitConnected("default-1", "default-2");
        List<Long> before = handoff.awaitWorkers(2);
        try (Load load = new Load(CLIENTS, handoff.port())) {
            load.awaitMore(100);
            Files.writeString(handler, "import no_such_module\n");
            handoff.signal("HUP");
            handoff.stderr().await(line -> line.contains("reload: failed, 0 workers replaced"));
            handoff.stderr()
                    .await("    ModuleNotFoundError: No module named 'no_such_module'"::equals);
            load.awaitMore(100);
            load.assertOnly(Set.of("one"), "responses around a reload that failed");
        }
        assertEquals(before, handoff.awaitWorkers(2));
        String workers = Curl.run(handoff.adminUrl() + "workers").output();
        assertTrue(workers.contains("No module named 'no_such_module'"), workers);
    }

    @Test
    void tellsWhoWaitsForAReloadWhatBecameOfIt() throws Exception {
        HandoffProcess handoff = run("--workers", "2", handler.toString());
        assertToldWhatBecameOfReloads(handoff);
    }

    @Test
    void tellsWhoWaitsForAReloadOfTheConfigurationWhatBecameOfIt() throws Exception {
        Path file = folder.resolve("handoff.json");
        Files.writeString(
                file,
                "{\"pools\": {\"default\": {\"workers\": 2, \"command\": \"%s\"}}}"
                        .formatted(handler));
        assertToldWhatBecameOfReloads(
                handoff("serve", "--config", file.toString(), "--port", "0", "--admin-port", "0"));
    }

    private static boolean holdsAPost(HandoffProcess handoff) {
        try {
            return Curl.run(handoff.adminUrl() + "requests").output().contains("POST");
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    private void assertToldWhatBecameOfReloads(HandoffProcess handoff) throws Exception {
        assertEquals("one", client(handoff).ask("/").text());
        // Both have to have read the good version before there is a broken one.
        handoff.awaitConnected("default-1", "default-2");
        List<Long> before = handoff.awaitWorkers(2);
        String reload = handoff.adminUrl() + "reload?wait=true";

        Files.writeString(handler, "import no_such_module\n" + version("broken"));
        Curl failed = Curl.run("--request", "POST", reload);
        assertTrue(failed.hasStatus(409), failed.output());
        assertTrue(failed.output().contains("No module named 'no_such_module'"), failed.output());
        assertEquals(before, handoff.awaitWorkers(2));

        write("two");
        Curl done = Curl.run("--request", "POST", reload);
        assertTrue(done.hasStatus(200), done.output());
        assertEquals("two", client(handoff).ask("/").text());
    }

    @Test
    void stopsInTheMiddleOfAReload() throws Exception {
        HandoffProcess handoff = run("--workers", "2", handler.toString());
        assertEquals("one", client(handoff).ask("/").text());
        handoff.awaitConnected("default-1", "default-2");
        Files.writeString(handler, "import time\nprint('hangs')\ntime.sleep(1000)\n");
        handoff.signal("HUP");
        handoff.stdout().await("default-3 | hangs"::equals);
        List<Long> workers = handoff.awaitWorkers(3);
        handoff.signal("TERM");
        assertEquals(0, handoff.awaitExit());
        HandoffProcess.awaitGone(workers);
    }

    @Test
    void anEndlessResponseKeepsNoSuccessorAwayForLongerThanRequestsWait() throws Exception {
        Files.writeString(
                handler,
                """
                import asyncio

                async def app(scope, receive, send):
                    await send({"type": "http.response.start", "status": 200, "headers": []})
                    while scope["path"] == "/endless":
                        await send({"type": "http.response.body", "body": b".", "more_body": True})
                        await asyncio.sleep(0.1)
                    await send({"type": "http.response.body", "body": b"short"})
                """);
        HandoffProcess handoff = run("--stop-first", "--queue-timeout", "5s", handler.toString());
        RawClient endless = client(handoff);
        endless.get("/endless");
        assertEquals(200, endless.readHead().status());
        handoff.signal("HUP");
        handoff.stderr().await(line -> line.contains("reload: "));
        assertEquals("short", client(handoff).ask("/").text());
    }

    @Test
    void contentThatTricklesKeepsNoSuccessorAwayForLongerThanRequestsWait() throws Exception {
        Files.writeString(
                handler,
                """
                async def app(scope, receive, send):
                    while (await receive()).get("more_body"):
                        pass
                    await send({"type": "http.response.start", "status": 200, "headers": []})
                    await send({"type": "http.response.body", "body": b"short"})
                """);
        HandoffProcess handoff =
                run(
                        "--stop-first",
                        "--queue-timeout",
                        "5s",
                        "--request-body",
                        "stream",
                        handler.toString());
        assertEquals("short", client(handoff).ask("/").text());
        RawClient slow = client(handoff);
        slow.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n1");
        Await.until("the request in hand", () -> holdsAPost(handoff));
        handoff.signal("HUP");
        handoff.stderr().await(line -> line.contains("reload: "));
        assertEquals("short", client(handoff).ask("/").text());
        assertEquals("worker_drained", slow.readResponse().header("handoff-error"));
    }

    @Test
    void survivesTheKillOfAnOldWorkerInAReload() throws Exception {
        HandoffProcess handoff = run("--workers", "1", handler.toString());
        assertEquals("one", client(handoff).ask("/").text());
        long old = handoff.awaitWorkers(1).getFirst();
        String slow = "import time\nprint('starts')\ntime.sleep(0.5)\n";
        Files.writeString(handler, slow + version("two"));
        handoff.signal("HUP");
        handoff.stdout().await("default-2 | starts"::equals);
        HandoffProcess.signal("KILL", old);
        handoff.stderr().await(line -> line.endsWith("reload: done, 1 worker replaced"));
        assertEquals("two", client(handoff).ask("/").text());
        assertNotEquals(List.of(old), handoff.awaitWorkers(1));
    }

    @Test
    void losesNoRequestWhenWorkersAreRecycled() throws Exception {
        HandoffProcess handoff =
                run("--workers", "2", "--recycle-requests", "100", handler.toString());
        try (Load load = new Load(CLIENTS, handoff.port())) {
            handoff.stderr().await(line -> line.contains("recycling (--recycle-requests)"));
            Await.until("four recycled workers", () -> recycled(handoff) >= 4);
            load.assertOnly(Set.of("one"), "responses while workers are recycled");
        }
    }

    @Test
    void servesTheNewVersionWhenAFileChanges() throws Exception {
        HandoffProcess handoff = run("--watch", "--workers", "1", handler.toString());
        RawClient client = client(handoff);
        assertEquals("one", client.ask("/").text());

        Files.writeString(handler, "import no_such_module\n");
        handoff.stderr().await(line -> line.contains("reload: failed"));
        handoff.stderr().await(line -> line.startsWith("    ModuleNotFoundError"));
        assertEquals("one", client.ask("/").text());

        write("two");
        handoff.stderr().await(line -> line.endsWith("reload: done, 1 worker replaced"));
        Await.until("the new response", () -> body(client).equals("two"));
    }

    @Test
    void watchesAHandlerThatCouldNotStart() throws Exception {
        Files.writeString(handler, "import no_such_module\n");
        HandoffProcess handoff = run("--watch", "--workers", "1", handler.toString());
        handoff.stderr().await(line -> line.contains("ended before it was ready"));
        write("at last");
        handoff.stderr().await(line -> line.endsWith("reload: done, 1 worker replaced"));
        assertEquals("at last", client(handoff).ask("/").text());
    }

    @Test
    void listsTheRequestsInHand() throws Exception {
        HandoffProcess handoff = run("--workers", "2", Distribution.testWorker("announces.py"));
        client(handoff).get("/first?held");
        handoff.stdout().await(line -> line.endsWith("| took /first?held"));
        client(handoff).get("/second?held");
        handoff.stdout().await(line -> line.endsWith("| took /second?held"));
        handoff.signal("USR1");
        handoff.stderr().await(line -> line.endsWith("requests in hand in pool default: 2"));
        handoff.stderr().await(line -> line.endsWith("GET /second"));
        String log = handoff.stderr().toString();
        assertTrue(log.indexOf("GET /first") < log.indexOf("GET /second"), log);
    }

    @Test
    void saysThatWorkersStartedElsewhereCannotBeReloaded() throws Exception {
        String socket = folder.resolve("s").toString();
        HandoffProcess handoff =
                handoff("serve", "--port", "0", "--admin-port", "0", "--socket", socket);
        assertTrue(handoff.port() > 0);
        handoff.signal("HUP");
        handoff.stderr().await(line -> line.contains("pool default is not reloaded"));
    }

    private void write(String response) throws IOException {
        Files.writeString(handler, version(response));
    }

    private static String version(String response) throws IOException {
        String source = Files.readString(Path.of(Distribution.testWorker("says.py")));
        return source.replace("b\"one\"", "b\"" + response + "\"");
    }

    private static long recycled(HandoffProcess handoff) {
        return handoff.stderr()
                .toString()
                .lines()
                .filter(line -> line.contains("serves in place of"))
                .count();
    }

    private static String body(RawClient client) {
        try {
            return client.ask("/").text();
        } catch (IOException failure) {
            throw new AssertionError("the server closed a client's connection", failure);
        }
    }
}
