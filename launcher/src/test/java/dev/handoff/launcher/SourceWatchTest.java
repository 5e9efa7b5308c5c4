package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.launcher.config.StartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourceWatchTest {
    @TempDir private Path folder;
    private final BlockingQueue<Path> heard = new LinkedBlockingQueue<>();

    @Test
    void tellsAFileThatIsWritten() throws Exception {
        Path file = Files.writeString(folder.resolve("handler.py"), "1");
        start();
        Files.writeString(file, "2");
        assertEquals(file, await());
    }

    @Test
    void tellsAFileThatIsRemovedOrReplaced() throws Exception {
        Path file = Files.writeString(folder.resolve("handler.py"), "1");
        Path next = Files.writeString(folder.resolve("next"), "2");
        start();
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        assertNotNull(await());
        Files.delete(file);
        assertEquals(file, await());
    }

    @Test
    void tellsABurstOnce() throws Exception {
        CountDownLatch burstIsOver = new CountDownLatch(1);
        SourceWatch.start(
                folder,
                changed -> {
                    heard.add(changed);
                    awaitQuietly(burstIsOver);
                });
        Files.writeString(folder.resolve("before.py"), "x");
        assertNotNull(await());
        // Nobody looks meanwhile, so that the burst is one however long it takes.
        for (int i = 0; i < 50; i++) {
            Files.writeString(folder.resolve("module" + i + ".py"), "x");
        }
        burstIsOver.countDown();
        assertNotNull(await());
        assertOnlyTheNext();
    }

    @Test
    void tellsChangesThatNeverRest() throws Exception {
        start();
        Path file = folder.resolve("handler.py");
        long deadline = System.nanoTime() + Await.LIMIT.toNanos();
        while (heard.isEmpty()) {
            Files.writeString(file, "x");
            assertTrue(System.nanoTime() - deadline < 0, "nothing was told");
        }
    }

    @Test
    void watchesFoldersThatAreNew() throws Exception {
        start();
        Path deep = Files.createDirectories(folder.resolve("package/deep"));
        assertNotNull(await());
        Path file = Files.writeString(deep.resolve("module.py"), "x");
        Path first = await();
        assertTrue(file.equals(first) || deep.equals(first), String.valueOf(first));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".git/index",
                "node_modules/left-pad/index.js",
                "__pycache__/handler.cpython-313.pyc",
                ".venv/lib/site.py",
                "package/node_modules/x.js"
            })
    void doesNotLookIntoFoldersOfTools(String name) throws Exception {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        start();
        Files.writeString(file, "x");
        assertOnlyTheNext();
    }

    @Test
    void doesNotLookIntoAVirtualEnvironmentOfAnyName() throws Exception {
        Path environment = Files.createDirectory(folder.resolve("python-for-this"));
        Files.writeString(environment.resolve("pyvenv.cfg"), "home = /usr/bin");
        start();
        Files.writeString(environment.resolve("site.py"), "x");
        assertOnlyTheNext();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".handler.py.swp",
                "4913",
                "handler.py~",
                ".#handler.py",
                "#handler.py#",
                "handler.pyc",
                ".DS_Store",
                "access.log",
                "data.sqlite3",
                "data.db-journal"
            })
    void ignoresWhatEditorsAndHandlersLeave(String name) {
        assertTrue(IgnoredFiles.ignoresFile(folder.resolve(name)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"handler.py", "app.mjs", ".env", "page.html", "Gemfile", "log.py"})
    void minds(String name) {
        assertFalse(IgnoredFiles.ignoresFile(folder.resolve(name)));
    }

    @Test
    void saysThatThereIsNoSuchFolder() {
        Path missing = folder.resolve("missing");
        assertThrows(StartException.class, () -> SourceWatch.start(missing, heard::add));
    }

    /** The watch itself tells its events in order, so what came before was not told. */
    private void assertOnlyTheNext() throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("handler.py"), "x");
        assertEquals(file, await());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void start() throws StartException {
        SourceWatch.start(folder, heard::add);
    }

    private @Nullable Path await() throws InterruptedException {
        return heard.poll(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
}
