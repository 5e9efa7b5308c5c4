package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Headers;
import dev.handoff.process.supervise.HttpServing;
import dev.handoff.process.supervise.WorkerCommand;
import dev.handoff.server.files.FileOptions;
import dev.handoff.server.forwarding.Network;
import dev.handoff.server.routing.RouteConditions;
import dev.handoff.server.routing.RoutePattern;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigurationFileTest {
    private static final Map<String, String> ENVIRONMENT = Map.of("PATH", "/usr/bin:/bin");

    @TempDir private Path folder;

    @Test
    void namesSettingsAsTheirFlags() {
        assertEquals("requestTimeout", AllSettings.REQUEST_TIMEOUT.key());
        assertEquals("host", AllSettings.HOST.key());
        assertEquals("adminPort", AllSettings.ADMIN_PORT.key());
    }

    @Test
    void takesAValueOfTheFileBeforeThePreset() throws Exception {
        Options options = read("{'port': 3000, 'idleTimeout': '5s', 'maxBody': 7}").options();
        assertEquals(3000, options.get(AllSettings.PORT));
        assertEquals("/port", options.source(AllSettings.PORT));
        assertEquals("default", options.source(AllSettings.HOST));
        assertEquals(Duration.ofSeconds(5), Limits.server(options).idleTimeout());
        assertEquals(7, Limits.server(options).request().bodyBytes());
    }

    @Test
    void takesFlagsAndVariablesBeforeTheFile() throws Exception {
        Options given =
                new Options(
                        Map.of("--port", "1"), Map.of("HANDOFF_PORT", "2", "HANDOFF_HOST", "h"));
        Options options = read("{'port': 3, 'host': 'f', 'loops': 3}", given).options();
        assertEquals(1, options.get(AllSettings.PORT));
        assertEquals("--port", options.source(AllSettings.PORT));
        assertEquals("h", options.get(AllSettings.HOST));
        assertEquals("HANDOFF_HOST", options.source(AllSettings.HOST));
        assertEquals(3, options.get(AllSettings.LOOPS));
    }

    @Test
    void takesWhatAPoolSaysBeforeAllElseAndOnlyThere() throws Exception {
        Options given = new Options(Map.of("--request-timeout", "7s"), Map.of());
        List<PoolPlan> pools =
                read(
                                """
                                {'queueBytes': '1MiB', 'pools': {
                                  'a': {'routes': [{'path': '/a'}], 'requestTimeout': '1s',
                                        'queue': {'requests': 5, 'timeout': '2s'}},
                                  'b': {'routes': [{}]}}}
                                """,
                                given)
                        .pools();
        assertEquals(Duration.ofSeconds(1), pools.get(0).requestTimeout());
        assertEquals(Duration.ofSeconds(7), pools.get(1).requestTimeout());
        assertEquals(5, pools.get(0).limits().queueRequests());
        assertEquals(Duration.ofSeconds(2), pools.get(0).limits().queueTimeout());
        assertEquals(1 << 20, pools.get(0).limits().queueBytes());
        assertEquals(0, pools.get(1).limits().queueRequests());
        assertEquals(Duration.ofSeconds(10), pools.get(1).limits().queueTimeout());
    }

    @Test
    void startsRelativePathsInItsFolder() throws Exception {
        Path app = Files.createDirectories(folder.resolve("app"));
        Files.writeString(app.resolve("x.sh"), "");
        Configuration configuration =
                read(
                        """
                        {'socket': 's.sock', 'pools': {'a': {
                          'command': 'x.sh --flag  a', 'workingDirectory': 'app'}}}
                        """);
        assertEquals(folder.resolve("s.sock"), configuration.options().find(AllSettings.SOCKET));
        Workers workers = workers(configuration);
        assertEquals(app, workers.workingDirectory());
        assertEquals(
                List.of("sh", app.resolve("x.sh").toString(), "--flag", "a"),
                workers.command().arguments());
    }

    @Test
    void startsThePathsOfAllSettingsInItsFolder() throws Exception {
        Configuration read =
                read(
                        """
                        {'spoolDirectory': 'spool', 'accessLog': 'access.log',
                         'adminTokenFile': '../token', 'tlsListen': '127.0.0.1:8443',
                         'tlsCertificate': 'a.pem,/b.pem', 'tlsKey': 'a.key,/b.key',
                         'tlsClientCa': 'ca.pem', 'listen': '127.0.0.1:80,unix:web.sock',
                         'pools': {'a': {'servers': 'unix:app.sock',
                                         'routes': [{'listen': 'unix:web.sock'}]},
                                   'b': {'servers': 'unix:/run/b.sock',
                                         'routes': [{'path': '/b'}]}}}
                        """);
        Options options = read.options();
        assertEquals(folder.resolve("spool"), options.find(AllSettings.SPOOL_DIRECTORY));
        assertEquals(
                new AccessTarget.ToFile(folder.resolve("access.log")),
                options.find(AllSettings.ACCESS_LOG));
        assertEquals(folder.resolve("../token"), options.find(AllSettings.ADMIN_TOKEN_FILE));
        assertEquals(
                List.of(folder.resolve("a.pem"), Path.of("/b.pem")),
                options.find(AllSettings.TLS_CERTIFICATE));
        assertEquals(
                List.of(folder.resolve("a.key"), Path.of("/b.key")),
                options.find(AllSettings.TLS_KEY));
        assertEquals(folder.resolve("ca.pem"), options.find(AllSettings.TLS_CLIENT_CA));
        ListenAddress web = new ListenAddress.UnixFile(folder.resolve("web.sock"));
        assertEquals(
                List.of(new ListenAddress.Tcp("127.0.0.1", 80), web),
                options.find(AllSettings.LISTEN));
        assertEquals(
                List.of(new ListenAddress.UnixFile(folder.resolve("app.sock"))),
                read.pools().get(0).options().find(AllSettings.SERVERS));
        assertEquals(
                Set.of(web.text()),
                read.pools().get(0).routes().getFirst().pattern().conditions().places());
    }

    @Test
    void readsTheProcessesOfAPool() throws Exception {
        Workers workers =
                workers(
                        read(
                                """
                                {'pools': {'a': {'command': ['sh', '-c', 'echo $A b'], 'workers': 3,
                                  'concurrency': 9, 'environment': {'A': 'b=c'}}}}
                                """));
        assertEquals(List.of("sh", "-c", "echo $A b"), workers.command().arguments());
        assertEquals(3, workers.count());
        assertEquals(9, workers.concurrency());
        assertEquals(Map.of("A", "b=c"), workers.environment());
        assertEquals(folder, workers.workingDirectory());
    }

    @Test
    void readsHttpServers() throws Exception {
        List<PoolPlan> pools =
                read("""
                {'pools': {
                  'a': {'command': ['sh', '{port}'], 'http': true, 'workers': 2,
                        'routes': [{'path': '/a'}]},
                  'b': {'servers': '10.0.0.1:80, unix:/run/b', 'concurrency': 7,
                        'routes': [{'path': '/b'}]},
                  'c': {'routes': [{'path': '/c'}]}}}
                """)
                        .pools();
        assertEquals(
                List.of(true, true, false), pools.stream().map(PoolPlan::isOfServers).toList());
        assertEquals(List.of(false, false, true), pools.stream().map(PoolPlan::isVisited).toList());
        assertEquals(
                List.of(200, 14, 0),
                pools.stream().map(plan -> plan.connections(plan.processes())).toList());
        assertEquals("the HTTP servers at 10.0.0.1:80, unix:/run/b", pools.get(1).who());
        Workers started = pools.getFirst().workers();
        assertNotNull(started);
        WorkerCommand command = started.connectingTo(folder.resolve("s"), 8080, Map.of());
        assertEquals(new HttpServing(100, 0), command.http());
        assertFalse(command.environment().containsKey("PORT"), "each gets one of its own");
    }

    @Test
    void readsRoutes() throws Exception {
        List<PoolPlan> pools =
                read("""
                {'pools': {
                  'a': {'routes': [{'host': '*.A.test', 'path': '/x/', 'method': 'GET'},
                                   {'method': ['PUT', 'POST']}]},
                  'b': {'routes': [{'path': '/x'}]}}}
                """)
                        .pools();
        assertEquals(
                List.of(
                        new PoolRoute(new RoutePattern("*.a.test", "/x", Set.of("GET")), ""),
                        new PoolRoute(new RoutePattern(null, "/", Set.of("PUT", "POST")), "")),
                pools.get(0).routes());
        assertEquals("pool a on GET *.a.test/x and POST,PUT /", pools.get(0).summary());
    }

    @Test
    void readsConditionsAndPrefixesOfRoutes() throws Exception {
        Configuration read =
                read(
                        """
                        {'pools': {'a': {'routes': [
                          {'path': '/app/api', 'prefix': '/app/', 'exact': true},
                          {'headers': {'X-Beta': ['1', '2']}, 'query': {'v': '3'},
                           'scheme': 'https', 'client': ['10.0.0.0/8', '::1'], 'listen': '127.0.0.1:8080'}]}}}
                        """);
        RouteConditions conditions =
                new RouteConditions(
                        Map.of("x-beta", Set.of("1", "2")),
                        Map.of("v", Set.of("3")),
                        "https",
                        Set.of(Network.parse("10.0.0.0/8"), Network.parse("::1")),
                        Set.of("127.0.0.1:8080"));
        assertEquals(
                List.of(
                        new PoolRoute(
                                new RoutePattern(
                                        null, "/app/api", true, Set.of(), RouteConditions.NONE),
                                "/app"),
                        new PoolRoute(
                                new RoutePattern(null, "/", false, Set.of(), conditions), "")),
                read.pools().getFirst().routes());
        String printed = ConfigPrinter.print(read).replaceAll("\\s+", "");
        assertTrue(
                printed.contains("{\"path\":\"/app/api\",\"exact\":true,\"prefix\":\"/app\"}"),
                printed);
        assertTrue(
                printed.contains(
                        "\"headers\":{\"x-beta\":[\"1\",\"2\"]},\"query\":{\"v\":[\"3\"]},\"scheme\":\"https\""),
                printed);
    }

    /** Also TLS places, port 0, and however an IPv6 address or a name is spelled. */
    @Test
    void routesNameThePlacesOfTheOptions() throws Exception {
        Configuration read =
                read(
                        """
                        {'listen': 'Localhost:0,[0:0::1]:80,unix:/run//a', 'tlsListen': '0.0.0.0:443',
                         'tlsCertificate': 'c', 'tlsKey': 'k', 'pools': {'a': {'routes': [
                           {'path': '/a', 'listen': 'localhost:0'},
                           {'path': '/b', 'listen': ['[::0001]:80', 'unix:/run/a/']},
                           {'path': '/c', 'listen': '0.0.0.0:443'}, {}]}}}
                        """);
        assertEquals(
                Set.of("localhost:0", "[::1]:80", "unix:/run/a", "0.0.0.0:443"),
                read.namedPlaces());
        String printed = ConfigPrinter.print(read).replaceAll("\\s+", "");
        assertTrue(
                printed.contains("{\"path\":\"/b\",\"listen\":[\"[::1]:80\",\"unix:/run/a\"]}"),
                printed);
    }

    /** Or a wrong address would be complained about for each route that names it. */
    @Test
    void whereASettingIsWrongRoutesMayNameAnyPlace() {
        ConfigurationException wrong =
                assertThrows(
                        ConfigurationException.class,
                        () ->
                                read(
                                        "{'listen': 'a', 'routes': [{'respond': {'status': 200}, 'listen': 'b:80'}]}"));
        assertEquals(1, String.valueOf(wrong.getMessage()).lines().count(), wrong.getMessage());
    }

    @Test
    void readsARouteThatSeveralPoolsShare() throws Exception {
        Configuration read =
                read(
                        """
                        {'pools': {'a': {'routes': [{'path': '/a'}]}, 'b': {}},
                         'routes': [{'path': '/x', 'prefix': '/x', 'pools': ['a', 'b']}]}
                        """);
        assertEquals(
                List.of(
                        new RoutePlan(
                                new RoutePattern(null, "/x", Set.of()),
                                "/x",
                                new Target.Pools(List.of("a", "b")))),
                read.routes());
        assertEquals(List.of(), read.pools().getLast().routes());
        assertEquals("/x: the pools a, b", read.routes().getFirst().summary());
    }

    @Test
    void readsRoutesThatLeadToAResponse() throws Exception {
        Configuration read =
                read(
                        """
                        {'routes': [
                          {'path': '/old', 'respond': {'status': 308, 'location': '/new'}},
                          {'host': 'a.test', 'respond': {'status': 503, 'body': 'Soon.',
                            'headers': {'Retry-After': '60', 'link': ['</a>', '</b>']}}}]}
                        """);
        assertEquals(
                List.of(
                        new RoutePlan(
                                new RoutePattern(null, "/old", Set.of()),
                                "",
                                new Target.Respond(308, "/new", Map.of(), "")),
                        new RoutePlan(
                                new RoutePattern("a.test", "/", Set.of()),
                                "",
                                new Target.Respond(
                                        503,
                                        null,
                                        Map.of(
                                                "retry-after", List.of("60"),
                                                "link", List.of("</a>", "</b>"),
                                                "content-type",
                                                        List.of("text/plain; charset=utf-8")),
                                        "Soon."))),
                read.routes());
        assertEquals(List.of(PoolRoute.all()), read.pools().getFirst().routes());
        assertEquals(List.of("/old: 308 to /new", "a.test/: 503"), read.routeSummaries().toList());
    }

    @Test
    void readsRoutesThatLeadToAFolder() throws Exception {
        Files.createDirectories(folder.resolve("public"));
        Configuration read =
                read(
                        """
                        {'routes': [
                          {'path': '/static', 'prefix': '/static', 'files': {'folder': 'public',
                            'fallback': 'app.html', 'headers': {'Cache-Control': 'no-cache'},
                            'types': {'.xyz': 'text/x'}, 'precompressed': true}}]}
                        """);
        FileOptions expected =
                new FileOptions(
                        folder.resolve("public"),
                        "index.html",
                        "app.html",
                        null,
                        Headers.of("cache-control", "no-cache"),
                        Map.of(".xyz", "text/x"),
                        true);
        assertEquals(
                List.of(
                        new RoutePlan(
                                new RoutePattern(null, "/static", Set.of()),
                                "/static",
                                new Target.Files(expected, null))),
                read.routes());
        assertTrue(read.servesFiles());
        String printed = ConfigPrinter.print(read);
        for (String line : new String[] {"\"prefix\": \"/static\"", "\"fallback\": \"app.html\""}) {
            assertTrue(printed.contains(line), printed);
        }
    }

    @Test
    void readsAFallbackToAPoolWhichNeedsNoRoutes() throws Exception {
        Configuration read =
                read(
                        """
                        {'pools': {'a': {}, 'b': {'routes': [{'path': '/b'}]}},
                         'routes': [{'files': {'folder': '.', 'fallback': {'pool': 'a'}}}]}
                        """);
        assertEquals(List.of(), read.pools().getFirst().routes());
        assertEquals(
                List.of("/: files of %s, else pool a".formatted(folder.resolve(".").normalize())),
                read.routeSummaries().toList());
        String printed = ConfigPrinter.print(read).replaceAll("\\s+", " ");
        assertTrue(printed.contains("\"fallback\": { \"pool\": \"a\" }"), printed);
    }

    @Test
    void leavesTheOnlyPoolNothingWhereAResponseIsForEveryRequest() throws Exception {
        for (String pools : List.of("", "'pools': {'a': {}}, ")) {
            Configuration read = read("{" + pools + "'routes': [{'respond': {'status': 503}}]}");
            assertEquals(List.of(), read.pools().getFirst().routes());
        }
    }

    @Test
    void takesABodyUpToTheLimit() throws Exception {
        String body = "x".repeat(RespondReader.MOST_BODY_BYTES);
        String json = "{'routes': [{'respond': {'status': 200, 'body': '%s'}}]}";
        read(json.formatted(body));
        assertComplains(
                json.formatted(body + "x"),
                "1: /routes/0/respond/body is longer than 64KiB: have a worker answer instead");
        String value = "x".repeat(FieldsReader.MOST_CHARACTERS - 1);
        json = "{'routes': [{'respond': {'status': 200, 'headers': {'a': '%s'}}}]}";
        read(json.formatted(value));
        assertComplains(
                json.formatted(value + "x"),
                "1: /routes/0/respond/headers is longer than 8192 characters");
    }

    @Test
    void givesTheOnlyPoolAllRequestsAndWaitsForWorkersWithoutACommand() throws Exception {
        PoolPlan pool = read("{'pools': {'a': {}}}").pools().getFirst();
        assertEquals(List.of(PoolRoute.all()), pool.routes());
        assertNull(pool.workers());
    }

    @Test
    void isTheOneOfServeWithoutPools() throws Exception {
        assertEquals("default", read("{'$schema': 'x'}").pools().getFirst().name());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'prot': 1} | 1: /prot is unknown (did you mean port?)",
                "{'a': 1} | 1: /a is unknown: expected one of $schema, pools, routes, host, port",
                "{'port': '80'} | 1: /port is \"80\": expected a whole number from 0 to 65535",
                "{'port': 65536} | 1: /port is 65536: expected a whole number from 0 to 65535",
                "{'port': 1.0} | 1: /port is 1.0: expected a whole number",
                "{'port': null} | 1: /port is null: expected a whole number",
                "{'idleTimeout': 30} | 1: /idleTimeout is 30: expected a length of time",
                "{'maxBody': '8MB'} | 1: /maxBody is \"8MB\": expected a size such as",
                "{'logLevel': 'loud'} | 1: /logLevel is \"loud\": expected one of debug",
                "{'port': 1, 'port': 1} | 1: /port comes twice",
                "{'pools': {}} | 1: /pools is an object: expected an object with at least one pool",
                "{'pools': []} | 1: /pools is an array: expected an object",
                "{'pools': {'a b': {}}} | 1: /pools/a b is no name",
                "{'pools': {'a-external': {}}} | 1: /pools/a-external ends in -external, like the ids",
                "{'pools': {'_': {}}} | 1: /pools/_ is no name: expected a letter or digit first",
                "{'pools': {'a~/b': {}}} | 1: /pools/a~0~1b is no name",
                "{'pools': {'a': {'x': 1}}} | 1: /pools/a/x is unknown",
                "{'pools': {'a': {'queue': 1}}} | 1: /pools/a/queue is 1: expected an object with requests, bytes, timeout",
                "{'pools': {'a': {'queue': {'byte': 1}}}} | 1: /pools/a/queue/byte is unknown (did you mean bytes?)",
                "{'pools': {'a': {'queue': {'bytes': -1}}}} | 1: /pools/a/queue/bytes is -1: expected a size",
                "{'pools': {'a': {'workers': 1}}} | 1: /pools/a/workers is for pools with a command",
                "{'pools': {'a': {'servers': '127.0.0.1:1', 'workers': 1}}} | 1: /pools/a/workers is for pools with a command",
                "{'pools': {'a': {'servers': '127.0.0.1:1', 'command': ['sh']}}} | 1: /pools/a/servers is for servers that are started elsewhere",
                "{'pools': {'a': {'servers': 'http://127.0.0.1:1'}}} | 1: /pools/a/servers",
                "{'pools': {'a': {'http': true, 'command': 'main:app'}}} | 1: /pools/a/command cannot be run: main:app is an application",
                "{'pools': {'a': {'command': []}}} | 1: /pools/a/command is an array: expected a program",
                "{'pools': {'a': {'command': ['sh', 1]}}} | 1: /pools/a/command/1 is 1: expected a string",
                "{'pools': {'a': {'command': 'sh $X'}}} | 1: /pools/a/command is \"sh $X\": expected plain words",
                "{'pools': {'a': {'command': 'no-such'}}} | 1: /pools/a/command cannot be run: there is no program 'no-such'",
                "{'pools': {'a': {'command': 'no.py'}}} | 1: /pools/a/command cannot be run: there is no file",
                "{'pools': {'a': {'command': 'sh', 'workingDirectory': 'no'}}} | 1: /pools/a/workingDirectory is \"no\": there is no such folder",
                "{'pools': {'a': {'command': 'sh', 'environment': 'A=hush'}}} | 1: /pools/a/environment is no object of variables: expected",
                "{'pools': {'a': {'command': 'sh', 'environment': {'A=hush': ''}}}} | 1: /pools/a/environment is no object of variables: expected",
                "{'pools': {'a': {'command': 'sh', 'environment': {'A': 1}}}} | 1: /pools/a/environment/A is not a string",
                "{'pools': {'a': {'command': 'sh', 'environment': {'HANDOFF_TOKEN': ''}}}} | 1: /pools/a/environment/HANDOFF_TOKEN is set by the core",
                "{'pools': {'a': {'routes': []}}} | 1: /pools/a/routes is an array: expected an array of at least one route",
                "{'pools': {'a': {'routes': [{'path': 'x'}]}}} | 1: /pools/a/routes/0/path is \"x\": expected a path that begins with /",
                "{'pools': {'a': {'routes': [{'host': 'h:1'}]}}} | 1: /pools/a/routes/0/host is \"h:1\": expected a host without a port",
                "{'pools': {'a': {'routes': [{'method': 'get'}]}}} | 1: /pools/a/routes/0/method is \"get\": expected a method in capitals: \"GET\"",
                "{'routes': [{'respond': {'status': 200}, 'method': ['GET', 'get']}]} | 1: /routes/0/method/1 is \"get\": expected a method in capitals: \"GET\"",
                "{'routes': [{'respond': {'status': 200}, 'path': '/static/*'}]} | 1: /routes/0/path is \"/static/*\": expected \"/static\", which is for all below it too",
                "{'routes': [{'respond': {'status': 200}, 'path': '/*.php'}]} | 1: /routes/0/path is \"/*.php\": expected a path without *: a route is for all below its path, unless it is exact",
                "{'routes': [{'respond': {'status': 200}, 'path': '/*'}]} | 1: /routes/0/path is \"/*\": expected a path without *",
                "{'routes': [{'respond': {'status': 200}, 'host': '_'}]} | 1: /routes/0/host is \"_\": expected a host such as api.example.org; for any host leave the key out",
                "{'routes': [{'respond': {'status': 200}, 'uri': '/x'}]} | 1: /routes/0/uri is unknown: it is called path here",
                "{'routes': [{'respond': {'status': 200}, 'exact': 'yes'}]} | 1: /routes/0/exact is \"yes\": expected true or false",
                "{'routes': [{'respond': {'status': 200}, 'headers': {}}]} | 1: /routes/0/headers is an object: expected an object with a string for each header, or strings",
                "{'routes': [{'respond': {'status': 200}, 'headers': {'a': 1}}]} | 1: /routes/0/headers/a is 1: expected a string",
                "{'routes': [{'respond': {'status': 200}, 'headers': {'a': []}}]} | 1: /routes/0/headers/a is an array: expected a string, or several",
                "{'routes': [{'respond': {'status': 200}, 'headers': {'a b': '1'}}]} | 1: /routes/0/headers has \"a b\", which is no name of a header",
                "{'routes': [{'respond': {'status': 200}, 'headers': {'Host': 'x'}}]} | 1: /routes/0/headers has the header host, which has a key of its own: host",
                "{'routes': [{'respond': {'status': 200}, 'query': 'a=1'}]} | 1: /routes/0/query is \"a=1\": expected an object with a string for each parameter, or strings",
                "{'routes': [{'respond': {'status': 200}, 'scheme': 'HTTPS'}]} | 1: /routes/0/scheme is \"HTTPS\": expected http or https",
                "{'routes': [{'respond': {'status': 200}, 'client': '10.0.0.0/33'}]} | 1: /routes/0/client is \"10.0.0.0/33\": expected a network such as 10.0.0.0/8, or an address",
                "{'routes': [{'respond': {'status': 200}, 'listen': '*:8080'}]} | 1: /routes/0/listen is \"*:8080\": expected a place where it listens: 127.0.0.1:8080",
                "{'listen': '[0::0:1]:80,unix:/run/a', 'pools': {'a': {'routes': [{'listen': ['[::1]:80', 'unix:/run/b']}]}}} | 1: /pools/a/routes/0/listen/1 is \"unix:/run/b\": expected a place where it listens: [::1]:80 or unix:/run/a",
                "{'routes': [{'respond': {'status': 200}, 'listen': '127.0.0.1:8080,[::1]:80'}]} | 1: /routes/0/listen is \"127.0.0.1:8080,[::1]:80\": expected a place where it listens",
                "{'routes': [{'respond': {'status': 200}, 'listen': 8080}]} | 1: /routes/0/listen is 8080: expected a place where it listens",
                "{'routes': [{'respond': {'status': 200}, 'listen': []}]} | 1: /routes/0/listen is an array: expected a place where it listens",
                "{'routes': [{'respond': {'status': 200}, 'listener': '127.0.0.1:8080'}]} | 1: /routes/0/listener is unknown (did you mean listen?)",
                "{'listen': 'a:1,b:2,c:3', 'pools': {'a': {'routes': [{'listen': ['a:1', 'b:2']}, {'listen': ['b:2', 'c:3']}]}}} | 1: /pools/a/routes/1 may be for the same requests as /pools/a/routes/0, and neither asks for more",
                "{'routes': [{'respond': {'status': 200}, 'path': '/x', 'prefix': '/x'}]} | 1: /routes/0/prefix means nothing to a fixed response: leave it out",
                "{'pools': {'a': {'routes': [{'path': '/x', 'prefix': '/y'}]}}} | 1: /pools/a/routes/0/prefix is \"/y\": expected the path, or one above it",
                "{'pools': {'a': {'routes': [{'path': '/x', 'prefix': '/'}]}}} | 1: /pools/a/routes/0/prefix is \"/\": expected a path such as /app; leave it out for the root",
                "{'pools': {'a': {'routes': [{'scheme': 'http'}, {'query': {'a': '1'}}]}}} | 1: /pools/a/routes/1 may be for the same requests as /pools/a/routes/0, and neither asks for more: give one all that",
                "{'pools': {'a': {'routes': [{'paths': '/'}]}}} | 1: /pools/a/routes/0/paths is unknown (did you mean path?)",
                "{'pools': {'a': {}, 'b': {'routes': [{}]}}} | 1: /pools/a has no routes",
                "{'pools': {'a': {'routes': [{}]}, 'b': {'routes': [{'path': '/'}]}}} | 1: /pools/b/routes/0 is for /, as /pools/a/routes/0 is",
                "{'routes': {}} | 1: /routes is an object: expected an array of routes",
                "{'routes': [{'path': '/x'}]} | 1: /routes/0 leads nowhere: expected files or respond or pools, or the route in the pool that answers",
                "{'routes': [{'respond': {'status': 200}, 'files': {'folder': '.'}}]} | 1: /routes/0 leads to files and respond: expected one of them",
                "{'routes': [{'files': 'public'}]} | 1: /routes/0/files is \"public\": expected an object with a folder, such as {\"folder\": \"public\"}",
                "{'routes': [{'files': {}}]} | 1: /routes/0/files has no folder",
                "{'routes': [{'files': {'folder': 'nowhere'}}]} | 1: /routes/0/files/folder is \"nowhere\": there is no such folder, or none to read",
                "{'routes': [{'files': {'folder': ''}}]} | 1: /routes/0/files/folder is \"\": there is no such folder",
                "{'routes': [{'files': {'folder': '.', 'index': 'a/b'}}]} | 1: /routes/0/files/index is \"a/b\": expected the name of a file, such as index.html",
                "{'routes': [{'files': {'folder': '.', 'fallback': '../a'}}]} | 1: /routes/0/files/fallback is \"../a\": expected the path of a file in the folder, such as errors/404.html",
                "{'routes': [{'files': {'folder': '.', 'notFound': '/a'}}]} | 1: /routes/0/files/notFound is \"/a\": expected the path of a file in the folder",
                "{'routes': [{'files': {'folder': '.', 'notFound': '.a'}}]} | 1: /routes/0/files/notFound is \".a\": expected the path of a file in the folder",
                "{'routes': [{'files': {'folder': '.', 'headers': {'ETag': 'x'}}}]} | 1: /routes/0/files/headers/ETag is written by the server itself: leave it out",
                "{'routes': [{'files': {'folder': '.', 'headers': {'Content-Type': 'x'}}}]} | 1: /routes/0/files/headers has content-type, which types sets by endings",
                "{'routes': [{'files': {'folder': '.', 'types': {'txt': 'text/plain'}}}]} | 1: /routes/0/files/types/txt is for no ending such as .txt",
                "{'routes': [{'files': {'folder': '.', 'types': {'.txt': 'text'}}}]} | 1: /routes/0/files/types/.txt is \"text\": expected a media type such as text/plain",
                "{'routes': [{'files': {'folder': '.', 'precompressed': 'yes'}}]} | 1: /routes/0/files/precompressed is \"yes\": expected true or false",
                "{'routes': [{'files': {'folder': '.', 'folders': '.'}}]} | 1: /routes/0/files/folders is unknown (did you mean folder?)",
                "{'routes': [{'responds': {}}]} | 1: /routes/0/responds is unknown (did you mean respond?)",
                "{'routes': [{'respond': 404}]} | 1: /routes/0/respond is 404: expected an object with a status, such as {\"status\": 503}",
                "{'routes': [{'respond': {}}]} | 1: /routes/0/respond has no status: expected one from 200 to 599, such as 301 or 503",
                "{'routes': [{'respond': {'status': 199}}]} | 1: /routes/0/respond/status is 199: expected a number from 200 to 599",
                "{'routes': [{'respond': {'status': 600}}]} | 1: /routes/0/respond/status is 600: expected a number from 200 to 599",
                "{'routes': [{'respond': {'status': 301}}]} | 1: /routes/0/respond has status 301 and no location to go to",
                "{'routes': [{'respond': {'status': 200, 'location': '/x'}}]} | 1: /routes/0/respond/location means nothing with status 200: expected 301, 302, 303, 307, 308 or 201",
                "{'routes': [{'respond': {'status': 301, 'location': '/a b'}}]} | 1: /routes/0/respond/location is \"/a b\": expected an address in visible ASCII; anything else percent-encoded",
                "{'routes': [{'respond': {'status': 204, 'body': 'x'}}]} | 1: /routes/0/respond/body is never sent with status 204: leave it out",
                "{'routes': [{'respond': {'status': 200, 'headers': {'Content-Length': '1'}}}]} | 1: /routes/0/respond/headers/Content-Length is written by the server itself: leave it out",
                "{'routes': [{'files': {'folder': '.', 'fallback': {'pool': 'a'}}}]} | 1: /routes/0/files leads to the pool a, which is none",
                "{'routes': [{'files': {'folder': '.', 'fallback': {'pools': 'a'}}}]} | 1: /routes/0/files/fallback is an object: expected a pool alone, as in {\"pool\": \"site\"}",
                "{'pools': {'a': {}}, 'routes': [{'files': {'folder': '.', 'notFound': 'a.html', 'fallback': {'pool': 'a'}}}]} | 1: /routes/0/files/notFound means nothing beside a fallback to a pool: leave it out",
                "{'pools': {'a': {}, 'b': {}}, 'routes': [{'files': {'folder': '.', 'fallback': {'pool': 'a'}}}]} | 1: /pools/b has no routes: where there are several pools each needs some",
                "{'routes': [{'pools': 'a'}]} | 1: /routes/0/pools is \"a\": expected an array of two or more pools; a single pool has the route itself",
                "{'routes': [{'pools': ['a']}]} | 1: /routes/0/pools is an array: expected an array of two or more pools",
                "{'routes': [{'pools': ['a', 'a']}]} | 1: /routes/0/pools/1 is \"a\": expected the name of another pool",
                "{'routes': [{'pools': ['a', 7]}]} | 1: /routes/0/pools/1 is 7: expected the name of another pool",
                "{'pools': {'a': {}}, 'routes': [{'pools': ['a', 'b']}]} | 1: /routes/0/pools leads to the pool b, which is none",
                "{'pools': {'a': {}, 'b': {'requestBody': 'stream'}}, 'routes': [{'pools': ['a', 'b']}]} | 1: /routes/0/pools leads to a and b, which differ in requestBody",
                "{'listeners': {}} | 1: /listeners is a key of NGINX Unit: 'handoff import unit FILE' makes a handoff.json of its configuration",
                "{'routes': [{'respond': {'status': 200, 'headers': {'Handoff-Error': 'x'}}}]} | 1: /routes/0/respond/headers/Handoff-Error is written by the server itself: leave it out",
                "{'routes': [{'respond': {'status': 200, 'body': '\\ud800'}}]} | 1: /routes/0/respond/body has half of a character, as \\ud800 without its other half",
                "{'routes': [{'respond': {'status': 200, 'headers': {'Upgrade': 'x'}}}]} | 1: /routes/0/respond/headers/Upgrade is written by the server itself: leave it out",
                "{'routes': [{'respond': {'status': 200, 'headers': {'Location': '/'}}}]} | 1: /routes/0/respond/headers/Location has a key of its own: location, beside headers",
                "{'routes': [{'respond': {'status': 200, 'headers': {'a b': 'x'}}}]} | 1: /routes/0/respond/headers/a b cannot be sent: A field name is not a token.",
                "{'routes': [{'respond': {'status': 200, 'headers': {'a': 'x\\r\\ny: z'}}}]} | 1: /routes/0/respond/headers/a cannot be sent: A field value has a control character",
                "{'routes': [{'respond': {'status': 200, 'headers': {'a': []}}}]} | 1: /routes/0/respond/headers/a is an array: expected at least one string",
                "{'routes': [{'respond': {'status': 200, 'headers': {'a': 'x', 'A': 'y'}}}]} | 1: /routes/0/respond/headers/A comes twice, in another spelling",
                "{'routes': [{'path': '/x', 'respond': {'status': 200}}], 'pools': {'a': {'routes': [{'path': '/x/'}]}}} | 1: /pools/a/routes/0 is for /x, as /routes/0 is",
                "[] | 1: the whole is an array: expected an object",
                "{'a': 1,} | 1, column 9: not JSON: found }, expected a string",
                "{'a': 1 | 1, column 8: not JSON: found the end of the file, expected a comma or }",
                "{} x | 1, column 4: not JSON: unexpected character x",
                "{}[ | 1, column 3: not JSON: there is more behind its end"
            })
    void namesTheFailingKeyAndWhatWasExpected(String json, String complaint) {
        assertComplains(json, complaint);
    }

    private void assertComplains(String json, String complaint) {
        String message = refusal(json);
        assertTrue(message.startsWith(file() + ", line " + complaint), message);
    }

    @Test
    void complainsOfAllThatIsWrongWithTheLine() {
        String message = refusal("{\n'port': -1,\n'hots': 'x',\n'pools': 7}");
        assertEquals(3, message.lines().count(), message);
        assertTrue(message.contains(", line 2: /port is -1"), message);
        assertTrue(message.contains(", line 3: /hots is unknown (did you mean host?)"), message);
        assertTrue(message.contains(", line 4: /pools is 7"), message);
    }

    @Test
    void refusesAFileThatIsMissingOrNoText() throws Exception {
        assertTrue(refusalOfFile().endsWith(": there is no such file"));
        Files.write(file(), new byte[] {(byte) 0xff});
        assertTrue(refusalOfFile().endsWith(": is not text in UTF-8"));
        Files.delete(file());
        Files.createDirectory(file());
        assertTrue(refusalOfFile().endsWith(": is no regular file"));
    }

    @Test
    void refusesAFileOneByteAboveTheLimit() throws Exception {
        String json = "{" + " ".repeat(JsonFile.MOST_BYTES - 2) + "}";
        read(json);
        assertTrue(refusal(json + " ").endsWith(": has more than 1MiB"));
    }

    /** A pipe that nobody writes would keep the start waiting, a device would never end. */
    @Test
    void refusesWhatIsNoRegularFile() throws Exception {
        Files.createSymbolicLink(file(), Path.of("/dev/zero"));
        assertTrue(refusalOfFile().endsWith(": is no regular file"));
        Files.delete(file());
        assertEquals(0, new ProcessBuilder("mkfifo", file().toString()).start().waitFor());
        assertTrue(refusalOfFile().endsWith(": is no regular file"));
    }

    @Test
    void readsAFileThroughALink() throws Exception {
        Path linked = Files.writeString(folder.resolve("linked.json"), "{}");
        Files.createSymbolicLink(file(), linked);
        assertNotNull(ConfigurationFile.read(file(), new Options(Map.of(), Map.of()), ENVIRONMENT));
    }

    @Test
    void showsNoControlCharactersAndNoEndlessValues() {
        String message = refusal("{'a\\u001b[31m\\u202e': 1, 'port': '" + "x".repeat(9000) + "'}");
        assertTrue(message.contains("/a\ufffd[31m\ufffd is unknown"), message);
        assertFalse(message.contains("\u001b"));
        assertTrue(message.length() < 9000, () -> "shows " + message.length() + " characters");
    }

    @Test
    void refusesOnePoolMoreThanTheLimit() throws Exception {
        String pools = pools(PoolsReader.MOST_POOLS);
        assertEquals(PoolsReader.MOST_POOLS, read("{'pools': {" + pools + "}}").pools().size());
        String oneMore = refusal("{'pools': {" + pools + ", 'a': {'routes': [{'path': '/a'}]}}}");
        assertTrue(oneMore.endsWith("/pools has 1001 pools: 1000 at most"), oneMore);
    }

    private static String pools(int count) {
        return IntStream.range(0, count)
                .mapToObj("'p%1$d': {'routes': [{'path': '/%1$d'}]}"::formatted)
                .collect(Collectors.joining(","));
    }

    @Test
    void refusesOneRouteMoreThanTheLimit() throws Exception {
        String routes = routes(RouteClaims.MOST_ROUTES);
        read("{'pools': {'a': {'routes': [" + routes + "]}}}");
        String oneMore = refusal("{'pools': {'a': {'routes': [" + routes + ", {'path': '/a'}]}}}");
        assertTrue(oneMore.endsWith("/routes/2000 is one route too many: 2000 at most"), oneMore);
    }

    private static String routes(int count) {
        return IntStream.range(0, count)
                .mapToObj("{'path': '/%d'}"::formatted)
                .collect(Collectors.joining(","));
    }

    @Test
    void showsAFewComplaintsAndCountsTheOthers() {
        String message = refusal("{'pools': {'a': {'routes': [" + "{},".repeat(999) + "{}]}}}");
        assertEquals(21, message.lines().count());
        assertTrue(message.endsWith("and 499480 more"), message);
    }

    @Test
    void refusesOneLevelMoreThanTheLimit() {
        int levels = JsonFile.MOST_LEVELS;
        String deepest = "[".repeat(levels) + "]".repeat(levels);
        assertTrue(refusal(deepest).contains("expected an object"));
        assertTrue(refusal("[" + deepest + "]").contains("more than 32 levels"));
    }

    @Test
    void takesAByteOrderMarkForNothing() throws Exception {
        assertNotNull(read("\ufeff{}"));
    }

    @Test
    void printsWhereEachValueComesFromButNoSecret() throws Exception {
        String text =
                ConfigPrinter.print(
                        read(
                                """
                                {'port': 3, 'pools': {'a': {'command': 'sh', 'workers': 2,
                                  'environment': {'KEY': 'hush'}, 'routes': [{'method': 'PUT'}]}}}
                                """));
        String compact = text.replaceAll("\\s+", "");
        assertTrue(compact.contains("\"port\":{\"value\":3,\"from\":\"/port\"}"), text);
        assertTrue(
                compact.contains("\"workers\":{\"value\":2,\"from\":\"/pools/a/workers\"}"), text);
        assertTrue(
                compact.contains("\"host\":{\"value\":\"127.0.0.1\",\"from\":\"default\"}"), text);
        assertTrue(compact.contains("\"environment\":{\"KEY\":\"***\"}"), text);
        assertTrue(compact.contains("\"routes\":[{\"path\":\"/\",\"method\":[\"PUT\"]}]"), text);
    }

    private static Workers workers(Configuration configuration) {
        Workers workers = configuration.pools().getFirst().workers();
        assertNotNull(workers);
        return workers;
    }

    private Path file() {
        return folder.resolve("handoff.json");
    }

    private Configuration read(String json) throws Exception {
        return read(json, new Options(Map.of(), Map.of()));
    }

    /** With single quotes, which are easier on the eye in Java. */
    private Configuration read(String json, Options given) throws Exception {
        Files.writeString(file(), json.replace('\'', '"'), StandardCharsets.UTF_8);
        return ConfigurationFile.read(file(), given, ENVIRONMENT);
    }

    private String refusal(String json) {
        return String.valueOf(
                assertThrows(ConfigurationException.class, () -> read(json)).getMessage());
    }

    private String refusalOfFile() {
        return String.valueOf(
                assertThrows(
                                ConfigurationException.class,
                                () ->
                                        ConfigurationFile.read(
                                                file(),
                                                new Options(Map.of(), Map.of()),
                                                ENVIRONMENT))
                        .getMessage());
    }
}
