package dev.handoff.process.join;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.process.TestWorker;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.Dialect;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.ServerLimits;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import jdk.net.UnixDomainPrincipal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorkerSocketTest {
    private static final Path PYTHON = Path.of("/usr/bin/python3");
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

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
        assumeOtherUsers();
        WorkerSocket socket = open(folder.resolve("s"));
        Files.setPosixFilePermissions(socket.path(), PosixFilePermissions.fromString("rw-rw-rw-"));
        String told = told("nobody", socket.path(), "a hello that comes late");
        assertTrue(told.contains("\"bad_user\""), told);
        assertEquals(0, workers(pool));
    }

    @Test
    void isOpenToTheOneGroupOfAllUsers() throws IOException {
        assumeOtherUsers();
        WorkerPool daemons = pool("daemons", account("daemon"));
        WorkerPool own = pool("own", WorkerAccount.Own.OWN);
        WorkerSocket socket =
                WorkerSocket.open(folder.resolve("s"), entrances(daemons, own), loops.first());
        assertEquals("rw-rw---- daemon", rights(socket));
    }

    /** A file has one group. */
    @Test
    void isOpenToAllWhereUsersAreOfSeveralGroups() throws IOException {
        assumeOtherUsers();
        WorkerPool daemons = pool("daemons", account("daemon"));
        WorkerPool nobodies = pool("nobodies", account("nobody"));
        WorkerSocket socket =
                WorkerSocket.open(folder.resolve("s"), entrances(daemons, nobodies), loops.first());
        assertEquals("rw-rw-rw- root", rights(socket));
        String told = told("bin", socket.path(), "a hello that comes late");
        assertTrue(told.contains("\"bad_user\""), told);
        assertTrue(told.contains("run it as user daemon or nobody or root"), told);
    }

    @Test
    void letsEachUserIntoItsOwnPoolOnly() throws IOException {
        assumeOtherUsers();
        WorkerPool daemons = pool("daemons", account("daemon"));
        WorkerPool nobodies = pool("nobodies", account("nobody"));
        WorkerPool visited = pool("visited", WorkerAccount.Visitors.VISITORS);
        WorkerSocket socket =
                WorkerSocket.open(
                        folder.resolve("s"), entrances(daemons, nobodies, visited), loops.first());
        for (String each : List.of("nobodies", "visited")) {
            String told = told("daemon", socket.path(), hello(each));
            assertTrue(told.contains("\"bad_user\""), told);
            assertTrue(told.contains("pool " + each + ": it runs as user daemon"), told);
        }
        // Its own pool knows it, and welcomes it.
        String told = told("daemon", socket.path(), hello("daemons"));
        assertTrue(told.contains("\"welcome\""), told);
    }

    /** Users of one group come to the socket by the same right, and to no pool but their own. */
    @Test
    void tellsUsersOfOneGroupApart() throws IOException {
        assumeOtherUsers();
        WorkerPool nobodies = pool("nobodies", account("nobody"));
        WorkerPool syncs = pool("syncs", account("sync"));
        WorkerSocket socket =
                WorkerSocket.open(folder.resolve("s"), entrances(nobodies, syncs), loops.first());
        assertEquals("rw-rw---- nogroup", rights(socket));
        String told = told("sync", socket.path(), hello("nobodies"));
        assertTrue(told.contains("\"bad_user\""), told);
        assertTrue(told("sync", socket.path(), hello("syncs")).contains("\"welcome\""));
    }

    @Test
    void whoConnectsWithoutAHelloKeepsNoWorkerOfAnotherUserOut() throws Exception {
        assumeOtherUsers();
        WorkerPool daemons = pool("daemons", account("daemon"));
        WorkerPool nobodies = pool("nobodies", account("nobody"));
        Queue<String> users = new ConcurrentLinkedQueue<>(List.of("nobody", "daemon"));
        WorkerSocket socket =
                WorkerSocket.open(
                        folder.resolve("s"),
                        entrances(daemons, nobodies),
                        loops.first(),
                        new PeerNames(loops.first(), channel -> peer(users.poll())));
        try (TestWorker first = TestWorker.connect(socket.path());
                TestWorker slow = TestWorker.connect(socket.path())) {
            List<TestWorker> silent = new ArrayList<>();
            for (int i = 0; i < WorkerSocket.MOST_NEWCOMERS; i++) {
                users.add("nobody");
                silent.add(TestWorker.connect(socket.path()));
            }
            Message.Refused refused = first.expect(Message.Refused.class);
            assertEquals("too_many_newcomers", refused.code());
            assertEquals(
                    "128 connections have not said hello, and user nobody has most of them",
                    refused.message());
            assertEquals(
                    "too_many_newcomers", silent.getFirst().expect(Message.Refused.class).code());
            slow.send(TestWorker.hello(1, "daemons", null, 1));
            slow.expect(Message.Welcome.class);
            for (TestWorker each : silent) {
                each.close();
            }
        }
    }

    private static UnixDomainPrincipal peer(String user) throws IOException {
        UserPrincipalLookupService found = FileSystems.getDefault().getUserPrincipalLookupService();
        return new UnixDomainPrincipal(
                found.lookupPrincipalByName(user), found.lookupPrincipalByGroupName(groupOf(user)));
    }

    /** An operator may have changed them, as for a container. */
    @Test
    void leavesTheRightsAloneWhileTheGroupsAreTheSame() throws IOException {
        assumeOtherUsers();
        WorkerPool daemons = pool("daemons", account("daemon"));
        WorkerSocket socket =
                WorkerSocket.open(folder.resolve("s"), entrances(daemons), loops.first());
        Files.setPosixFilePermissions(socket.path(), PosixFilePermissions.fromString("rw-rwxrwx"));
        socket.serve(entrances(daemons, pool("more", account("daemon"))));
        assertEquals("rw-rwxrwx daemon", rights(socket));
        socket.serve(entrances(daemons, pool("nobodies", account("nobody"))));
        assertEquals("rw-rw-rw- daemon", rights(socket));
        assertTrue(told("nobody", socket.path(), hello("nobodies")).contains("\"welcome\""));
        socket.serve(entrances(pool));
        assertEquals("rw-rw---- root", rights(socket));
    }

    private static String hello(String name) {
        return "{\"type\":\"hello\",\"protocol\":1,\"concurrency\":1,\"pool\":\"%s\"}"
                .formatted(name);
    }

    private static String rights(WorkerSocket socket) throws IOException {
        PosixFileAttributes found = Files.readAttributes(socket.path(), PosixFileAttributes.class);
        return PosixFilePermissions.toString(found.permissions()) + " " + found.group().getName();
    }

    private static WorkerAccount account(String user) throws IOException {
        return new WorkerAccount.Other(
                user,
                FileSystems.getDefault()
                        .getUserPrincipalLookupService()
                        .lookupPrincipalByGroupName(groupOf(user)));
    }

    private WorkerPool pool(String name, WorkerAccount account) {
        return new WorkerPool(
                name,
                account,
                loops.first(),
                Dialect.FRAMES,
                PoolLimits.DEFAULT,
                ServerLimits.DEFAULT.newResponseRoom(),
                List.of(),
                "handoff/test");
    }

    private static List<WorkerEntrance> entrances(WorkerPool... pools) {
        return Stream.of(pools).map(WorkerPool::entrance).toList();
    }

    /** The first frame that a process of this user gets as the answer to this one. */
    private static String told(String user, Path socket, String frame) throws IOException {
        String speaks =
                """
                import select, socket, struct, sys
                core = socket.socket(socket.AF_UNIX)
                core.settimeout(60)
                core.connect(sys.argv[1])
                if "late" in sys.argv[2]:
                    select.select([core], [], [])
                frame = sys.argv[2].encode()
                core.sendall(struct.pack(">II", len(frame), 0) + frame)
                print(core.recv(65536).decode("latin-1"))
                """;
        Process process =
                new ProcessBuilder(
                                "setpriv",
                                "--reuid=" + user,
                                "--regid=" + groupOf(user),
                                "--clear-groups",
                                PYTHON.toString(),
                                "-c",
                                speaks,
                                socket.toString(),
                                frame)
                        .redirectErrorStream(true)
                        .directory(Path.of("/").toFile())
                        .start();
        return new String(process.getInputStream().readAllBytes(), ISO_8859_1);
    }

    private static String groupOf(String user) {
        return Set.of("nobody", "sync").contains(user) ? "nogroup" : user;
    }

    private void assumeOtherUsers() throws IOException {
        assumeTrue(Files.getOwner(folder).getName().equals("root"), "this is not root");
        assumeTrue(Files.isExecutable(PYTHON) && Files.isExecutable(SETPRIV));
        String users = Files.readString(Path.of("/etc/passwd"));
        assumeTrue(users.contains("sync:x:4:65534:"), "the users are not those of Debian");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
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
