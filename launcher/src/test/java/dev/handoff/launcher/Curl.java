package dev.handoff.launcher;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The real one: somebody else's idea of HTTP. */
record Curl(int exitCode, String output) {
    /** Runs {@code curl} with time limits; the output is the response's head and body. */
    static Curl run(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "curl",
                                "--silent",
                                "--include",
                                "--max-time",
                                "30",
                                "--noproxy",
                                "*"));
        command.addAll(List.of(arguments));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        process.getOutputStream().close();
        byte[] output = process.getInputStream().readAllBytes();
        return new Curl(process.waitFor(), new String(output, StandardCharsets.ISO_8859_1));
    }

    /** Whether the response has this status; an interim one may come before. */
    boolean hasStatus(int status) {
        return output.lines().anyMatch(line -> line.startsWith("HTTP/1.1 " + status + " "));
    }
}
