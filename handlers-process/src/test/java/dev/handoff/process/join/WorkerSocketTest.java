package dev.handoff.process.join;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.process.TestWorker;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorkerSocketTest {
    @TempDir private Path folder;
    private TestLoops loops;
    private WorkerPool pool;

    @BeforeEach
    void startLoops() throws IOException {
        loops = new TestLoops(1);
        pool = pool("former");
    }

    @AfterEach
    void stopLoops() {
        loops.close();
    }

    @Test
    void letsOwnerAndGroupIn() throws IOException {
        WorkerSocket socket = open(folder.resolve("s"));
        assertEquals(
                "rw-rw----",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.path())));
    }

    /** Who may connect is not left to the rights of a file, which somebody may have changed. */
    @Test
    void turnsAwayAStrangerWhomTheFileLetsIn() throws IOException {
        Path python = Path.of("/usr/bin/python3");
        assumeTrue(Files.getOwner(folder).getName().equals("root") && Files.isExecutable(python));
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")));
        WorkerSocket socket = open(folder.resolve("s"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Files.setPosixFilePermissions(socket.path(), PosixFilePermissions.fromString("rw-rw-rw-"));
        String reads =
                """
                import select, socket, sys
                core = socket.socket(socket.AF_UNIX)
                core.settimeout(60)
                core.connect(sys.argv[1])
                select.select([core], [], [])
                core.sendall(b"a hello that comes late")
                sys.stdout.buffer.write(core.makefile("rb").read())
                """;
        List<String> asNobody =
                List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
        List<String> command =
                Stream.concat(
                                asNobody.stream(),
                                Stream.of(python.toString(), "-c", reads, "" + socket.path()))
                        .toList();
        Process stranger =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .directory(Path.of("/").toFile())
                        .start();
        String told = new String(stranger.getInputStream().readAllBytes(), ISO_8859_1);
        assertTrue(told.contains("\"bad_user\""), told);
        assertEquals(0, workers(pool));
    }

    @Test
    void removesTheFileWhenItCloses() throws IOException {
        WorkerSocket socket = open(folder.resolve("s"));
        TestLoops.await(socket.close());
        assertFalse(Files.exists(socket.path()));
        TestLoops.await(socket.close());
    }

    @Test
    void replacesAStaleFile() throws IOException {
        Path path = folder.resolve("s");
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(path));
        }
        open(path);
        TestWorker.join(path, 1).close();
    }

    @Test
    void doesNotTakeTheSocketOfALivingServer() throws IOException {
        Path path = folder.resolve("s");
        open(path);
        IOException taken = assertThrows(IOException.class, () -> open(path));
        assertEquals("another server listens on " + path, taken.getMessage());
        TestWorker.join(path, 1).close();
    }

    @Test
    void doesNotReplaceAFileThatIsNoSocket() throws IOException {
        Path path = Files.writeString(folder.resolve("s"), "precious");
        assertThrows(IOException.class, () -> open(path));
        assertEquals("precious", Files.readString(path));
        assertThrows(IOException.class, () -> open(folder));
        assertTrue(Files.isDirectory(folder));
    }

    @Test
    void doesNotReplaceALink() throws IOException {
        Path target = Files.writeString(folder.resolve("target"), "precious");
        Path link = Files.createSymbolicLink(folder.resolve("s"), target);
        assertThrows(IOException.class, () -> open(link));
        assertTrue(Files.isSymbolicLink(link));
    }

    @Test
    void takesOverFromALivingServerWhoseWorkersStay() throws IOException {
        Path path = folder.resolve("s");
        WorkerSocket former = open(path);
        WorkerPool next = pool("next");
        TestWorker stays = TestWorker.join(path, 1);
        takeOver(path, next);
        TestWorker comes = TestWorker.join(path, 1);
        assertEquals(1, workers(pool));
        assertEquals(1, workers(next));
        stays.close();
        comes.close();
        TestLoops.await(former.close());
        assertTrue(Files.exists(path), "the file was the successor's");
        assertEquals(List.of(path), list(folder));
    }

    @Test
    void leavesTheFileThatItTookOver() throws IOException {
        Path path = folder.resolve("s");
        WorkerSocket socket = takeOver(path, pool);
        TestLoops.await(socket.close());
        assertTrue(Files.exists(path));
        takeOver(path, pool);
        TestWorker.join(path, 1).close();
    }

    @Test
    void takesOverNothingButASocket() throws IOException {
        Path path = Files.writeString(folder.resolve("s"), "precious");
        assertThrows(IOException.class, () -> takeOver(path, pool));
        assertEquals("precious", Files.readString(path));
        assertEquals(List.of(path), list(folder));
    }

    @Test
    void takesOverAPathOf101Bytes() throws IOException {
        Path path = pathOf(101);
        takeOver(path, pool);
        TestWorker.join(path, 1).close();
        assertThrows(IOException.class, () -> takeOver(pathOf(102), pool));
    }

    @Test
    void takesAPathOf106Bytes() throws IOException {
        Path path = pathOf(106);
        open(path);
        TestWorker.join(path, 1).close();
    }

    @Test
    void refusesAPathOf107Bytes() {
        Path path = pathOf(107);
        IOException tooLong = assertThrows(IOException.class, () -> open(path));
        assertEquals(
                "the socket path has 107 bytes, and the system allows 106: " + path,
                tooLong.getMessage());
    }

    @Test
    void needsAPool() {
        assertThrows(
                IllegalArgumentException.class,
                () -> WorkerSocket.open(folder.resolve("s"), List.of(), loops.first()));
    }

    private WorkerSocket open(Path path) throws IOException {
        return WorkerSocket.open(path, List.of(pool.entrance()), loops.first());
    }

    private WorkerSocket takeOver(Path path, WorkerPool into) throws IOException {
        return WorkerSocket.takeOver(path, List.of(into.entrance()), loops.first());
    }

    private WorkerPool pool(String server) {
        return new WorkerPool("default", loops.first(), PoolLimits.DEFAULT, List.of(), server);
    }

    private static int workers(WorkerPool asked) {
        return asked.snapshot().join().workers().size();
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private Path pathOf(int bytes) {
        int missing = bytes - folder.toString().length() - 1;
        return folder.resolve("s".repeat(missing));
    }
}
