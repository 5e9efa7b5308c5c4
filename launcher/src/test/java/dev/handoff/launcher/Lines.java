package dev.handoff.launcher;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a process writes to one stream, line by line, as it comes. */
final class Lines {
    private final String name;
    private final List<String> lines = new ArrayList<>();
    private final Thread reader;

    Lines(String name, InputStream stream) {
        this.name = name;
        this.reader = Thread.ofPlatform().name(name).daemon().start(() -> read(stream));
    }

    /** Waits for a line. */
    String await(Predicate<String> wanted) {
        Await.until(
                () -> "a certain line on " + name + ", of which there is " + this,
                () -> find(wanted) != null);
        return String.valueOf(find(wanted));
    }

    /** All lines of a process that has ended. */
    List<String> all() throws InterruptedException {
        reader.join(Await.LIMIT);
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    @Override
    public String toString() {
        synchronized (lines) {
            return String.join("\n", lines);
        }
    }

    private @Nullable String find(Predicate<String> wanted) {
        synchronized (lines) {
            for (String line : lines) {
                if (wanted.test(line)) {
                    return line;
                }
            }
            return null;
        }
    }

    private void read(InputStream stream) {
        try (BufferedReader input =
                new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            String line = input.readLine();
            while (line != null) {
                synchronized (lines) {
                    lines.add(line);
                }
                line = input.readLine();
            }
        } catch (IOException closed) {
            // The process was ended by force, which closes its streams.
        }
    }
}
