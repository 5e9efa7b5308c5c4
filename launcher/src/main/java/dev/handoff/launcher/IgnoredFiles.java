package dev.handoff.launcher;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Files whose changes do not change the handler: dependencies, caches, the temporary files of
 * editors, and what the handler writes itself.
 */
final class IgnoredFiles {
    private static final Set<String> FOLDERS = Set.of("node_modules", "__pycache__");

    /** Folders of tools, such as {@code .git}, {@code .venv} and {@code .mypy_cache}. */
    private static final String HIDDEN = ".";

    /** Lies in every virtual environment of Python, whatever that is called. */
    private static final String VIRTUAL_ENVIRONMENT = "pyvenv.cfg";

    /** The last line is about what handlers write: a reload for that would never end. */
    private static final List<Pattern> FILES =
            List.of(
                    Pattern.compile(".*~|#.*#|\\.#.*|4913|.*\\.sw[a-z]|\\.goutputstream-.*"),
                    Pattern.compile("___jb_.*|.*\\.tmp|\\.DS_Store|.*\\.py[co]"),
                    Pattern.compile(".*\\.(log|pid|lock|sock|db|sqlite3?)|.*-(journal|wal|shm)"));

    private IgnoredFiles() {}

    static boolean ignoresFolder(Path folder) {
        String name = name(folder);
        return FOLDERS.contains(name)
                || name.startsWith(HIDDEN)
                || Files.exists(folder.resolve(VIRTUAL_ENVIRONMENT));
    }

    static boolean ignoresFile(Path file) {
        String name = name(file);
        return FILES.stream().anyMatch(pattern -> pattern.matcher(name).matches());
    }

    private static String name(Path path) {
        Path name = path.getFileName();
        return name == null ? "" : name.toString();
    }
}
