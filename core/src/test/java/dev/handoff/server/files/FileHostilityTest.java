package dev.handoff.server.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.server.ResponseRoom;
import dev.handoff.server.ServerOptions;
import dev.handoff.server.TestServer;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are not what they seem, that change, and clients that take them slowly. */
class FileHostilityTest {
    private static final int LARGE_BYTES = 8 << 20;
    private static final long HUGE_BYTES = 5L << 30;
    private static final int SMALL_BUFFER_BYTES = 16 * 1024;
    private static final int SWAPS = 2000;
    private static final int PAGE_BYTES = 60 * 1024;
    private static final int CLIENTS = 20;

    @TempDir private Path folder;

    private Path top() throws IOException {
        return Files.createDirectories(folder.resolve("public"));
    }

    @Test
    void followsLinksThatStayInTheFolder() throws IOException {
        Path top = top();
        try (ServedFolder served = ServedFolder.of(top).with("v2/a.txt", "two");
                RawClient client = served.connect()) {
            Files.createSymbolicLink(top.resolve("current"), Path.of("v2"));
            Files.createSymbolicLink(top.resolve("b.txt"), Path.of("current/../v2/a.txt"));
            assertEquals("two", client.ask("/current/a.txt").text());
            assertEquals("two", client.ask("/b.txt").text());
        }
    }

    /** As Kubernetes mounts a ConfigMap. */
    @Test
    void followsLinksThroughFoldersThatBeginWithTwoDots() throws IOException {
        Path top = top();
        try (ServedFolder served = ServedFolder.of(top).with("..2026_11_24/a.txt", "mounted");
                RawClient client = served.connect()) {
            Files.createSymbolicLink(top.resolve("..data"), Path.of("..2026_11_24"));
            Files.createSymbolicLink(top.resolve("a.txt"), Path.of("..data/a.txt"));
            assertEquals("mounted", client.ask("/a.txt").text());
            assertEquals(404, client.ask("/..data/a.txt").status());
        }
    }

    /** A file becomes a link and a file again, all the time. */
    @Test
    void sendsNothingFromOutsideWhoeverSwapsAFileForALink() throws Exception {
        Path top = top();
        ServedFolder.write(folder, "secret.txt", "secret".getBytes(StandardCharsets.US_ASCII));
        try (ServedFolder served = ServedFolder.of(top).with("a.txt", "public");
                RawClient client = served.connect()) {
            CountDownLatch done = new CountDownLatch(1);
            Thread swapper =
                    Thread.ofPlatform()
                            .start(() -> {
                                while (done.getCount() > 0) {
                                    swap(
                                            top.resolve("a.txt"),
                                            top.resolve("aside"),
                                            folder.resolve("secret.txt"));
                                }
                            });
            for (int i = 0; i < SWAPS; i++) {
                RawResponse response = client.ask("/a.txt");
                assertFalse(response.text().contains("secret"), "it came out");
                assertTrue(response.status() != 500, response.text());
            }
            done.countDown();
            swapper.join();
        }
    }

    @Test
    void followsNoLinkOut() throws IOException {
        Path top = top();
        ServedFolder.write(folder, "secret/s.txt", new byte[1]);
        ServedFolder.write(folder, "public-not/s.txt", new byte[1]);
        try (ServedFolder served = ServedFolder.of(top).with(".git/s.txt", "x");
                RawClient client = served.connect()) {
            Files.createSymbolicLink(top.resolve("a.txt"), Path.of("../secret/s.txt"));
            Files.createSymbolicLink(top.resolve("b"), folder.resolve("secret"));
            Files.createSymbolicLink(top.resolve("c"), Path.of("../public-not"));
            Files.createSymbolicLink(top.resolve("d"), Path.of(".git"));
            Files.createSymbolicLink(top.resolve("e"), Path.of("e"));
            Files.createSymbolicLink(top.resolve("f"), Path.of("nothing"));
            Files.createSymbolicLink(top.resolve("g"), Path.of("/proc/self/environ"));
            Files.createSymbolicLink(top.resolve("h"), Path.of("/proc/self/root"));
            Files.createSymbolicLink(top.resolve("i"), Path.of("/dev/zero"));
            for (String target :
                    new String[] {
                        "/a.txt",
                        "/b/s.txt",
                        "/c/s.txt",
                        "/d/s.txt",
                        "/e",
                        "/f",
                        "/g",
                        "/i",
                        "/h/etc/passwd",
                        "/b",
                        "/b/"
                    }) {
                assertEquals(404, client.ask(target).status(), target);
            }
        }
    }

    @Test
    void servesAFolderThatIsALinkItself() throws IOException {
        ServedFolder.write(top(), "a.txt", new byte[1]);
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("public"));
        try (ServedFolder served = ServedFolder.of(link);
                RawClient client = served.connect()) {
            assertEquals(200, client.ask("/a.txt").status());
        }
    }

    /** To open a pipe would wait for ever. */
    @Test
    void opensNoPipe() throws Exception {
        Path top = top();
        assertEquals(
                0, new ProcessBuilder("mkfifo", top.resolve("p").toString()).start().waitFor());
        try (ServedFolder served = ServedFolder.of(top).with("a.txt", "x");
                RawClient client = served.connect()) {
            for (int i = 0; i < 10; i++) {
                assertEquals(404, client.ask("/p").status());
                assertEquals(404, client.ask("/p/a.txt").status());
            }
            assertEquals(200, client.ask("/a.txt").status());
        }
    }

    /** A file, and a folder, becomes a pipe and itself again, all the time. */
    @Test
    void waitsForNoPipeThatIsPutInPlace() throws Exception {
        Path top = top();
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        try (ServedFolder served = ServedFolder.of(top).with("a.txt", "a").with("x/a.txt", "a");
                RawClient client = served.connect()) {
            CountDownLatch done = new CountDownLatch(1);
            Thread swapper =
                    Thread.ofPlatform()
                            .start(() -> {
                                while (done.getCount() > 0) {
                                    swapForPipe(top.resolve("a.txt"), pipe);
                                    swapForPipe(top.resolve("x"), pipe);
                                }
                            });
            for (int i = 0; i < SWAPS; i++) {
                for (String target : List.of("/a.txt", "/x/a.txt")) {
                    RawResponse response = client.ask(target);
                    boolean isGone = List.of(404, 503).contains(response.status());
                    assertTrue(isGone || response.text().equals("a"), response.text());
                }
            }
            done.countDown();
            swapper.join();
        }
    }

    private static void swapForPipe(Path real, Path pipe) {
        Path aside = real.resolveSibling("aside");
        try {
            Files.move(real, aside);
            Files.move(pipe, real);
            Files.move(real, pipe);
            Files.move(aside, real);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** A folder becomes a link and a folder again, all the time. */
    @Test
    void sendsNothingFromOutsideWhoeverSwapsAFolderForALink() throws Exception {
        Path top = top();
        ServedFolder.write(folder, "secret/a.txt", "secret".getBytes(StandardCharsets.US_ASCII));
        try (ServedFolder served = ServedFolder.of(top).with("x/a.txt", "public");
                RawClient client = served.connect()) {
            Path real = top.resolve("x");
            Path aside = top.resolve("aside");
            CountDownLatch done = new CountDownLatch(1);
            Thread swapper =
                    Thread.ofPlatform()
                            .start(() -> {
                                while (done.getCount() > 0) {
                                    swap(real, aside, folder.resolve("secret"));
                                }
                            });
            int seen = 0;
            for (int i = 0; i < SWAPS; i++) {
                RawResponse response = client.ask("/x/a.txt");
                assertFalse(response.text().contains("secret"), "it came out");
                assertTrue(response.status() != 500, response.text());
                seen += response.status() == 200 ? 1 : 0;
            }
            done.countDown();
            swapper.join();
            assertTrue(seen > 0, "it was never there");
            assertTrue(seen < SWAPS, "it was never swapped");
        }
    }

    private static void swap(Path real, Path aside, Path outside) {
        try {
            Files.move(real, aside);
            Files.createSymbolicLink(real, outside);
            Files.delete(real);
            Files.move(aside, real);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** A file becomes another all the time: length and content fit each other always. */
    @Test
    void sendsOneFileOrTheOther() throws Exception {
        Path top = top();
        try (ServedFolder served = ServedFolder.of(top).with("a.txt", "aaaa");
                RawClient client = served.connect()) {
            CountDownLatch done = new CountDownLatch(1);
            Thread swapper =
                    Thread.ofPlatform()
                            .start(() -> {
                                for (int i = 0; done.getCount() > 0; i++) {
                                    replace(top, i % 2 == 0 ? "bb" : "aaaa");
                                }
                            });
            for (int i = 0; i < SWAPS; i++) {
                RawResponse response = client.ask("/a.txt");
                boolean whole = List.of("bb", "aaaa").contains(response.text());
                assertTrue(response.status() == 503 || whole, response.text());
            }
            done.countDown();
            swapper.join();
        }
    }

    private static void replace(Path top, String text) {
        try {
            Path next = ServedFolder.write(top, "next", text.getBytes(StandardCharsets.US_ASCII));
            Files.move(next, top.resolve("a.txt"), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private byte[] large(Path top) throws IOException {
        byte[] bytes = new byte[LARGE_BYTES];
        new Random(1).nextBytes(bytes);
        ServedFolder.write(top, "large", bytes);
        return bytes;
    }

    @Test
    void sendsLargeFilesAsTheyAreAlsoWhenTheyAreDeleted() throws IOException {
        byte[] bytes = large(top());
        try (ServedFolder served = ServedFolder.of(top());
                RawClient client = new RawClient(served.server.http.port(), SMALL_BUFFER_BYTES)) {
            client.get("/large");
            assertEquals(Integer.toString(LARGE_BYTES), client.readHead().header("content-length"));
            Files.delete(served.folder.resolve("large"));
            assertEquals(-1, Arrays.mismatch(bytes, client.read(LARGE_BYTES)));
            assertEquals(404, client.ask("/large").status());
            served.server.settleUntil(() -> served.threads.open() == 0);
        }
    }

    @Test
    void cutsTheConnectionWhereAFileBecameShorter() throws IOException {
        Path top = top();
        large(top);
        try (ServedFolder served = ServedFolder.of(top);
                RawClient client = new RawClient(served.server.http.port(), SMALL_BUFFER_BYTES)) {
            client.get("/large");
            client.readHead();
            try (RandomAccessFile file =
                    new RandomAccessFile(top.resolve("large").toFile(), "rw")) {
                file.setLength(LARGE_BYTES / 2);
            }
            assertTrue(isCut(client), "it looks whole");
            served.server.settleUntil(() -> served.threads.open() == 0);
        }
    }

    private static boolean isCut(RawClient client) throws IOException {
        try {
            return client.read(LARGE_BYTES).length < LARGE_BYTES;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Test
    void sendsNoMoreThanItSaidOfAFileThatGrows() throws IOException {
        Path top = top();
        large(top);
        try (ServedFolder served = ServedFolder.of(top);
                RawClient client = new RawClient(served.server.http.port(), SMALL_BUFFER_BYTES)) {
            client.get("/large");
            client.readHead();
            try (RandomAccessFile file =
                    new RandomAccessFile(top.resolve("large").toFile(), "rw")) {
                file.setLength(LARGE_BYTES * 2L);
            }
            client.read(LARGE_BYTES);
            assertEquals(404, client.ask("/nothing").status());
        }
    }

    @Test
    void readsBeyondFourGibibytes() throws IOException {
        Path top = top();
        try (RandomAccessFile file = new RandomAccessFile(top.resolve("huge").toFile(), "rw")) {
            file.seek(HUGE_BYTES - 3);
            file.write("end".getBytes(StandardCharsets.US_ASCII));
        }
        try (ServedFolder served = ServedFolder.of(top);
                RawClient client = served.connect()) {
            RawResponse end = client.get("/huge", "Range: bytes=-3").readResponse();
            assertEquals("end", end.text());
            assertEquals(
                    "bytes %d-%d/%d".formatted(HUGE_BYTES - 3, HUGE_BYTES - 1, HUGE_BYTES),
                    end.header("content-range"));
            client.get("/huge");
            assertEquals(Long.toString(HUGE_BYTES), client.readHead().header("content-length"));
            client.reset();
            served.server.settleUntil(() -> served.threads.open() == 0);
        }
    }

    /** What they have not taken stays on the disk, but for a window each. */
    @Test
    void holdsLittleForManySlowClients() throws IOException {
        Path top = top();
        large(top);
        List<RawClient> slow = new ArrayList<>();
        try (ServedFolder served = ServedFolder.of(top)) {
            for (int i = 0; i < 50; i++) {
                slow.add(
                        new RawClient(served.server.http.port(), SMALL_BUFFER_BYTES).get("/large"));
            }
            served.server.settleUntil(() -> served.threads.open() == 50);
            served.server.settle();
            long held = served.server.http.load(0).bufferedBytes();
            assertTrue(held < 50 * 512 * 1024, "holds " + held);
            try (RawClient normal = served.connect()) {
                assertEquals(404, normal.ask("/nothing").status());
            }
            for (RawClient each : slow) {
                each.reset();
            }
            served.server.settleUntil(() -> served.threads.open() == 0);
        }
    }

    @Test
    void opensNoMoreFilesThanItMay() throws IOException {
        Path top = top();
        large(top);
        ServedFolder.write(top, "small", new byte[1]);
        try (ServedFolder served =
                        new ServedFolder(FileOptions.of(top), ServedFolder.threads(2, 10, 1));
                RawClient first = new RawClient(served.server.http.port(), SMALL_BUFFER_BYTES);
                RawClient second = served.connect()) {
            first.get("/large");
            served.server.settleUntil(() -> served.threads.open() == 1);
            RawResponse refused = second.ask("/large");
            assertEquals(503, refused.status());
            assertEquals("files_open", refused.header("handoff-error"));
            assertEquals("1", refused.header("retry-after"));
            assertEquals(200, second.ask("/small").status());
            assertEquals(1, served.threads.refused());
            first.reset();
            served.server.settleUntil(() -> served.threads.open() == 0);
        }
    }

    /** Only its threads wait for a disk that does not answer. */
    @Test
    void refusesRequestsWhenTooManyWaitForTheDisk() throws Exception {
        Path top = top();
        FileThreads threads = ServedFolder.threads(1, 2, 10);
        CountDownLatch slow = new CountDownLatch(1);
        try (ServedFolder served =
                        new ServedFolder(FileOptions.of(top), threads).with("a.txt", "x");
                RawClient client = served.connect();
                RawClient second = served.connect();
                RawClient other = served.connect()) {
            threads.goOn(() -> ServedFolder.awaitQuietly(slow));
            client.get("/a.txt");
            second.get("/a.txt");
            served.server.settleUntil(() -> threads.waiting() == 2);
            RawResponse refused = other.ask("/a.txt");
            assertEquals(503, refused.status());
            assertEquals("files_busy", refused.header("handoff-error"));
            slow.countDown();
            assertEquals("x", client.readResponse().text());
            assertEquals("x", second.readResponse().text());
            assertEquals(0, threads.waiting());
        }
    }

    /** Or 64 requests in a packet would have 4 MB read for a client that takes none of it. */
    @Test
    void readsOneFileAtATimeForEachClient() throws Exception {
        FileThreads threads = ServedFolder.threads(1, 10, 10);
        CountDownLatch slow = new CountDownLatch(1);
        try (ServedFolder served =
                        new ServedFolder(FileOptions.of(top()), threads).with("a.txt", "x");
                RawClient client = served.connect();
                RawClient other = served.connect()) {
            threads.goOn(() -> ServedFolder.awaitQuietly(slow));
            client.get("/a.txt").get("/a.txt").get("/a.txt");
            other.get("/a.txt");
            served.server.settleUntil(() -> threads.waiting() == 2);
            served.server.settle();
            assertEquals(2, threads.waiting());
            slow.countDown();
            for (int i = 0; i < 3; i++) {
                assertEquals("x", client.readResponse().text());
            }
            assertEquals("x", other.readResponse().text());
        }
    }

    /** Else very many clients that ask at once have more read than the memory holds. */
    @Test
    void readsNoMoreAtOnceThanTheLoopsTake() throws Exception {
        Path top = top();
        ServedFolder.write(top, "page", new byte[PAGE_BYTES]);
        FileThreads threads = ServedFolder.threads(new FileThreads.Limits(1, CLIENTS, 1, 3));
        ResponseRoom room = new ResponseRoom(Integer.MAX_VALUE);
        CountDownLatch slowDisk = new CountDownLatch(1);
        CountDownLatch slowLoop = new CountDownLatch(1);
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server =
                TestServer.start(
                        ServerOptions.of(new FileTarget(FileOptions.of(top), threads))
                                .withResponseRoom(room))) {
            threads.goOn(() -> ServedFolder.awaitQuietly(slowDisk));
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(server.connect().get("/page"));
            }
            server.settleUntil(() -> threads.waiting() == CLIENTS);
            server.loops.get(0).execute(() -> ServedFolder.awaitQuietly(slowLoop));
            slowDisk.countDown();
            ServedFolder.awaitIdle(threads);
            long onTheirWay = room.bytes();
            slowLoop.countDown();
            assertEquals(3 * PAGE_BYTES, onTheirWay);
            for (RawClient client : clients) {
                assertEquals(PAGE_BYTES, client.readResponse().body().sizeBytes());
                client.close();
            }
            server.settleUntil(() -> threads.handover().taken() == 0);
        }
        threads.close();
    }

    /** The system may have much to free then, where the file is large and was deleted. */
    @Test
    void closesFilesThatNobodyWantsOnItsThreads() throws Exception {
        Path top = top();
        large(top);
        FileThreads threads = ServedFolder.threads(1, 10, 10);
        CountDownLatch slow = new CountDownLatch(1);
        try (ServedFolder served = new ServedFolder(FileOptions.of(top), threads);
                RawClient client = new RawClient(served.server.http.port(), SMALL_BUFFER_BYTES)) {
            client.get("/large");
            client.readHead();
            served.settleWhileClientsTakeNothing();
            threads.goOn(() -> ServedFolder.awaitQuietly(slow));
            client.reset();
            served.server.listener.await("closed RESET");
            served.server.settle();
            assertEquals(1, threads.open());
            slow.countDown();
            served.server.settleUntil(() -> threads.open() == 0);
        }
    }

    /** It cannot go on with a response that has begun. */
    @Test
    void cutsTheConnectionWhereNoThreadCanReadTheRest() throws Exception {
        Path top = top();
        large(top);
        ScarceThreads scarce = new ScarceThreads();
        FileThreads threads = new FileThreads(new FileThreads.Limits(1, 10, 10, 10), scarce);
        try (ServedFolder served = new ServedFolder(FileOptions.of(top), threads);
                RawClient client = new RawClient(served.server.http.port(), SMALL_BUFFER_BYTES)) {
            client.get("/large");
            client.readHead();
            served.settleWhileClientsTakeNothing();
            scarce.endThread(threads);
            assertTrue(isCut(client), "it looks whole");
            served.server.settleUntil(() -> threads.open() == 0);
            scarce.exhausted(false);
            try (RawClient next = served.connect()) {
                assertEquals(200, next.ask("/large").status());
            }
        }
    }
}
