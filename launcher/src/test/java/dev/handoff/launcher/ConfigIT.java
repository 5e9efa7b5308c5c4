package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Response;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several pools and routes from a configuration file, and what a reload does to them. */
class ConfigIT extends EndToEnd {
    private static final String PYTHON_ECHO =
            "'command': ['python3', '" + Distribution.ROOT.resolve(ECHO) + "'], 'workers': 1";
    private static final String NODE_HELLO =
            "'command': ['node', '"
                    + Distribution.ROOT.resolve("examples-node/hello.mjs")
                    + "'], 'workers': 1";
    private static final String NAMED =
            "'command': ['python3', '"
                    + Distribution.testWorker("names_itself.py")
                    + "'], 'workers': 1";
    private static final String EXTERNAL =
            "'command': ['python3', '"
                    + Distribution.ROOT.resolve("examples-python/external.py")
                    + "'], 'workers': 1";
    private static final String ANNOUNCES =
            "'command': ['python3', '"
                    + Distribution.testWorker("announces.py")
                    + "'], 'workers': 1";
    private static final String UNCHANGED =
            "the configuration file is read again: nothing in it has changed";
    private static final String RELOADED = "the configuration is reloaded";
    private static final String KEPT = "the configuration stays as it was";

    @TempDir private Path folder;

    @Test
    void sendsEachRequestToThePoolOfItsHostPathAndMethod() throws Exception {
        HandoffProcess handoff =
                serve(
                        """
                        'rest': {%s, 'routes': [{}]},
                        'node': {%s, 'routes': [{'path': '/node'}]},
                        'host': {%s, 'routes': [{'host': '*.a.test', 'path': '/'}]},
                        'writing': {%s, 'routes': [{'path': '/only', 'method': ['PUT']}]}
                        """
                                .formatted(PYTHON_ECHO, NODE_HELLO, NAMED, NAMED));
        RawClient client = client(handoff);
        assertEquals("/nodes", client.ask("/nodes").header("echo-target"));
        assertEquals("hello\n", client.ask("/node/x?y").text());
        client.send("GET / HTTP/1.1\r\nHost: b.A.test:80\r\n\r\n");
        assertEquals("host\n", client.readResponse().text());
        client.send("PUT /only HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
        assertEquals("writing\n", client.readResponse().text());
        assertEquals("ambiguous_path", client.ask("/x/..%2fnode").header("handoff-error"));
        Curl workers = Curl.run(handoff.adminUrl() + "workers");
        for (String pool : List.of("rest", "node", "host", "writing")) {
            assertTrue(workers.output().contains("\"name\":\"" + pool + "\""), workers.output());
        }
    }

    @Test
    void answers404And405WhereThereIsNoRoute() throws Exception {
        HandoffProcess handoff =
                serve("'a': {%s, 'routes': [{'path': '/a', 'method': 'GET'}]}".formatted(NAMED));
        RawClient client = client(handoff);
        assertEquals("a\n", client.ask("/a/b").text());
        assertEquals("no_route", client.ask("/b").header("handoff-error"));
        client.send("DELETE /a HTTP/1.1\r\nHost: h\r\n\r\n");
        RawResponse refused = client.readResponse();
        assertEquals(405, refused.status());
        assertEquals("GET, HEAD", refused.header("allow"));
    }

    @Test
    void choosesByConditionsAndTellsWorkersPrefixAndScheme() throws Exception {
        String told = NAMED.replace("names_itself.py", "tells_its_place.py");
        Path file =
                Files.writeString(
                        folder.resolve("handoff.json"),
                        """
                        {'trustedProxy': '127.0.0.1', 'pools': {
                          'told': {%s, 'routes': [{'path': '/app', 'prefix': '/app'}]},
                          'one': {%s, 'routes': [{'path': '/one', 'exact': true},
                            {'path': '/q', 'query': {'v': '2'}}, {'path': '/s', 'scheme': 'https'},
                            {'path': '/h', 'headers': {'X-Beta': '1'}},
                            {'path': '/c', 'client': '192.0.2.0/24'}]},
                          'rest': {%s, 'routes': [{}]}}}
                        """
                                .formatted(told, NAMED, NAMED)
                                .replace('\'', '"'));
        RawClient client = client(serve(file));
        assertEquals("http /app /app/x?y", client.ask("/app/x?y").text());
        client.get("/app/x", "X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.1");
        assertEquals("https /app /app/x", client.readResponse().text());
        client.send(
                "POST /%61pp HTTP/1.1\r\nHost: h\r\nForwarded: proto=https\r\nContent-Length: 0\r\n\r\n");
        assertEquals("https /%61pp /%61pp", client.readResponse().text());
        for (String one : List.of("/one", "/one/", "/q?v=2")) {
            assertEquals("one\n", client.ask(one).text());
        }
        for (String other : List.of("/one/x", "/q", "/s", "/h", "/c", "/s?v=2")) {
            assertEquals("rest\n", client.ask(other).text());
        }
        client.get("/s", "X-Forwarded-Proto: https")
                .get("/h", "x-beta: 1")
                .get("/c", "X-Forwarded-For: 192.0.2.7");
        for (int i = 0; i < 3; i++) {
            assertEquals("one\n", client.readResponse().text());
        }
        assertEquals("ambiguous_path", client.ask("/app/../x").header("handoff-error"));
    }

    @Test
    void answersByItselfWhereARouteSaysSo() throws Exception {
        Path log = folder.resolve("access.log");
        Path file = folder.resolve("handoff.json");
        String routes =
                """
                {"accessLog": "%s", "pools": {"a": {%s}}, "routes": [
                  {"path": "/old", "respond": {"status": 301, "location": "/new"}},
                  {"path": "/soon", "method": "GET", "respond": {
                    "status": 503, "body": "Soon.\\n", "headers": {"Retry-After": "60"}}}]}
                """
                        .formatted(log, NAMED.replace('\'', '"'));
        Files.writeString(file, routes);
        HandoffProcess handoff = serve(file);
        RawClient client = client(handoff);
        assertEquals("a\n", client.ask("/new").text());
        RawResponse moved = client.ask("/old/x?y");
        assertEquals(301, moved.status());
        assertEquals("/new", moved.header("location"));
        assertEquals("0", moved.header("content-length"));
        RawResponse soon = client.ask("/soon");
        assertEquals("Soon.\n", soon.text());
        assertEquals("60", soon.header("retry-after"));
        assertEquals("text/plain; charset=utf-8", soon.header("content-type"));
        client.send("HEAD /soon HTTP/1.1\r\nHost: h\r\n\r\n");
        assertEquals("6", client.readHead().header("content-length"));
        client.send("PUT /soon HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
        assertEquals("a\n", client.readResponse().text());

        Await.until("all lines", () -> lines(log).size() == 5);
        String line = lines(log).get(1);
        assertTrue(line.contains("\"GET /old/x?y HTTP/1.1\" 301 0 "), line);
        assertTrue(line.endsWith(" pool=- worker=- id=- trace=- error=-"), line);
        assertEquals(
                1,
                handoff.metric(
                        "handoff_http_requests_total{pool=\"\",method=\"GET\",code=\"301\",}"));
        JsonObject without =
                handoff.admin("stats").getJsonObject("requests").getJsonObject("withoutPool");
        assertEquals(1, without.getInt("3xx"));
        assertEquals(2, without.getInt("5xx"));

        // Maintenance: one route that takes every request.
        Files.writeString(
                file,
                routes.replaceAll(
                        "(?s)\"routes\": .*", "\"routes\": [{\"respond\": {\"status\": 503}}]}"));
        reload(handoff, RELOADED);
        assertEquals(503, client.ask("/new").status());
        Files.writeString(file, routes);
        handoff.signal("HUP");
        Await.until("the end of maintenance", () -> status(client, "/new") == 200);
    }

    private static int status(RawClient client, String target) {
        try {
            return client.ask(target).status();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void severalPoolsShareTheRequestsOfARoute() throws Exception {
        HandoffProcess handoff =
                serve(
                        shared(
                                List.of("a", "b"),
                                "'a': {%s}, 'b': {%s}".formatted(EXTERNAL, EXTERNAL)));
        handoff.awaitWorkers(2);
        handoff.awaitConnected("a-1", "b-1");
        RawClient first = client(handoff);
        RawClient second = client(handoff);
        first.send("GET /?delay=1000 HTTP/1.1\r\nHost: h\r\n\r\n");
        Await.until("a request in flight", () -> inFlight(handoff) == 1);
        String other = second.ask("/").text();
        assertEquals(Set.of("a\n", "b\n"), Set.of(first.readResponse().text(), other));
    }

    @Test
    void aPoolWithoutAWorkerGetsNoneOfTheRequestsThatPoolsShare() throws Exception {
        HandoffProcess handoff =
                serve(
                        shared(
                                List.of("a", "b", "c"),
                                "'a': {}, 'b': {%s}, 'c': {}".formatted(NAMED)));
        handoff.awaitConnected("b-1");
        for (int i = 0; i < 20; i++) {
            assertEquals("b\n", client(handoff).ask("/").text());
        }
    }

    @Test
    void poolsThatShareARouteChangeUnderLoadWithoutALostRequest() throws Exception {
        String two = NAMED.replace("'workers': 1", "'workers': 2");
        HandoffProcess handoff =
                serve(shared(List.of("a", "b"), "'a': {%s}, 'b': {%s}".formatted(NAMED, NAMED)));
        try (LastingClients clients = new LastingClients(8, handoff.port(), "/")) {
            clients.awaitMore(100);
            shared(List.of("a", "c"), "'a': {%s}, 'c': {%s}".formatted(two, NAMED));
            reload(handoff, RELOADED);
            handoff.awaitWorkers(3);
            clients.awaitMore(100);
            reload(handoff, UNCHANGED + "; workers are replaced");
            clients.awaitMore(100);
            assertEquals(List.of(), clients.end());
        }
    }

    /** Pools that share all requests, on two loops. */
    private Path shared(List<String> names, String pools) throws IOException {
        String quoted = names.stream().map("'%s'"::formatted).collect(Collectors.joining(", "));
        return Files.writeString(
                folder.resolve("handoff.json"),
                "{'loops': 2, 'pools': {%s}, 'routes': [{'pools': [%s]}]}"
                        .formatted(pools, quoted)
                        .replace('\'', '"'));
    }

    @Test
    void startsProcessesInTheirFolderWithTheirEnvironment() throws Exception {
        Path app = Files.createDirectory(folder.resolve("app"));
        Files.copy(Path.of(Distribution.testWorker("names_itself.py")), app.resolve("x.py"));
        Files.copy(Path.of(Distribution.testWorker("worker.py")), app.resolve("worker.py"));
        HandoffProcess handoff =
                serve(
                        """
                        'a': {'command': 'x.py', 'workers': 1, 'workingDirectory': 'app',
                              'environment': {'GREETING': 'hey'}}
                        """);
        RawResponse response = client(handoff).ask("/");
        assertEquals("hey", response.header("greeting"));
        assertEquals(app.toRealPath().toString(), response.header("folder"));
    }

    @Test
    void givesUpAfterTheTimeoutOfThePool() throws Exception {
        HandoffProcess handoff =
                serve(
                        """
                        'a': {%s, 'routes': [{}], 'requestTimeout': '100ms'},
                        'b': {%s, 'routes': [{'path': '/b'}]}
                        """
                                .formatted(PYTHON_ECHO, PYTHON_ECHO));
        assertEquals("deadline", client(handoff).ask("/?delay=20000").header("handoff-error"));
        assertEquals(200, client(handoff).ask("/b?delay=300").status());
    }

    @Test
    void checksAFile() throws Exception {
        Path file = write("'a': {%s}".formatted(NAMED));
        HandoffProcess good = handoff("config", "check", file.toString());
        assertEquals(0, good.awaitExit());
        assertEquals(file + " is valid", good.stdout().all().getFirst());
        assertTrue(good.stdout().all().get(1).startsWith("  pool a on /: "));

        Files.writeString(file, "{\"pools\": {\"a\": {\"wokers\": 1}}}");
        for (String[] command : new String[][] {{"config", "check"}, {"serve", "--config"}}) {
            HandoffProcess bad = handoff(command[0], command[1], file.toString());
            assertEquals(2, bad.awaitExit());
            assertEquals(
                    List.of(
                            "handoff: "
                                    + file
                                    + ", line 1: /pools/a/wokers is unknown (did you mean workers?)"),
                    bad.stderr().all());
        }
    }

    /** Somebody else may have written it. */
    @Test
    void whatAFileHoldsSteersNoTerminal() throws Exception {
        Path file = write("'a': {'command': ['/bin/true', '\\u001b[2J\\nforged\\u009b']}");
        HandoffProcess good = handoff("config", "check", file.toString());
        assertEquals(0, good.awaitExit());
        assertEquals(2, good.stdout().all().size());
        assertTrue(
                good.stdout().all().get(1).contains("/bin/true \ufffd[2J\ufffdforged\ufffd"),
                good.stdout().toString());

        Files.writeString(
                file,
                """
                {"accessLog": "/none/\\u001b[2J", "pools": {"a": {"command": "/bin/true"}}}
                """);
        HandoffProcess bad = handoff("serve", "--config", file.toString());
        assertEquals(1, bad.awaitExit());
        assertFalse(bad.stderr().toString().contains("\u001b"), bad.stderr().toString());
        assertTrue(bad.stderr().toString().contains("/none/\ufffd[2J"), bad.stderr().toString());
    }

    @Test
    void aReloadAddsAPoolUnderLoadWithoutALostRequestOrConnection() throws Exception {
        HandoffProcess handoff = serve("'a': {%s}".formatted(NAMED));
        try (LastingClients clients = new LastingClients(4, handoff.port(), "/x")) {
            clients.awaitMore(100);
            RawClient client = client(handoff);
            assertEquals("a\n", client.ask("/b").text());
            write(
                    """
                    'a': {%s, 'routes': [{'path': '/'}]},
                    'b': {%s, 'routes': [{'path': '/b'}]}
                    """
                            .formatted(NAMED, NAMED));
            reload(handoff, RELOADED);
            assertEquals("b\n", client.ask("/b").text());
            clients.awaitMore(100);
            assertEquals(List.of(), clients.end());
        }
    }

    @Test
    void aReloadReplacesAPoolWhoseProcessesChangeWithoutALostRequest() throws Exception {
        HandoffProcess handoff = serve("'a': {%s}".formatted(NAMED));
        List<Long> before = handoff.awaitWorkers(1);
        try (LastingClients clients = new LastingClients(4, handoff.port(), "/")) {
            clients.awaitMore(100);
            write("'a': {%s, 'environment': {'GREETING': 'new'}}".formatted(NAMED));
            reload(handoff, RELOADED);
            assertEquals("new", client(handoff).ask("/").header("greeting"));
            clients.awaitMore(100);
            assertEquals(List.of(), clients.end());
        }
        HandoffProcess.awaitGone(before);
        assertEquals(1, handoff.awaitWorkers(1).size());
    }

    @Test
    void aReloadScalesAPoolWhoseNumberOfProcessesChanges() throws Exception {
        HandoffProcess handoff = serve("'a': {%s}".formatted(NAMED));
        handoff.awaitWorkers(1);
        try (LastingClients clients = new LastingClients(4, handoff.port(), "/")) {
            write("'a': {%s}".formatted(NAMED.replace("'workers': 1", "'workers': 3")));
            reload(handoff, RELOADED);
            handoff.awaitWorkers(3);
            clients.awaitMore(100);
            assertEquals(List.of(), clients.end());
        }
    }

    @Test
    void aReloadReplacesTheProcessesOfAPoolThatStays() throws Exception {
        HandoffProcess handoff = serve("'a': {%s}".formatted(NAMED));
        List<Long> before = handoff.awaitWorkers(1);
        assertEquals("a\n", client(handoff).ask("/").text());
        reload(handoff, UNCHANGED + "; workers are replaced");
        HandoffProcess.awaitGone(before);
        assertEquals("a\n", client(handoff).ask("/").text());
    }

    @Test
    void aReloadBringsBackAServerThatWasDrained() throws Exception {
        HttpServer behind =
                HttpServer.start(
                        ServerOptions.of(exchange -> exchange.respond(Response.text(200, "ok"))));
        closeAtEnd(behind::stop);
        HandoffProcess handoff = serve("'a': {'servers': '127.0.0.1:%d'}".formatted(behind.port()));
        assertEquals("ok", client(handoff).ask("/").text());
        Curl drained =
                Curl.run("--request", "POST", handoff.adminUrl() + "workers/a-1/drain?wait=true");
        assertTrue(drained.hasStatus(200), drained.output());
        reload(handoff, UNCHANGED);
        assertEquals("ok", client(handoff).ask("/").text());
    }

    @Test
    void aReloadLetsARemovedPoolFinishWhatItHas() throws Exception {
        HandoffProcess handoff =
                serve(
                        """
                        'a': {%s, 'routes': [{'path': '/a'}]},
                        'b': {%s, 'routes': [{}]}
                        """
                                .formatted(ANNOUNCES, NAMED));
        RawClient slow = client(handoff);
        slow.get("/a?held");
        handoff.stdout().await("a-1 | took /a?held"::equals);
        write("'b': {%s, 'routes': [{}]}".formatted(NAMED));
        reload(handoff, RELOADED);
        assertEquals("b\n", client(handoff).ask("/a").text());
        assertTrue(retiring(handoff).contains("\"id\":\"a-1\""), () -> retiring(handoff));
        handoff.release("/a?held");
        assertEquals("done\n", slow.readResponse().text());
        assertEquals("b\n", slow.ask("/a").text());
        handoff.awaitWorkers(1);
        Await.until("the end of the old pool", () -> retiring(handoff).isEmpty());
    }

    @Test
    void aReplacedPoolStartsACrashedWorkerAgainForWhatWaits() throws Exception {
        String oneAtATime = PYTHON_ECHO + ", 'concurrency': 1, 'queue': {'timeout': '30s'}";
        HandoffProcess handoff = serve("'a': {%s}".formatted(oneAtATime));
        List<Long> old = handoff.awaitWorkers(1);
        RawClient lost = client(handoff);
        lost.get("/?delay=20000");
        Await.until("the request in flight", () -> inFlight(handoff) == 1);
        RawClient waiting = client(handoff);
        waiting.get("/waiting");
        write("'a': {%s, 'environment': {'NEW': '1'}}".formatted(oneAtATime));
        reload(handoff, RELOADED);

        HandoffProcess.signal("KILL", old.getFirst());
        assertEquals(502, lost.readResponse().status());
        assertEquals("/waiting", waiting.readResponse().header("echo-target"));
    }

    @Test
    void aNewPoolThatCrashesAgainAndAgainIsGivenUp() throws Exception {
        HandoffProcess handoff = serve("'a': {%s}".formatted(NAMED));
        assertEquals("a\n", client(handoff).ask("/b").text());
        write(
                """
                'a': {%s, 'routes': [{'path': '/'}]},
                'b': {
                  'command': ['python3', '-c', 'raise SystemExit(9)'],
                  'workers': 1,
                  'routes': [{'path': '/b'}]
                }
                """
                        .formatted(NAMED));
        reload(handoff, KEPT);
        assertEquals("a\n", client(handoff).ask("/b").text());
    }

    @Test
    void anInvalidFileKeepsAllAsItWas() throws Exception {
        HandoffProcess handoff = serve("'a': {%s}".formatted(NAMED));
        List<Long> before = handoff.awaitWorkers(1);
        RawClient client = client(handoff);
        assertEquals("a\n", client.ask("/").text());
        write("'a': {%s, 'routes': [{'path': 'x'}]}".formatted(NAMED));
        reload(handoff, KEPT);
        handoff.stderr().await(line -> line.contains("/pools/a/routes/0/path is \"x\""));
        assertEquals("a\n", client.ask("/").text());
        assertEquals(before, handoff.workers());
    }

    @Test
    void aReloadTellsWhatCannotChange() throws Exception {
        HandoffProcess handoff = serve("'a': {%s}".formatted(NAMED));
        Files.writeString(
                folder.resolve("handoff.json"),
                "{\"loops\": 7, \"pools\": {\"a\": {%s}}}".formatted(NAMED.replace('\'', '"')));
        reload(handoff, RELOADED);
        handoff.stderr().await(line -> line.contains("loops cannot change"));
    }

    private static int inFlight(HandoffProcess handoff) {
        return workers(handoff).contains("\"inFlight\":1") ? 1 : 0;
    }

    /** The pools that finish what they have, as the admin server describes them. */
    private static String retiring(HandoffProcess handoff) {
        String workers = workers(handoff);
        int begin = workers.indexOf("\"retiring\":[") + "\"retiring\":[".length();
        return workers.substring(begin, workers.indexOf("],\"unresponsive\""));
    }

    private static String workers(HandoffProcess handoff) {
        try {
            return Curl.run(handoff.adminUrl() + "workers").output();
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    private static void reload(HandoffProcess handoff, String outcome) throws Exception {
        handoff.signal("HUP");
        handoff.stderr().await(line -> line.contains(outcome));
    }

    private HandoffProcess serve(String pools) throws IOException {
        return serve(write(pools));
    }

    private HandoffProcess serve(Path file) throws IOException {
        HandoffProcess handoff =
                handoff("serve", "--config", file.toString(), "--port", "0", "--admin-port", "0");
        // It has read the file then, which a test may change.
        handoff.url();
        return handoff;
    }

    /** With single quotes, which are easier on the eye in Java. */
    private Path write(String pools) throws IOException {
        Path file = folder.resolve("handoff.json");
        return Files.writeString(file, "{'pools': {%s}}".formatted(pools).replace('\'', '"'));
    }
}
