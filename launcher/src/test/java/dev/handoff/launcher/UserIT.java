package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that run as another user than the server. */
class UserIT extends EndToEnd {
    private static final String OTHER = "nobody";
    private static final String VISITED = "\"visited\": {\"routes\": [{\"path\": \"/v\"}]}";
    private static final String HELLO = "examples-python/hello.py";

    @TempDir private Path folder;

    @Test
    void startsWorkersAsAnotherUser() throws Exception {
        assumeRoot();
        HandoffProcess handoff = run("--user", OTHER, "--workers", "1", "--", "sh", "-c", script());
        handoff.stdout().await(line -> line.equals("default-1 | " + OTHER + " " + OTHER));
        handoff.port();
        assertFalse(handoff.stderr().all().stream().anyMatch(line -> line.contains("as root")));
        assertEquals(200, client(handoff).ask("/").status());
        long worker = handoff.awaitWorkers(1).getFirst();
        assertEquals(OTHER, Files.getOwner(Path.of("/proc", Long.toString(worker))).getName());
    }

    /** What it makes belongs to that group, by which it reaches the socket, too. */
    @Test
    void startsWorkersInAnotherGroup() throws Exception {
        assumeRoot();
        String made = "touch made && stat -c %U:%G made; ";
        openToAll(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        String start = "cd %s && %s%s".formatted(folder, made, script());
        HandoffProcess handoff =
                run(
                        "--user",
                        OTHER,
                        "--group",
                        "daemon",
                        "--workers",
                        "1",
                        "--",
                        "sh",
                        "-c",
                        start);
        handoff.stdout().await("default-1 | nobody:daemon"::equals);
        assertEquals(200, client(handoff).ask("/").status());
    }

    @Test
    void saysThatThereIsNoSuchGroup() throws Exception {
        assumeRoot();
        HandoffProcess handoff = run("--user", OTHER, "--group", "no-such-group", HELLO);
        assertEquals(1, handoff.awaitExit());
        assertEquals(
                List.of("handoff: there is no group 'no-such-group' (--group)"),
                handoff.stderr().all());
    }

    @Test
    void saysThatAGroupNeedsAUser() throws Exception {
        HandoffProcess handoff = run("--group", "daemon", HELLO);
        assertEquals(1, handoff.awaitExit());
        assertEquals(
                List.of("handoff: --group daemon needs a user for the workers (--user)"),
                handoff.stderr().all());
    }

    @Test
    void opensAChosenSocketToThatUser() throws Exception {
        assumeRoot();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        String socket = folder.resolve("s").toString();
        HandoffProcess handoff =
                run("--socket", socket, "--user", OTHER, "--", "sh", "-c", script());
        assertEquals(200, client(handoff).ask("/").status());
        assertEquals(
                "rw-rw----",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(socket))));
    }

    /** A change of user takes the death signal away. */
    @Test
    void leavesNoWorkerOfAnotherUserBehindWhenItIsKilled() throws Exception {
        assumeRoot();
        openToAll(folder);
        String deaf = "trap '' TERM HUP; echo on; while :; do :; done";
        String socket = folder.resolve("s").toString();
        HandoffProcess handoff =
                run("--socket", socket, "--user", OTHER, "--workers", "1", "--", "sh", "-c", deaf);
        handoff.stdout().await("default-1 | on"::equals);
        List<Long> workers = handoff.awaitWorkers(1);
        handoff.signal("KILL");
        handoff.awaitExit();
        HandoffProcess.awaitGone(workers);
    }

    @Test
    void warnsWhereWorkersRunAsRoot() throws Exception {
        assumeRoot();
        HandoffProcess handoff = run("--workers", "1", HELLO);
        handoff.stderr().await(line -> line.contains("the workers run as root"));
        assertEquals(200, client(handoff).ask("/").status());
    }

    @Test
    void saysThatThereIsNoSuchUser() throws Exception {
        HandoffProcess handoff = run("--user", "no-such-user", HELLO);
        assertEquals(1, handoff.awaitExit());
        assertEquals(
                List.of("handoff: there is no user 'no-such-user' (--user)"),
                handoff.stderr().all());
    }

    @Test
    void saysWhichPoolsUserThereIsNot() throws Exception {
        write(pool("a", "no-such-user"));
        HandoffProcess handoff = handoff("config", "check", configuration().toString());
        assertEquals(2, handoff.awaitExit());
        assertEquals(
                List.of(
                        "handoff: %s, line 1: /pools/a/user cannot be used: there is no user 'no-such-user' (--user)"
                                .formatted(configuration())),
                handoff.stderr().all());
    }

    @Test
    void saysThatOnlyRootCanStartWorkersAsAnotherUser() throws Exception {
        assumeRoot();
        List<String> asOther =
                List.of("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups");
        List<String> look = new ArrayList<>(asOther);
        look.addAll(List.of("test", "-x", Distribution.HANDOFF.toString()));
        assumeTrue(
                new ProcessBuilder(look).start().waitFor() == 0,
                "the checkout is where that user cannot look");
        openToAll(folder);
        write(pool("a", "daemon"));
        HandoffProcess handoff =
                HandoffProcess.startBy(asOther, "config", "check", configuration().toString());
        closeAtEnd(handoff);
        assertEquals(2, handoff.awaitExit());
        String said = handoff.stderr().all().getFirst();
        assertTrue(said.contains("/pools/a/user cannot be used: only root can start"), said);
    }

    @Test
    void startsThePoolsAsTheirUsers() throws Exception {
        assumeRoot();
        HandoffProcess handoff = serve(pool("a", OTHER) + "," + pool("b", "daemon"));
        assertEquals(OTHER, user(handoff, "a"));
        assertEquals("daemon", user(handoff, "b"));
    }

    /** The usual place for workers that come by themselves is for one user alone. */
    @Test
    void opensTheUsualPlaceToTheUsers() throws Exception {
        assumeRoot();
        Path runtime = Files.createDirectory(folder.resolve("runtime"));
        Map<String, String> environment =
                Map.of(
                        "XDG_RUNTIME_DIR",
                        runtime.toString(),
                        "HANDOFF_JAVA_OPTS",
                        "-Djava.io.tmpdir=" + folder);
        assumeFalse(Files.exists(Path.of("/run/handoff")), "there is a place for all servers");
        HandoffProcess handoff = serve(environment, pool("a", OTHER) + "," + VISITED);
        assertEquals(OTHER, user(handoff, "a"));
    }

    @Test
    void opensTheSocketToUsersThatAReloadBrings() throws Exception {
        assumeRoot();
        HandoffProcess handoff = serve(pool("a", null));
        assertEquals("root", user(handoff, "a"));
        for (String more :
                List.of(
                        pool("b", OTHER),
                        pool("b", OTHER) + "," + pool("c", "daemon"),
                        pool("c", "daemon"))) {
            write(pool("a", null) + "," + more);
            reload(handoff);
        }
        assertEquals("daemon", user(handoff, "c"));
    }

    /** An operator may have opened it further. */
    @Test
    void leavesTheRightsOfTheSocketAloneInAReload() throws Exception {
        assumeRoot();
        Path socket = folder.resolve("s");
        HandoffProcess handoff =
                serve(Map.of("HANDOFF_SOCKET", socket.toString()), pool("a", OTHER));
        assertEquals(200, client(handoff).ask("/a").status());
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rwxrwx"));
        reload(handoff);
        write(pool("a", OTHER) + "," + pool("b", OTHER));
        reload(handoff);
        assertEquals(200, client(handoff).ask("/b").status());
        assertEquals(
                "rw-rwxrwx", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
    }

    @Test
    void saysWhichUserCannotGetToTheSocket() throws Exception {
        assumeRoot();
        HandoffProcess handoff =
                run("--socket", folder.resolve("s").toString(), "--user", OTHER, HELLO);
        assertEquals(1, handoff.awaitExit());
        String said = handoff.stderr().all().getFirst();
        assertTrue(said.contains("user nobody, as whom workers run, cannot get to"), said);
    }

    /** It would get the tokens of other workers, and answer their requests. */
    @Test
    void usesNoFolderInWhichAUserMayReplaceTheSocket() throws Exception {
        assumeRoot();
        openToAll(folder);
        Path theirs = Files.createDirectory(folder.resolve("theirs"));
        openToAll(theirs);
        Files.setOwner(
                theirs,
                theirs.getFileSystem()
                        .getUserPrincipalLookupService()
                        .lookupPrincipalByName(OTHER));
        Path below = Files.createDirectory(theirs.resolve("ours"));
        openToAll(below);
        for (Path place : List.of(theirs, below)) {
            HandoffProcess handoff =
                    run("--socket", place.resolve("s").toString(), "--user", OTHER, HELLO);
            assertEquals(1, handoff.awaitExit());
            String said = handoff.stderr().all().getFirst();
            assertTrue(said.contains("is not safe: user nobody"), said);
            assertTrue(said.contains("as " + theirs + " lets it"), said);
        }
    }

    /** Its environment may name files that the user may write, as those of its application. */
    @Test
    void nothingOfAPoolsEnvironmentRunsAsRoot() throws Exception {
        assumeRoot();
        openToAll(folder);
        Path bin = Files.createDirectory(folder.resolve("bin"));
        Path ran = folder.resolve("ran");
        for (String program : List.of("setsid", "setpriv")) {
            Path planted = bin.resolve(program);
            Files.writeString(planted, "#!/bin/sh\nid -u >>%s\nexit 1\n".formatted(ran));
            Files.setPosixFilePermissions(planted, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Path made = Files.createDirectory(folder.resolve("made"));
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxrwxrwx"));
        String variables =
                """
                "PATH": "%s:/usr/bin:/bin", "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": "%s/of",
                "GREETING": "$(id) `id` \\"a\\" 'b' c", "HANDOFF_LOG_LEVEL": "info"
                """
                        .formatted(bin, made);
        String prints =
                "import os; print(os.environ['GREETING'], os.environ['PATH'].split(':')[0])";
        String pool =
                "\"a\": {\"user\": \"%s\", \"environment\": {%s}, \"command\": [\"/usr/bin/python3\", \"-c\", \"%s\"]}"
                        .formatted(OTHER, variables, prints);
        HandoffProcess handoff = serve(pool);
        handoff.stdout().await(("a-1 | $(id) `id` \"a\" 'b' c " + bin)::equals);
        assertFalse(Files.exists(ran));
        try (Stream<Path> files = Files.list(made)) {
            Set<String> owners = new HashSet<>();
            for (Path each : files.toList()) {
                owners.add(Files.getOwner(each).getName());
            }
            assertEquals(Set.of(OTHER), owners);
        }
    }

    /** What lies below a folder that is closed to it may be open by its own rights. */
    @Test
    void goesToItsFolderAsItsUser() throws Exception {
        assumeRoot();
        openToAll(folder);
        Path theirs = Files.createDirectory(folder.resolve("theirs"));
        Path first = Files.createDirectory(theirs.resolve("first"));
        Path own = Files.createFile(first.resolve("own"));
        for (Path each : List.of(theirs, first, own)) {
            openToAll(each);
        }
        Path current = Files.createSymbolicLink(theirs.resolve("current"), first);
        Path closed = Files.createDirectory(folder.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        Path below = Files.createDirectory(closed.resolve("below"));
        openToAll(below);
        openToAll(Files.createFile(below.resolve("secret")));
        HandoffProcess handoff =
                serve(
                        "\"a\": {\"user\": \"%s\", \"workingDirectory\": \"theirs/current\", \"command\": [\"/bin/sh\", \"-c\", \"ls\"]}"
                                .formatted(OTHER));
        handoff.stdout().await("a-1 | own"::equals);
        Path next = Files.createSymbolicLink(theirs.resolve("next"), below);
        Files.move(next, current, StandardCopyOption.ATOMIC_MOVE);
        String refused =
                "user '%s' cannot go to %s, where its workers start".formatted(OTHER, current);
        handoff.stderr().await(line -> line.contains(refused));
        handoff.signal("TERM");
        handoff.awaitExit();
        List<String> seen = handoff.stdout().all();
        assertFalse(seen.contains("a-1 | secret"), seen.toString());
    }

    @Test
    void warnsOfAFolderThatAnotherMayReplace() throws Exception {
        assumeRoot();
        openToAll(folder);
        Path theirs = Files.createDirectory(folder.resolve("theirs"));
        Files.setOwner(
                theirs,
                theirs.getFileSystem()
                        .getUserPrincipalLookupService()
                        .lookupPrincipalByName(OTHER));
        Path sent = Files.createDirectory(theirs.resolve("public"));
        Path ours = Files.createDirectory(folder.resolve("ours"));
        Files.writeString(
                configuration(),
                "{\"routes\": [{\"path\": \"/a\", \"files\": {\"folder\": \"%s\"}}, {\"path\": \"/b\", \"files\": {\"folder\": \"%s\"}}]}"
                        .formatted(sent, ours));
        HandoffProcess handoff = serveConfiguration(Map.of());
        handoff.stderr().await(line -> line.contains("the files of " + sent + " are sent, and"));
        handoff.signal("TERM");
        handoff.awaitExit();
        assertFalse(handoff.stderr().all().stream().anyMatch(line -> line.contains("" + ours)));
    }

    /** Whoever runs as the user of one pool stops all processes of that user that he sees. */
    @Test
    void aUserOfOnePoolKeepsNoOtherFromStarting() throws Exception {
        assumeRoot();
        String stops =
                """
                import os, signal
                stopped = set()
                while True:
                    for process in set(os.listdir("/proc")) - stopped - {str(os.getpid())}:
                        try:
                            if os.stat("/proc/" + process).st_uid == os.getuid():
                                os.kill(int(process), signal.SIGSTOP)
                                stopped.add(process)
                        except (OSError, ValueError):
                            pass
                """;
        Process stopper =
                new ProcessBuilder(
                                "setpriv",
                                "--reuid=games",
                                "--regid=games",
                                "--clear-groups",
                                "/usr/bin/python3",
                                "-c",
                                stops)
                        .start();
        try {
            HandoffProcess handoff = serve(pool("a", "games") + "," + pool("b", OTHER));
            assertEquals(200, client(handoff).ask("/b").status());
        } finally {
            stopper.destroyForcibly();
        }
    }

    @Test
    void keepsTheWorkersOfOneUserFromThoseOfAnother() throws Exception {
        assumeRoot();
        HandoffProcess handoff =
                serve(
                        Map.of("HANDOFF_JAVA_OPTS", "-Djava.io.tmpdir=" + folder),
                        pool("a", OTHER) + "," + pool("b", "daemon") + "," + VISITED);
        String other = client(handoff).ask("/b").text();
        assertTrue(other.startsWith("daemon daemon "), other);
        String attack =
                "/a?attack=%d,%s"
                        .formatted(handoff.pid(), other.substring(other.lastIndexOf(' ') + 1));
        assertEquals(
                """
                environment: EACCES
                environment of the core: EACCES
                memory: EACCES
                files: EACCES
                signal: EPERM
                signal to the core: EPERM
                folder: EACCES
                removal of the socket: EACCES
                another socket: EACCES
                rights of the socket: EPERM
                another's pool: bad_user
                another's pool with its own token: bad_user
                pool of visitors: bad_user
                its own pool without a token: bad_token
                """,
                client(handoff).ask(attack).text());
        // The others have not noticed anything.
        assertEquals(other, client(handoff).ask("/b").text());
    }

    /** The folder of its socket is the server's own, so it may put there what it likes. */
    @Test
    void sendsNothingWhereAServersLinkLeads() throws Exception {
        assumeRoot();
        Path program = folder.resolve("links_elsewhere.py");
        Files.copy(Path.of(Distribution.testProgram("links_elsewhere.py")), program);
        String pool =
                "\"a\": {\"http\": true, \"user\": \"%s\", \"command\": [\"/usr/bin/python3\", \"%s\", \"{socket}\"]}"
                        .formatted(OTHER, program);
        HandoffProcess handoff = serve(Map.of("HANDOFF_NO_WORKER_GRACE", "1s"), pool);
        String said = client(handoff).ask("/").text();
        Path place = Path.of(said.substring(said.indexOf(' ') + 1));
        assertEquals(OTHER, said.substring(0, said.indexOf(' ')));
        assertEquals(
                "rwx------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(place.getParent())));
        Path ofRoot = folder.resolve("root");
        try (ServerSocketChannel roots = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            roots.bind(UnixDomainSocketAddress.of(ofRoot));
            assertEquals(200, client(handoff).ask("/?link=" + ofRoot).status());
            // The first may find a connection from before the link; then there is a new server.
            client(handoff).ask("/secret");
            client(handoff).ask("/secret");
            try (SocketChannel led = roots.accept()) {
                assertEquals(-1, led.read(ByteBuffer.allocate(1)));
            }
        }
        handoff.signal("TERM");
        handoff.awaitExit();
        assertFalse(Files.exists(place.getParent()));
    }

    /** Starts a server with these pools, at whose path each is served. */
    private HandoffProcess serve(String pools) throws IOException {
        return serve(Map.of(), pools);
    }

    private HandoffProcess serve(Map<String, String> environment, String pools) throws IOException {
        openToAll(folder);
        for (String file : List.of("worker.py", "attacks_others.py")) {
            Files.copy(Path.of(Distribution.testWorker(file)), folder.resolve(file));
        }
        write(pools);
        return serveConfiguration(environment);
    }

    private HandoffProcess serveConfiguration(Map<String, String> environment) throws IOException {
        return handoff(
                environment,
                "serve",
                "--port",
                "0",
                "--admin-port",
                "0",
                "--config",
                configuration().toString());
    }

    private Path configuration() {
        return folder.resolve("handoff.json");
    }

    private void write(String pools) throws IOException {
        Files.writeString(configuration(), "{\"pools\": {" + pools + "}}");
    }

    private static void reload(HandoffProcess handoff) throws Exception {
        Curl reloaded = Curl.run("--request", "POST", handoff.adminUrl() + "reload?wait=true");
        assertTrue(reloaded.hasStatus(200), reloaded.output());
    }

    private String pool(String name, @Nullable String user) {
        String as = user == null ? "" : "\"user\": \"%s\",".formatted(user);
        return """
        "%s": {%s "command": ["/usr/bin/python3", "%s"], "routes": [{"path": "/%s"}]}\
        """
                .formatted(name, as, folder.resolve("attacks_others.py"), name);
    }

    private String user(HandoffProcess handoff, String pool) throws IOException {
        String said = client(handoff).ask("/" + pool).text();
        return said.substring(0, said.indexOf(' '));
    }

    private static void openToAll(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** The source comes as an argument: the checkout may be where that user cannot look. */
    private static String script() throws Exception {
        String source = Files.readString(Distribution.ROOT.resolve(HELLO));
        return "echo $(id -un) $USER; exec python3 -c \"$0\"".replace("$0", escaped(source));
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("$", "\\$")
                .replace("`", "\\`");
    }

    static void assumeRoot() {
        assumeTrue("root".equals(System.getProperty("user.name")), "this is not root");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "there is no setpriv");
    }
}
