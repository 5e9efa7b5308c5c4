package dev.handoff.launcher.moving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.admin.api.JsonLibrary;
import dev.handoff.launcher.config.UsageException;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The applications themselves are moved in sdk-python/tests/test_from_unit.py. */
final class UnitImportTest {
    private static final String APPLICATIONS =
            """
            'applications': {
              'a': {'type': 'python 3.11', 'path': '/srv/a/', 'module': 'wsgi'},
              'b': {'type': 'python', 'path': ['/srv/b', '/srv/lib'], 'module': 'asgi', 'callable': 'app'}
            }
            """;

    @TempDir private Path folder;

    @Test
    void anApplicationBehindItsListenerIsTheOnlyPool() throws Exception {
        Moved moved = moved("{'listeners': {'*:80': {'pass': 'applications/a'}}, %s}");
        assertEquals(
                json(
                        """
                        {'host': '0.0.0.0', 'port': 80, 'pools': {
                          'a': {'command': 'wsgi:application', 'workingDirectory': '/srv/a/'}}}
                        """),
                json(moved.json()));
        assertEquals(
                List.of(
                        "/applications/b is left out: no route leads to it that has an answer here"),
                moved.left());
    }

    @Test
    void aGroupComesWithItsUser() throws Exception {
        String file =
                "{'listeners': {'*:80': {'pass': 'applications/a'}}, 'applications': {"
                        + "'a': {'type': 'python', 'path': '/srv', 'module': 'm', %s}}}";
        JsonObject pool =
                json(moved(file.formatted("'user': 'u', 'group': 'g'")).json())
                        .getJsonObject("pools")
                        .getJsonObject("a");
        assertEquals("u", pool.getString("user"));
        assertEquals("g", pool.getString("group"));

        Moved alone = moved(file.formatted("'group': 'g'"));
        assertFalse(alone.json().contains("\"group\""), alone.json());
        assertEquals(
                List.of(
                        "/applications/a/group counts only beside a user here: write both into the pool"),
                alone.left());
    }

    @Test
    void pythonHasItsEnvironmentThreadsAndPaths() throws Exception {
        Moved moved =
                moved(
                        """
                        {'listeners': {'127.0.0.1:8300': {'pass': 'applications/x/t'}},
                         'applications': {'x': {
                           'type': 'python', 'home': '/srv/venv/', 'path': ['/srv/x', '/srv/lib'],
                           'working_directory': '/srv/work', 'threads': 4, 'protocol': 'wsgi',
                           'processes': 3, 'limits': {'timeout': 10, 'requests': 1000},
                           'environment': {'A': '1'},
                           'targets': {'t': {'module': 'm', 'callable': 'make', 'factory': true}}}}}
                        """);
        assertEquals(
                json(
                        """
                        {'host': '127.0.0.1', 'port': 8300, 'pools': {'x-t': {
                          'command': ['/srv/venv/bin/python', '-m', 'handoff_worker', 'm:make',
                                      '--factory', '--threads', '4'],
                          'workingDirectory': '/srv/work',
                          'environment': {'PYTHONPATH': '/srv/x:/srv/lib', 'A': '1'},
                          'workers': 3, 'requestTimeout': '10s', 'recycle': {'requests': 1000}}}}
                        """),
                json(moved.json()));
        assertEquals(List.of(), moved.left());
    }

    @Test
    void theFirstStepThatFitsCountsInUnitAndTheMostExactRouteHere() throws Exception {
        Moved moved =
                moved(
                        """
                        {'listeners': {'*:80': {'pass': 'routes/main'}},
                         'routes': {'main': [
                           {'match': {'uri': ['/b/*', '/c']}, 'action': {'pass': 'applications/b'}},
                           {'match': {'uri': '/b/x/*'}, 'action': {'return': 404}},
                           {'match': {'host': '*.old.test', 'method': 'get'},
                            'action': {'return': 301, 'location': 'https://new.test/'}},
                           {'action': {'pass': 'applications/a'}},
                           {'match': {'uri': '/late'}, 'action': {'return': 410}}]}, %s}
                        """);
        assertEquals(
                json(
                        """
                        {'host': '0.0.0.0', 'port': 80,
                         'pools': {
                           'b': {'command': 'asgi:app', 'workingDirectory': '/srv/b',
                                 'environment': {'PYTHONPATH': '/srv/lib'},
                                 'routes': [{'path': '/b'}, {'path': '/c', 'exact': true}]},
                           'a': {'command': 'wsgi:application', 'workingDirectory': '/srv/a/',
                                 'routes': [{'path': '/'}]}},
                         'routes': [{'host': '*.old.test', 'method': ['GET'],
                           'respond': {'status': 301, 'location': 'https://new.test/'}}]}
                        """),
                json(moved.json()));
        assertEquals(
                List.of(
                        "/routes/main/1/action is left out: /routes/main/0/action/pass takes all of it",
                        "/routes/main/2/action comes before /routes/main/0/action/pass here, as the more exact one, where a request fits both: in Unit it is later",
                        "/routes/main/4/action is left out: /routes/main/3/action/pass takes all of it"),
                moved.left());
    }

    /** In Unit the first refuses: here it would not, and nobody would notice. */
    @Test
    void aStepThatComesBeforeAnEarlierOneHereIsNoted() throws Exception {
        assertEquals(
                List.of(
                        "/routes/1/action/pass comes before /routes/0/action here, as the more exact one, where a request fits both: in Unit it is later"),
                leftOfTwo("'method': 'POST'", "'uri': '/api/*'"));
        assertEquals(1, leftOfTwo("'uri': '/admin/*'", "'host': 'a.test'").size());
        assertEquals(1, leftOfTwo("'host': '*.test'", "'host': 'a.test'").size());
        assertEquals(1, leftOfTwo("'uri': '/a/*', 'method': 'POST'", "'uri': '/a'").size());
        assertEquals(
                1,
                leftOfTwo("'headers': {'x': ['1', '2']}", "'uri': '/a', 'headers': {'x': '2'}")
                        .size());
    }

    @Test
    void stepsThatKeepTheirOrderOrNeverMeetAreNotNoted() throws Exception {
        assertEquals(List.of(), leftOfTwo("'uri': '/admin/*'", "'uri': '/api/x/*'"));
        assertEquals(List.of(), leftOfTwo("'uri': '/admin/*', 'method': 'POST'", "'uri': '/*'"));
        assertEquals(List.of(), leftOfTwo("'host': 'a.test'", "'host': 'b.test', 'uri': '/x'"));
        assertEquals(List.of(), leftOfTwo("'method': 'POST'", "'method': 'GET', 'uri': '/api/*'"));
        assertEquals(
                List.of(), leftOfTwo("'scheme': 'http'", "'scheme': 'https', 'uri': '/api/*'"));
        assertEquals(
                List.of(),
                leftOfTwo("'headers': {'x': '1'}", "'headers': {'x': '2'}, 'uri': '/api/*'"));
    }

    /** Of a first step that refuses, and a second one that leads to the application. */
    private List<String> leftOfTwo(String first, String second) throws Exception {
        return moved(
                        """
                        {'listeners': {'*:80': {'pass': 'routes'}}, 'routes': [
                           {'match': {%s}, 'action': {'return': 403}},
                           {'match': {%s}, 'action': {'pass': 'applications/a'}}],
                         'applications': {'a': {'type': 'python', 'path': '/srv/a', 'module': 'm'}}}
                        """
                                .formatted(first, second))
                .left();
    }

    @Test
    void sharedFoldersHaveIndexFallbackTypesAndHeaders() throws Exception {
        Moved moved =
                moved(
                        """
                        {'listeners': {'[::1]:80': {'pass': 'routes'}},
                         'settings': {'http': {'max_body_size': 1000, 'idle_timeout': 60, 'server_version': false,
                           'static': {'mime_types': {'text/x-a': ['.a', '.aa']}}}},
                         'access_log': '/var/log/access.log',
                         'routes': [{'action': {
                           'share': '/www$uri', 'index': 'start.html', 'chroot': '/www',
                           'response_headers': {'Cache-Control': 'no-cache', 'X': null},
                           'fallback': {'share': '/www/app/index.html'}}}]}
                        """);
        assertEquals(
                json(
                        """
                        {'host': '::1', 'port': 80, 'maxBody': 1000, 'idleTimeout': '60s',
                         'accessLog': '/var/log/access.log',
                         'routes': [{'files': {
                           'folder': '/www', 'index': 'start.html',
                           'types': {'.a': 'text/x-a', '.aa': 'text/x-a'},
                           'headers': {'Cache-Control': 'no-cache'},
                           'fallback': 'app/index.html'}}]}
                        """),
                json(moved.json()));
        assertEquals(
                List.of(
                        "/routes/0/action/response_headers/X is no fixed value: left out",
                        "/routes/0/action/chroot has no answer here: left out",
                        "/settings/http/server_version has no answer here: left out"),
                moved.left());
    }

    @Test
    void aFallbackLeadsToAPoolThatHasNoRoutes() throws Exception {
        Moved moved =
                moved(
                        """
                        {'listeners': {'*:80': {'pass': 'routes'}},
                         'routes': [
                           {'match': {'uri': '/b/*'}, 'action': {'pass': 'applications/b'}},
                           {'action': {'share': '/www$uri', 'fallback': {'pass': 'applications/a'}}}],
                         %s}
                        """);
        assertEquals(
                json(
                        """
                        {'host': '0.0.0.0', 'port': 80,
                         'pools': {
                           'b': {'command': 'asgi:app', 'workingDirectory': '/srv/b',
                                 'environment': {'PYTHONPATH': '/srv/lib'}, 'routes': [{'path': '/b'}]},
                           'a': {'command': 'wsgi:application', 'workingDirectory': '/srv/a/'}},
                         'routes': [{'files': {'folder': '/www', 'fallback': {'pool': 'a'}}}]}
                        """),
                json(moved.json()));
        assertEquals(List.of(), moved.left());
    }

    @Test
    void aProgramOfNodeLosesTheModuleOfUnit() throws Exception {
        Moved moved =
                moved(
                        """
                        {'listeners': {'*:80': {'pass': 'applications/express'}},
                         'applications': {'express': {'type': 'external', 'working_directory': '/srv/app',
                           'executable': '/usr/bin/env', 'arguments': ['node', '--loader',
                             'unit-http/loader.mjs', '--require', 'unit-http/loader', 'app.js']}}}
                        """);
        assertEquals(
                json(
                        """
                        {'host': '0.0.0.0', 'port': 80, 'pools': {'express': {
                          'command': ['node', 'app.js'], 'workingDirectory': '/srv/app'}}}
                        """),
                json(moved.json()));
        assertEquals(List.of(), moved.left());
    }

    @Test
    void listenersThatLeadToTheSameAreOneServersPlaces() throws Exception {
        Moved moved =
                moved(
                        """
                        {'listeners': {
                           '*:8080': {'pass': 'applications/a'},
                           '[::1]:8080': {'pass': 'applications/a'},
                           'unix:/run/u': {'pass': 'applications/a'}},
                         'applications': {'a': {'type': 'python', 'module': 'm'}}}
                        """);
        assertEquals("0.0.0.0:8080,[::1]:8080,unix:/run/u", json(moved.json()).getString("listen"));
        assertEquals(List.of(), moved.left());
    }

    @Test
    void aListenerThatIsNoPlaceIsLeftOut() throws Exception {
        Moved moved =
                moved(
                        "{'listeners': {'*:1e9': {'pass': 'applications/a'}, '*:80': {'pass': 'applications/a'}}, %s}");
        assertEquals("0.0.0.0", json(moved.json()).getString("host"));
        assertEquals(
                "/listeners/*:1e9 is no address with a port, and no Unix socket: left out",
                moved.left().getFirst());
    }

    @Test
    void listenersThatLeadElsewhereAreConditionsOfTheirRoutes() throws Exception {
        Moved moved =
                moved(
                        """
                        {'listeners': {
                           '*:80': {'pass': 'routes/plain'},
                           '127.0.0.1:8080': {'pass': 'applications/a'},
                           '[::1]:8080': {'pass': 'applications/a'},
                           'unix:/run/u': {'pass': 'routes/plain'},
                           '*:443': {'pass': 'routes/main', 'tls': {'certificate': 'c'}}},
                         'routes': {
                           'plain': [{'match': {'uri': '/well/*'}, 'action': {'share': '/www$uri'}},
                             {'action': {'pass': 'routes/main'}}],
                           'main': [{'match': {'uri': '/a'}, 'action': {'pass': 'applications/a'}},
                             {'action': {'return': 404}}]},
                         'applications': {'a': {'type': 'python', 'module': 'm', 'prefix': '/a'}}}
                        """);
        JsonObject made = json(moved.json());
        assertEquals(
                "0.0.0.0:80,127.0.0.1:8080,[::1]:8080,unix:/run/u,0.0.0.0:443",
                made.getString("listen"));
        assertEquals(
                json("""
                {'routes': [
                  {'path': '/a', 'exact': true, 'listen': ['0.0.0.0:80', 'unix:/run/u'], 'prefix': '/a'},
                  {'listen': ['127.0.0.1:8080', '[::1]:8080'], 'path': '/'},
                  {'path': '/a', 'exact': true, 'listen': '0.0.0.0:443', 'prefix': '/a'}]}
                """)
                        .get("routes"),
                made.getJsonObject("pools").getJsonObject("a").get("routes"));
        assertEquals(
                json("""
                {'routes': [
                  {'path': '/well', 'listen': ['0.0.0.0:80', 'unix:/run/u'], 'files': {'folder': '/www'}},
                  {'listen': ['0.0.0.0:80', 'unix:/run/u'], 'respond': {'status': 404}},
                  {'listen': '0.0.0.0:443', 'respond': {'status': 404}}]}
                """)
                        .get("routes"),
                made.get("routes"));
        assertEquals(
                List.of(
                        "/listeners/*:443/tls is yours to set: tlsListen, tlsCertificate and tlsKey take its place (docs/CONFIGURATION.md)",
                        "/listeners/127.0.0.1:8080/pass leads to an application with the prefix /a from another path: it sees no prefix there"),
                moved.left());
    }

    @Test
    void allListenersTrustTheProxiesOfOne() throws Exception {
        String listener = "'*:%d': {'pass': 'routes', 'forwarded': {'source': [%s]}}";
        String routes = ", 'routes': [{'action': {'return': 200}}]}";
        String same = listener.formatted(80, "'10.0.0.0/8'");
        Moved one = moved("{'listeners': {" + same + "}" + routes);
        assertEquals(List.of(), one.left());
        Moved three =
                moved(
                        "{'listeners': {'*:79': {'pass': 'routes'}, %s, %s}%s"
                                .formatted(same, listener.formatted(81, "'::1'"), routes));
        assertEquals("10.0.0.0/8", json(three.json()).getString("trustedProxy"));
        assertEquals(
                List.of(
                        "/listeners/*:79 trusts other proxies; here all listeners trust the same: 10.0.0.0/8",
                        "/listeners/*:81 trusts other proxies; here all listeners trust the same: 10.0.0.0/8"),
                three.left());
    }

    /** Whoever imports a file that somebody else wrote gets an answer. */
    @Test
    void noFileCostsMoreThanALittleTime() throws Exception {
        String many =
                IntStream.range(0, 300)
                        .mapToObj(i -> "'/%d'".formatted(i))
                        .collect(Collectors.joining(","));
        String hosts = many.replace("/", "h");
        Moved product =
                moved(
                        "{'listeners': {'*:80': {'pass': 'routes'}}, 'routes': [{'match': {'uri': [%s], 'host': [%s]}, 'action': {'return': 200}}]}"
                                .formatted(many, hosts));
        assertEquals(
                "/routes/0/match makes more than 1,000 routes: left out",
                product.left().getFirst());

        Moved circle =
                moved(
                        "{'listeners': {'*:80': {'pass': 'routes/a'}}, 'routes': {'a': [{'action': {'pass': 'routes/b'}}], 'b': [{'action': {'pass': 'routes/a'}}]}}");
        assertEquals(
                "/routes/b/0/action/pass leads to steps that are tried before: left out",
                circle.left().getFirst());

        String listeners =
                IntStream.range(0, 9_000)
                        .mapToObj(
                                i -> "'*:%d': {'pass': 'routes%s'}".formatted(i, "/".repeat(i % 2)))
                        .collect(Collectors.joining(","));
        String steps = "{'match': {'uri': '/x'}, 'action': {'return': 200}},".repeat(9_000);
        List<String> left =
                moved("{'listeners': {%s}, 'routes': [%s {}]}".formatted(listeners, steps)).left();
        assertTrue(left.contains("/listeners are more than 100: the others are left out"));
        assertEquals(
                "is no JSON object: Input is too deeply nested 1,000",
                refused("{'listeners': " + "[".repeat(1500) + "]".repeat(1500) + "}"));
    }

    @Test
    void proxiesAndUpstreamsArePoolsOfServers() throws Exception {
        Moved moved =
                moved(
                        """
                        {'listeners': {'*:80': {'pass': 'routes'}},
                         'upstreams': {'two': {'servers': {
                           '10.0.0.1:80': {}, '10.0.0.2:80': {'weight': 2}}}},
                         'routes': [
                           {'match': {'uri': '/a/*'}, 'action': {'proxy': 'http://127.0.0.1:3000'}},
                           {'match': {'uri': '/b/*'}, 'action': {'proxy': 'http://127.0.0.1:3000'}},
                           {'match': {'uri': '/c/*'}, 'action': {'proxy': 'http://unix:/run/c.sock'}},
                           {'action': {'pass': 'upstreams/two'}}]}
                        """);
        assertEquals(
                json(
                        """
                        {'host': '0.0.0.0', 'port': 80, 'pools': {
                          '127-0-0-1-3000': {'servers': '127.0.0.1:3000',
                            'routes': [{'path': '/a'}, {'path': '/b'}]},
                          'unix-run-c-sock': {'servers': 'unix:/run/c.sock', 'routes': [{'path': '/c'}]},
                          'two': {'servers': '10.0.0.1:80,10.0.0.2:80', 'routes': [{'path': '/'}]}}}
                        """),
                json(moved.json()));
        assertEquals(
                List.of(
                        "/upstreams/two/servers/10.0.0.2:80 has a weight, which counts for nothing here"),
                moved.left());
    }

    @Test
    void aNameThatComesTwiceIsRefused() {
        assertTrue(refused("{'listeners': {}, 'listeners': {}}").startsWith("is no JSON object"));
    }

    @Test
    void whatHasNoAnswerIsLeftOutAndNoted() throws Exception {
        Moved moved =
                moved(
                        """
                        {'listeners': {
                           '*:443': {'pass': 'routes', 'tls': {'certificate': 'c'}},
                           '*:8080': {'pass': 'applications/a'}, 'unix:/run/u': {'pass': 'routes'}},
                         'certificates': {}, 'access_log': {'path': 'log', 'format': '$uri'},
                         'routes': [
                           {'match': {'uri': '!/private/*'}, 'action': {'pass': 'applications/a'}},
                           {'match': {'uri': '~^/x'}, 'action': {'return': 200}},
                           {'match': {'uri': '/a*.php'}, 'action': {'return': 200}},
                           {'match': {'cookies': {'a': '1'}}, 'action': {'return': 200}},
                           {'match': {'source': '!10.0.0.0/8'}, 'action': {'return': 200}},
                           {'match': {'uri': '/r'}, 'action': {'return': 302, 'location': '$uri/'}},
                           {'match': {'uri': '/p'}, 'action': {'proxy': 'http://$host'}},
                           {'match': {'uri': '/q'}, 'action': {'pass': 'routes/other'}},
                           {'match': {'uri': '/api*'}, 'action': {'return': 204}},
                           {'match': {'uri': '/f/*'}, 'action': {'share': '/www$uri',
                             'fallback': {'pass': 'applications/php'}}},
                           {'match': {'uri': '/g/*'}, 'action': {'share': '/www$uri',
                             'fallback': {'return': 410}}},
                           {'action': {'pass': 'applications/php'}}],
                         'applications': {'php': {'type': 'php'}, 'a': {'type': 'python', 'module': 'm'}}}
                        """);
        assertEquals(
                json(
                        """
                        {'listen': '0.0.0.0:443,0.0.0.0:8080,unix:/run/u', 'accessLog': 'log',
                         'pools': {'a': {'command': 'm:application',
                           'routes': [{'listen': '0.0.0.0:8080', 'path': '/'}]}},
                         'routes': [
                          {'path': '/api', 'listen': ['0.0.0.0:443', 'unix:/run/u'], 'respond': {'status': 204}},
                          {'path': '/f', 'listen': ['0.0.0.0:443', 'unix:/run/u'], 'files': {'folder': '/www'}},
                          {'path': '/g', 'listen': ['0.0.0.0:443', 'unix:/run/u'], 'files': {'folder': '/www'}}]}
                        """),
                json(moved.json()));
        assertEquals(
                List.of(
                        "/certificates has no answer here: left out",
                        "/listeners/*:443/tls is yours to set: tlsListen, tlsCertificate and tlsKey take its place (docs/CONFIGURATION.md)",
                        "/routes/0/match/uri is a pattern that has no answer here: left out",
                        "/routes/1/match/uri is a pattern that has no answer here: left out",
                        "/routes/2/match/uri is a pattern that has no answer here: left out",
                        "/routes/3/match/cookies is a pattern that has no answer here: left out",
                        "/routes/4/match/source is a pattern that has no answer here: left out",
                        "/routes/5/action/location has variables, which no route has here: left out",
                        "/routes/6/action/proxy is no address behind http://: left out",
                        "/routes/7/action/pass leads from a route to other routes: write these in its place",
                        "/routes/8/match/uri fits whole segments here: /api and what is below it, and not /apix",
                        "/applications/php is left out: adapters/psr15/handoff.php serves handlers of PSR-15; scripts that print need PHP-FPM",
                        "/routes/10/action/fallback has no answer here: left out",
                        "/access_log/format has no answer here: left out",
                        "/applications/php is left out: no route leads to it that has an answer here",
                        "/routes has steps that are left out: later ones take their requests, also where these were refused. Look at each"),
                moved.left());
    }

    @Test
    void commentsAndTheWholeOfTheControlSocketAreTaken() throws Exception {
        Moved moved =
                moved(
                        """
                        {'status': {}, 'config': { // one
                          'listeners': {'*:80': {'pass': 'routes'}}, /* two
                          */ 'routes': [{'action': {'return': 200, 'response_headers': {'a': 'http://b'}}}]}}
                        """);
        assertEquals(
                json(
                        """
                        {'host': '0.0.0.0', 'port': 80,
                         'routes': [{'respond': {'status': 200, 'headers': {'a': 'http://b'}}}]}
                        """),
                json(moved.json()));
    }

    @Test
    void whatIsNoneOfUnitsIsRefused() throws Exception {
        assertEquals(
                "is no configuration of NGINX Unit: it has no object \"listeners\"", refused("{}"));
        assertEquals("is no JSON object: ", refused("[]").substring(0, 19));
        assertEquals("is no JSON object: ", refused("{'a': \\}").substring(0, 19));
        assertEquals("is no JSON object: ", refused("/* {'listeners': {}}").substring(0, 19));
    }

    private String refused(String unit) {
        UsageException refused = assertThrows(UsageException.class, () -> moved(unit));
        return String.valueOf(refused.getMessage())
                .substring(folder.resolve("unit.json").toString().length() + 1);
    }

    /**
     * @param unit with ' for ", and %s for two applications
     */
    private Moved moved(String unit) throws IOException, UsageException {
        Path file = folder.resolve("unit.json");
        Files.writeString(file, unit.replace("%s", APPLICATIONS).replace('\'', '"'));
        return UnitImport.of(file);
    }

    private static JsonObject json(String text) {
        return JsonLibrary.PROVIDER
                .createReader(new StringReader(text.replace('\'', '"')))
                .readObject();
    }
}
