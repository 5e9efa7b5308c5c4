package dev.handoff.launcher.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where the access log goes. */
public sealed interface AccessTarget {
    AccessTarget OFF = new Off();

    /** Nowhere: there is none. */
    record Off() implements AccessTarget {
        @Override
        public String toString() {
            return "off";
        }
    }

    /** To the standard output, between the lines that workers write there. */
    record Stdout() implements AccessTarget {
        @Override
        public String toString() {
            return "stdout";
        }
    }

    /** To the end of a file. */
    record ToFile(Path path) implements AccessTarget {
        @Override
        public String toString() {
            return path.toString();
        }
    }

    /** The same target, its relative path resolved in the folder. */
    static AccessTarget in(AccessTarget target, Path folder) {
        return target instanceof ToFile(Path path) ? new ToFile(folder.resolve(path)) : target;
    }

    /** Reads what {@code toString} gives; null if it is no target. */
    static @Nullable AccessTarget parse(String text) {
        try {
            return switch (text) {
                case "off" -> OFF;
                case "stdout" -> new Stdout();
                default -> text.isBlank() ? null : new ToFile(Path.of(text));
            };
        } catch (InvalidPathException notOne) {
            return null;
        }
    }
}
