package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The admin server of a real process: who may, and what it does to it. */
class AdminIT extends EndToEnd {
    private static final String TOKEN = "correct-horse-battery-staple";

    @TempDir Path folder;

    @Test
    void needsATokenBeyondLoopback() throws Exception {
        HandoffProcess handoff = hello("--admin-host", "0.0.0.0");
        assertEquals(2, handoff.awaitExit());
        handoff.stderr()
                .await(line ->
                        line.equals(
                                "handoff: --admin-host is '0.0.0.0', which other machines can"
                                        + " reach: then the admin server needs a token"
                                        + " (--admin-token-file FILE)"));
    }

    @Test
    void asksForTheTokenAndShowsItNowhere() throws Exception {
        Path file = folder.resolve("token");
        Files.writeString(file, TOKEN + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        HandoffProcess handoff =
                hello("--admin-host", "0.0.0.0", "--admin-token-file", file.toString());
        String admin = handoff.adminUrl();
        handoff.stderr().await(line -> line.contains("can read the admin server's token"));
        assertTrue(Curl.run(admin + "workers").hasStatus(401));
        Curl config = Curl.run("--header", "Authorization: Bearer " + TOKEN, admin + "config");
        assertTrue(config.hasStatus(200), config.output());
        assertTrue(config.output().contains(file.toString()), config.output());
        assertFalse(config.output().contains(TOKEN), config.output());
        assertFalse(handoff.stderr().toString().contains(TOKEN));
    }

    @Test
    void isNotThereIfNobodyWantsIt() throws Exception {
        HandoffProcess handoff = hello("--no-admin");
        handoff.url();
        assertTrue(Curl.run(handoff.url()).hasStatus(200));
        assertFalse(handoff.stdout().toString().contains("dashboard"));
    }

    @Test
    void endsTheServerAsSigtermDoes() throws Exception {
        HandoffProcess handoff = hello();
        handoff.awaitWorkers(1);
        Curl drained = Curl.run("--request", "POST", handoff.adminUrl() + "drain");
        assertTrue(drained.hasStatus(202), drained.output());
        assertEquals(0, handoff.awaitExit());
    }

    /** One worker that says hello, with these options. */
    private HandoffProcess hello(String... options) throws IOException {
        String[] arguments = Arrays.copyOf(options, options.length + 3);
        arguments[options.length] = "--workers";
        arguments[options.length + 1] = "1";
        arguments[options.length + 2] = "examples-python/hello.py";
        return run(arguments);
    }
}
