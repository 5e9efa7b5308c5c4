package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder beside a pool, in the real program, asked by curl. */
class FilesIT extends EndToEnd {
    private static final int LARGE_BYTES = 20_000_000;

    private static final String CONFIGURATION =
            """
            {
              "accessLog": "access.log",
              "pools": {"site": {"command": "ECHO", "workers": 1}},
              "routes": [
                {"path": "/static", "prefix": "/static", "files": {
                  "folder": "public", "precompressed": true,
                  "headers": {"Cache-Control": "max-age=60"}}},
                {"path": "/docs", "files": {"folder": "."}}
              ]
            }
            """;

    @TempDir private Path folder;

    @BeforeEach
    void makeFiles() throws IOException {
        String echo = Distribution.ROOT.resolve(ECHO).toString();
        write("handoff.json", CONFIGURATION.replace("ECHO", echo));
        write("public/a.css", "p {}");
        write("public/é.txt", "accent");
        write("docs/index.html", "<h1>");
        write("secret.txt", "secret");
        Files.createSymbolicLink(folder.resolve("docs/s.txt"), Path.of("../secret.txt"));
        Files.createSymbolicLink(folder.resolve("public/s.txt"), Path.of("../secret.txt"));
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private HandoffProcess serve() throws IOException {
        return serve(Map.of());
    }

    private HandoffProcess serve(Map<String, String> environment) throws IOException {
        return handoff(
                environment,
                "serve",
                "--config",
                folder.resolve("handoff.json").toString(),
                "--port",
                "0",
                "--admin-port",
                "0");
    }

    @Test
    void sendsFilesBesideAnApplication() throws Exception {
        HandoffProcess handoff = serve();
        Curl found = Curl.run(handoff.url() + "static/a.css");
        assertTrue(found.hasStatus(200), found.output());
        assertTrue(found.output().contains("content-type: text/css; charset=utf-8"));
        assertTrue(found.output().contains("cache-control: max-age=60"), found.output());
        assertTrue(found.output().endsWith("\r\n\r\np {}"), found.output());
        assertTrue(Curl.run(handoff.url() + "static/%C3%A9.txt").output().endsWith("accent"));
        // Without a prefix the whole path is below the folder.
        assertTrue(Curl.run("--location", handoff.url() + "docs").output().endsWith("<h1>"));
        assertTrue(Curl.run(handoff.url() + "elsewhere").hasStatus(200));
        assertTrue(Curl.run(handoff.url() + "static/nothing").hasStatus(404));
        Curl posted = Curl.run("--data", "x", handoff.url() + "static/a.css");
        assertTrue(posted.hasStatus(405), posted.output());
        assertTrue(posted.output().contains("allow: GET, HEAD"), posted.output());
    }

    /** In the locale of a bare container or service. */
    @Test
    void findsNamesPastAsciiWithoutALocale() throws Exception {
        HandoffProcess handoff = serve(Map.of("LC_ALL", "C"));
        Curl found = Curl.run(handoff.url() + "static/%C3%A9.txt");
        assertTrue(found.output().endsWith("accent"), found.output());
    }

    /** What is linked within the folder may be sent, and what is outside may not. */
    @Test
    void keepsToItsFolder() throws Exception {
        HandoffProcess handoff = serve();
        assertTrue(Curl.run(handoff.url() + "docs/s.txt").output().endsWith("secret"));
        assertTrue(Curl.run(handoff.url() + "static/s.txt").hasStatus(404));
        for (String path :
                List.of(
                        "static/../secret.txt",
                        "static/..%2fsecret.txt",
                        "static/%2e%2e/handoff.json")) {
            Curl refused = Curl.run("--path-as-is", handoff.url() + path);
            assertTrue(refused.hasStatus(400), refused.output());
        }
        // Nor does the worker's route show the file, whose answer is an echo.
        assertTrue(!Curl.run(handoff.url() + "secret.txt").output().contains("secret\n"));
    }

    @Test
    void sendsLargeFilesAndGoesOnWhereADownloadBrokeOff() throws Exception {
        byte[] bytes = new byte[LARGE_BYTES];
        new Random(1).nextBytes(bytes);
        Files.write(folder.resolve("public/large.bin"), bytes);
        HandoffProcess handoff = serve();
        Path whole = folder.resolve("got");
        String url = handoff.url() + "static/large.bin";
        Curl.run("--no-include", "--output", whole.toString(), url);
        assertEquals(-1, Files.mismatch(folder.resolve("public/large.bin"), whole));
        try (RandomAccessFile cut = new RandomAccessFile(whole.toFile(), "rw")) {
            cut.setLength(LARGE_BYTES / 3);
        }
        Curl.run("--no-include", "--continue-at", "-", "--output", whole.toString(), url);
        assertEquals(-1, Files.mismatch(folder.resolve("public/large.bin"), whole));
        Curl parts = Curl.run("--range", "0-3,-4", url);
        assertTrue(parts.output().contains("content-type: multipart/byteranges"), parts.output());
    }

    @Test
    void sendsWhatIsCompressedToWhoTakesIt() throws Exception {
        Process gzip =
                new ProcessBuilder("gzip", "--keep", folder.resolve("public/a.css").toString())
                        .start();
        assertEquals(0, gzip.waitFor());
        HandoffProcess handoff = serve();
        Curl unpacked = Curl.run("--compressed", handoff.url() + "static/a.css");
        assertTrue(unpacked.output().contains("content-encoding: gzip"), unpacked.output());
        assertTrue(unpacked.output().endsWith("\r\n\r\np {}"), unpacked.output());
    }

    @Test
    void hasALineForEachAndCountsThemWithoutAPool() throws Exception {
        HandoffProcess handoff = serve();
        RawClient client = client(handoff);
        RawResponse first = client.ask("/static/a.css");
        client.get("/static/a.css", "If-None-Match: " + first.header("etag")).readResponse();
        client.ask("/static/nothing");
        Path log = folder.resolve("access.log");
        Await.until("all lines", () -> lines(log).size() == 3);
        assertTrue(lines(log).get(0).contains(" 200 4 "), lines(log).get(0));
        assertTrue(lines(log).get(0).endsWith(" pool=- worker=- id=- trace=- error=-"));
        assertTrue(lines(log).get(1).contains(" 304 0 "), lines(log).get(1));
        assertTrue(lines(log).get(2).endsWith(" error=no_file"), lines(log).get(2));
        assertEquals(1000, handoff.metric("handoff_limit_files_waiting"));
        assertEquals(0, handoff.metric("handoff_files_open"));
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void saysWhichFolderIsMissing() throws Exception {
        write("handoff.json", "{\"routes\": [{\"files\": {\"folder\": \"dist\"}}]}");
        HandoffProcess refused =
                handoff("config", "check", folder.resolve("handoff.json").toString());
        assertEquals(2, refused.awaitExit());
    }
}
