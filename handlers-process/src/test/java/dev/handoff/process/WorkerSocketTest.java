package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
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
        pool =
                new WorkerPool(
                        "default", loops.first(), PoolLimits.DEFAULT, PoolListener.NONE, "test");
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
        return WorkerSocket.open(path, List.of(pool), loops.first());
    }

    private Path pathOf(int bytes) {
        int missing = bytes - folder.toString().length() - 1;
        return folder.resolve("s".repeat(missing));
    }
}
