package dev.handoff.launcher;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A real terminal, with one program in it. Closing ends both. */
final class Tmux implements AutoCloseable {
    private final String server =
            "handoff-test-" + ProcessHandle.current().pid() + "-" + hashCode();

    /** Starts the program in a terminal of this size; when it ends, its exit code is printed. */
    Tmux(int columns, int rows, List<String> program) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "-f",
                                "/dev/null",
                                "new-session",
                                "-d",
                                "-x",
                                String.valueOf(columns),
                                "-y",
                                String.valueOf(rows),
                                "sh",
                                "-c",
                                "\"$@\"; echo ended with $?; exec cat",
                                "sh"));
        command.addAll(program);
        run(command);
    }

    /** Waits for a screen. */
    List<String> awaitScreen(String what, Predicate<List<String>> wanted) {
        Await.until(
                () -> what + " on the screen\n" + String.join("\n", screen()),
                () -> wanted.test(screen()));
        return screen();
    }

    void press(String key) throws IOException {
        run(List.of("send-keys", key));
    }

    void resize(int columns, int rows) throws IOException {
        run(List.of("resize-window", "-x", String.valueOf(columns), "-y", String.valueOf(rows)));
    }

    @Override
    public void close() throws IOException {
        run(List.of("kill-server"));
    }

    private List<String> screen() {
        try {
            return run(List.of("capture-pane", "-p")).lines().toList();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private String run(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("tmux", "-L", server));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("TERM", "xterm-256color");
        builder.environment().put("LC_ALL", "C.UTF-8");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        // Its output has ended, so it is at its end as well.
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException("tmux: " + output);
        }
        return output;
    }
}
