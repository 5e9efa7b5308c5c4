package dev.handoff.launcher.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The folders in which the system looks for programs. */
public final class SearchPath {
    /** What systems assume when there is no {@code PATH}. */
    private static final String USUAL = "/usr/local/bin:/usr/bin:/bin";

    private final String text;
    private final List<Path> folders = new ArrayList<>();

    SearchPath(String text) {
        this.text = text;
        for (String folder : text.split(":", -1)) {
            try {
                if (!folder.isEmpty()) {
                    folders.add(Path.of(folder));
                }
            } catch (InvalidPathException notAFolder) {
                // The system finds nothing there either.
            }
        }
    }

    public static SearchPath of(Map<String, String> environment) {
        return new SearchPath(environment.getOrDefault("PATH", USUAL));
    }

    boolean has(String program) {
        return find(program) != null;
    }

    /** Where a program is; null if it is in none of the folders. */
    @Nullable Path find(String program) {
        for (Path folder : folders) {
            Path candidate = folder.resolve(program);
            if (Files.isRegularFile(candidate) && Files.isExecutable(candidate)) {
                return candidate.toAbsolutePath();
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return text;
    }
}
