package dev.handoff.admin.page;

import static java.util.stream.Collectors.toMap;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.admin.api.Endpoint;
import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PageTest {
    private static final Path FOLDER =
            Path.of(
                    System.getProperty("handoff.root"),
                    "admin/src/main/resources/dev/handoff/admin/page");

    /** What the page loads: the files that a module imports, and those that the document names. */
    private static final Pattern LOADS =
            Pattern.compile("(?m)(?:^(?:import |\\}).*from \"\\./|(?:href|src)=\"page/)([^\"]+)\"");

    private final Map<String, Endpoint> endpoints =
            Page.endpoints().stream().collect(toMap(Endpoint::path, Function.identity()));

    @Test
    void hasEveryFileOfItsFolder() throws IOException {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            Set<String> there =
                    files.filter(Files::isRegularFile)
                            .map(file -> FOLDER.relativize(file).toString())
                            .filter(name -> !name.endsWith(".d.ts") && !name.endsWith(".txt"))
                            .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(there, new TreeSet<>(Page.FILES));
        }
    }

    @Test
    void servesWhateverItsFilesLoad() throws IOException {
        Set<String> missing = new TreeSet<>();
        int loaded = 0;
        for (String name : Page.FILES) {
            Matcher loads = LOADS.matcher(Files.readString(FOLDER.resolve(name)));
            for (; loads.find(); loaded++) {
                String path = "/page/" + loads.group(1);
                if (!endpoints.containsKey(path)) {
                    missing.add(path);
                }
            }
        }
        assertEquals(Set.of(), missing);
        assertTrue(loaded > Page.FILES.size());
    }

    @Test
    void isTheDocumentAtTheRoot() {
        assertTrue(endpoints.containsKey("/"));
        Response document = response("index.html", Headers.EMPTY);
        assertEquals(200, document.status());
        assertEquals("text/html; charset=utf-8", document.headers().first("content-type"));
        assertTrue(document.body().toUtf8().startsWith("<!doctype html>"));
    }

    @Test
    void isThereForWhoeverHasNoTokenYet() {
        for (Endpoint endpoint : endpoints.values()) {
            assertEquals(Endpoint.Access.OPEN, endpoint.access(), endpoint.path());
        }
    }

    @Test
    void doesNotSendAgainWhatTheClientHas() {
        Response first = response("app.js", Headers.EMPTY);
        String tag = first.headers().first("etag");
        for (String known : new String[] {tag, "W/" + tag, "\"other\", " + tag, "*"}) {
            Response again = response("app.js", Headers.of("if-none-match", known));
            assertEquals(304, again.status(), known);
            assertEquals(tag, again.headers().first("etag"));
            assertTrue(again.body().isEmpty());
        }
        Response changed = response("app.js", Headers.of("if-none-match", "\"other\""));
        assertEquals(200, changed.status());
    }

    @Test
    void givesEachFileATagOfItsOwn() {
        Set<String> tags = new TreeSet<>();
        for (String name : Page.FILES) {
            tags.add(response(name, Headers.EMPTY).headers().first("etag"));
        }
        assertEquals(Page.FILES.size(), tags.size());
    }

    @Test
    void allowsNothingButItsOwnFilesAndServer() {
        for (String name : Page.FILES) {
            String policy =
                    response(name, Headers.EMPTY).headers().first("content-security-policy");
            assertNotNull(policy);
            assertTrue(policy.startsWith("default-src 'none'; script-src 'self';"), policy);
            assertFalse(policy.contains("unsafe"), policy);
            assertFalse(policy.contains("http"), policy);
        }
    }

    private static Response response(String name, Headers headers) {
        return PageFile.read(name)
                .answer(new Request("GET", "/", HttpVersion.HTTP_1_1, headers, Body.EMPTY));
    }
}
