package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that run as another user than the server. */
class UserIT extends EndToEnd {
    private static final String OTHER = "nobody";
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
