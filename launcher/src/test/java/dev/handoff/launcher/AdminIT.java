package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    void letsOtherUsersLookButNotChangeAnythingWithoutAToken() throws Exception {
        UserIT.assumeRoot();
        HandoffProcess handoff = hello();
        handoff.awaitWorkers(1);
        String admin = handoff.adminUrl();
        assertTrue(asNobody(admin + "workers").contains("\"pools\""));
        String refused = asNobody("--request", "POST", admin + "drain");
        assertTrue(refused.contains("\"code\":\"other_user\""), refused);
        assertTrue(Curl.run("--request", "POST", admin + "stats/reset").hasStatus(200));
    }

    /** What curl prints when it runs as somebody who is neither the server nor root. */
    private static String asNobody(String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of("setpriv", "--reuid=nobody", "--clear-groups", "curl", "--silent"));
        command.addAll(List.of(arguments));
        Process curl = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** While no server runs, anybody can listen at its port. */
    @Test
    void itsTokenIsToldToNobodyWhoMayNotReadItsFile() throws Exception {
        UserIT.assumeRoot();
        Path file = folder.resolve("token");
        Files.writeString(file, TOKEN + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Process impostor =
                new ProcessBuilder("python3", Distribution.testProgram("impostor.py"))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            Lines told = new Lines("the impostor's stdout", impostor.getInputStream());
            String port = told.await(line -> true);
            String[] stats = {"stats", "--admin-port", port, "--admin-token-file", file.toString()};
            HandoffProcess asking = handoff(stats);
            assertEquals(1, asking.awaitExit());
            asking.stderr()
                    .await(line ->
                            line.startsWith("handoff: the token is not sent: user ")
                                    && line.endsWith(
                                            " listens at port %s, who may not read %s: is Handoff running?"
                                                    .formatted(port, file)));

            String toNobodysGroup = "chgrp $(id -g nobody) \"$0\"";
            new ProcessBuilder("sh", "-c", toNobodysGroup, file.toString()).start().waitFor();
            handoff(stats).awaitExit();
            String bearer = "Bearer " + TOKEN;
            Await.until("the token", () -> told.toString().equals(port + "\n" + bearer));

            Files.setAttribute(file, "unix:gid", 0);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            handoff(stats).awaitExit();
            Await.until(
                    "it again", () -> told.toString().equals(port + "\n" + bearer + "\n" + bearer));
        } finally {
            impostor.destroyForcibly();
        }
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
