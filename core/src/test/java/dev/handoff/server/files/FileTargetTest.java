package dev.handoff.server.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpDate;
import dev.handoff.http.Response;
import dev.handoff.server.Handler;
import dev.handoff.server.TestServer;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileTargetTest {
    @TempDir private Path folder;

    @Test
    void sendsAFileWithWhatCachesNeed() throws IOException {
        try (ServedFolder served = ServedFolder.of(folder).with("css/a.css", "p {}");
                RawClient client = served.connect()) {
            RawResponse response = client.ask("/css/a.css?v=1");
            assertEquals(200, response.status());
            assertEquals("p {}", response.text());
            assertEquals("text/css; charset=utf-8", response.header("content-type"));
            assertEquals(served.date(0), response.header("last-modified"));
            assertEquals("bytes", response.header("accept-ranges"));
            assertTrue(response.header("etag").matches("\"4-[0-9a-f]+\""));
        }
    }

    @Test
    void givesHeadTheSameFieldsAndNoContent() throws IOException {
        try (ServedFolder served = ServedFolder.of(folder).with("a.txt", "abc");
                RawClient client = served.connect()) {
            client.send("HEAD /a.txt HTTP/1.1\r\nHost: a\r\n\r\n");
            assertEquals("3", client.readHead().header("content-length"));
            assertEquals("abc", client.ask("/a.txt").text());
        }
    }

    @Test
    void isForGetAndHead() throws IOException {
        try (ServedFolder served = ServedFolder.of(folder).with("a.txt", "abc");
                RawClient client = served.connect()) {
            RawResponse response = client.post("/a.txt", "x").readResponse();
            assertEquals(405, response.status());
            assertEquals("GET, HEAD", response.header("allow"));
        }
    }

    @Test
    void handsWhatIsForNoFileToAnotherHandlerWithItsWholePath() throws IOException {
        ServedFolder.write(folder, "a.txt", "abc".getBytes(StandardCharsets.UTF_8));
        ServedFolder.write(folder, ".secret", new byte[1]);
        Files.createDirectories(folder.resolve("empty"));
        FileThreads threads = ServedFolder.threads(1, 10, 10);
        Handler otherwise =
                exchange -> {
                    String told = exchange.prefix() + "|" + exchange.request().target();
                    exchange.respond(Response.of(200, Headers.EMPTY, Body.utf8(told)));
                };
        Handler files = new FileTarget(FileOptions.of(folder), threads, otherwise);
        Handler below =
                exchange -> {
                    exchange.prefix("/s");
                    files.handle(exchange);
                };
        try (TestServer server = TestServer.start(below);
                RawClient client = server.connect()) {
            assertEquals("abc", client.ask("/s/a.txt").text());
            assertEquals("|/s/none.txt?a=1", client.ask("/s/none.txt?a=1").text());
            assertEquals("|/s/.secret", client.ask("/s/.secret").text());
            assertEquals("|/s/empty/", client.ask("/s/empty/").text());
            assertEquals("|/s/a.txt", client.post("/s/a.txt", "x").readResponse().text());
            assertEquals("abc", client.ask("/s/a.txt").text());
        }
        threads.close();
    }

    @Test
    void answers500WhereTheOtherHandlerThrows() throws IOException, InterruptedException {
        FileThreads threads = ServedFolder.threads(1, 10, 10);
        Handler throwing =
                exchange -> {
                    throw new IllegalStateException("on purpose");
                };
        Handler files = new FileTarget(FileOptions.of(folder), threads, throwing);
        try (threads;
                TestServer server = TestServer.start(files);
                RawClient client = server.connect()) {
            assertEquals(500, client.ask("/a").status());
            server.listener.await("failed /a on purpose");
        }
    }

    @Test
    void sendsTheIndexOfAFolderBehindItsSlash() throws IOException {
        try (ServedFolder served = ServedFolder.of(folder).with("a b/index.html", "<p>");
                RawClient client = served.connect()) {
            RawResponse response = client.ask("/a%20b?x=%2f");
            assertEquals(301, response.status());
            assertEquals("/a%20b/?x=%2f", response.header("location"));
            assertEquals("<p>", client.ask("/a%20b/").text());
        }
    }

    @Test
    void tellsNothingOfFoldersWithoutIndex() throws IOException {
        try (ServedFolder served = ServedFolder.of(folder).with("a/b.txt", "x");
                RawClient client = served.connect()) {
            assertEquals(404, client.ask("/a").status());
            assertEquals(404, client.ask("/a/").status());
            assertEquals(404, client.ask("/").status());
            assertEquals(404, client.ask("/a/b.txt/").status());
            assertEquals("no_file", client.ask("/a/b.txt/c").header("handoff-error"));
        }
    }

    /** Each would be a file if somebody read it otherwise, or leaves the folder. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/../secret.txt",
                "/a/../../secret.txt",
                "/%2e%2e/secret.txt",
                "/%2E./secret.txt",
                "/..%2fsecret.txt",
                "/..%5csecret.txt",
                "/a/%2e%2e%2f%2e%2e%2fsecret.txt",
                "/..%c0%afsecret.txt",
                "/%c0%ae%c0%ae/secret.txt",
                "/..;/secret.txt",
                "//secret.txt",
                "//a/a.txt",
                "/a//a.txt",
                "/a/./a.txt",
                "/a/%2e/a.txt",
                "/a/b/../a.txt",
                "/a%2fa.txt",
                "/a/a.txt%00",
                "/a/a.txt%00.html",
                "/a/a.txt%",
                "/a/a.txt%0",
                "/a/a.txt%zz",
                "/a/a.txt%0a",
                "/.git/config",
                "/%2egit/config",
                "/a/.env",
                "/a/.well-known/x",
                "/.well-known/.x",
                "/.."
            })
    void hasNoFileBehindAnotherSpelling(String target) throws IOException {
        Path inner = Files.createDirectory(folder.resolve("public"));
        ServedFolder.write(folder, "secret.txt", new byte[1]);
        try (ServedFolder served =
                        ServedFolder.of(inner)
                                .with("a/a.txt", "x")
                                .with("a/b/c.txt", "x")
                                .with(".git/config", "x")
                                .with("a/.env", "x")
                                .with("a/.well-known/x", "x")
                                .with(".well-known/.x", "x");
                RawClient client = served.connect()) {
            assertEquals(404, client.ask(target).status());
        }
    }

    @Test
    void takesPercentEncodingAndWellKnownFiles() throws IOException {
        try (ServedFolder served =
                        ServedFolder.of(folder)
                                .with(".well-known/security.txt", "s")
                                .with("a+b%.txt", "p");
                RawClient client = served.connect()) {
            assertEquals("s", client.ask("/.well-known/security.txt").text());
            assertEquals("s", client.ask("/%2ewell-known/security%2Etxt").text());
            assertEquals("p", client.ask("/a+b%25.txt").text());
            assertEquals(404, client.ask("/" + "n".repeat(256)).status());
        }
    }

    @Test
    void sendsTheFallbackForPagesAlone() throws IOException {
        try (ServedFolder served =
                        ServedFolder.of(ServedFolder.options(folder, "app.html", null))
                                .with("app.html", "app");
                RawClient client = served.connect()) {
            for (String page : new String[] {"/", "/users/7", "/users/"}) {
                RawResponse response = client.ask(page);
                assertEquals(200, response.status(), page);
                assertEquals("app", response.text());
                assertEquals("text/html; charset=utf-8", response.header("content-type"));
            }
            assertEquals(404, client.ask("/assets/old.js").status());
            assertEquals(404, client.ask("/.git/config").status());
        }
    }

    @Test
    void sendsThePageForNoFileWithout200() throws IOException {
        try (ServedFolder served =
                        ServedFolder.of(ServedFolder.options(folder, null, "errors/404.html"))
                                .with("errors/404.html", "gone?");
                RawClient client = served.connect()) {
            RawResponse response =
                    client.get("/x", "If-None-Match: *", "Range: bytes=1-").readResponse();
            assertEquals(404, response.status());
            assertEquals("gone?", response.text());
            assertEquals("", response.header("etag"));
        }
    }

    @Test
    void addsHeadersAndTypes() throws IOException {
        Headers own = Headers.of("cache-control", "max-age=60");
        FileOptions options =
                new FileOptions(
                        folder, "main.xyz", null, null, own, Map.of(".xyz", "text/x"), false);
        try (ServedFolder served = ServedFolder.of(options).with("a/main.xyz", "x");
                RawClient client = served.connect()) {
            RawResponse response = client.ask("/a/");
            assertEquals("text/x", response.header("content-type"));
            assertEquals("max-age=60", response.header("cache-control"));
            RawResponse known =
                    client.get("/a/", "If-None-Match: " + response.header("etag")).readResponse();
            assertEquals(304, known.status());
            assertEquals("max-age=60", known.header("cache-control"));
            assertEquals(response.header("etag"), known.header("etag"));
            assertEquals("", known.header("last-modified"));
            assertEquals("", known.header("content-type"));
            assertEquals("no-store", client.ask("/b").header("cache-control"));
        }
    }

    @Test
    void sendsWhatLiesCompressedBeside() throws IOException {
        try (ServedFolder served =
                        ServedFolder.of(ServedFolder.precompressed(folder))
                                .with("a.js", "plain")
                                .with("a.js.gz", "gz")
                                .with("a.js.br", "br")
                                .with("b.js", "plain")
                                .with("c.js.gz", "gz");
                RawClient client = served.connect()) {
            RawResponse best = client.get("/a.js", "Accept-Encoding: gzip, br").readResponse();
            assertEquals("br", best.text());
            assertEquals("br", best.header("content-encoding"));
            assertEquals("Accept-Encoding", best.header("vary"));
            assertEquals("text/javascript; charset=utf-8", best.header("content-type"));
            RawResponse plain = client.ask("/a.js");
            assertEquals("plain", plain.text());
            assertEquals("Accept-Encoding", plain.header("vary"));
            assertEquals("gz", client.get("/a.js", "Accept-Encoding: gzip").readResponse().text());
            String[] known = {"Accept-Encoding: gzip", "If-None-Match: " + best.header("etag")};
            assertEquals(200, client.get("/a.js", known).readResponse().status());
            assertEquals(
                    "plain", client.get("/b.js", "Accept-Encoding: gzip").readResponse().text());
            assertEquals(404, client.get("/c.js", "Accept-Encoding: gzip").readResponse().status());
            RawResponse range =
                    client.get("/a.js", "Accept-Encoding: gzip", "Range: bytes=1-").readResponse();
            assertEquals("z", range.text());
            assertEquals("bytes 1-1/2", range.header("content-range"));
            String[] several = {"Accept-Encoding: gzip", "Range: bytes=0-0,1-1"};
            RawResponse whole = client.get("/a.js", several).readResponse();
            assertEquals(200, whole.status());
            assertEquals("gz", whole.text());
            assertEquals("gzip", whole.header("content-encoding"));
            String[] plainly = {"Range: bytes=0-0,2-2"};
            assertEquals(206, client.get("/a.js", plainly).readResponse().status());
        }
    }

    @Test
    void sendsSeveralRangesAsParts() throws IOException {
        try (ServedFolder served = ServedFolder.of(folder).with("a.txt", "0123456789");
                RawClient client = served.connect()) {
            RawResponse response = client.get("/a.txt", "Range: bytes=0-1,-2").readResponse();
            assertEquals(206, response.status());
            String type = response.header("content-type");
            assertTrue(type.startsWith("multipart/byteranges; boundary="), type);
            String boundary = type.substring(type.indexOf('=') + 1);
            String part = "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes ";
            assertEquals(
                    "--"
                            + boundary
                            + part
                            + "0-1/10\r\n\r\n01\r\n--"
                            + boundary
                            + part
                            + "8-9/10\r\n\r\n89\r\n--"
                            + boundary
                            + "--\r\n",
                    response.text());
            RawResponse none = client.get("/a.txt", "Range: bytes=10-,11-").readResponse();
            assertEquals(416, none.status());
            assertEquals("bytes */10", none.header("content-range"));
        }
    }

    @Test
    void tagsWeaklyWhatMayChangeUnseen() throws IOException {
        try (ServedFolder served = ServedFolder.of(folder);
                RawClient client = served.connect()) {
            Files.write(folder.resolve("new.txt"), "x".getBytes(StandardCharsets.UTF_8));
            Files.setLastModifiedTime(
                    folder.resolve("new.txt"),
                    FileTime.fromMillis(System.currentTimeMillis() + 60_000));
            RawResponse response = client.ask("/new.txt");
            assertTrue(response.header("etag").startsWith("W/"), response.header("etag"));
            long now = System.currentTimeMillis() / 1000;
            long told = HttpDate.parse(response.header("last-modified"), now).orElseThrow();
            assertTrue(told <= now, response.header("last-modified"));
        }
    }

    @Test
    void hasEmptyFiles() throws IOException {
        try (ServedFolder served = ServedFolder.of(folder).with("a", "");
                RawClient client = served.connect()) {
            assertEquals("0", client.ask("/a").header("content-length"));
            assertEquals(200, client.get("/a", "Range: bytes=-1").readResponse().status());
            assertEquals(416, client.get("/a", "Range: bytes=0-").readResponse().status());
        }
    }
}
