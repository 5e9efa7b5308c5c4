package dev.handoff.launcher.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds what Node runs though its name has none of Node's extensions. */
final class NodeEntry {
    private static final Pattern SHEBANG =
            Pattern.compile("#!\\S*(/env\\s+(-S\\s*)?|/)node(\\s.*)?");
    private static final Pattern MAIN = Pattern.compile("\"main\"\\s*:");

    private NodeEntry() {}

    /**
     * The folder of a package, a file whose first line names Node, or {@code app} for {@code
     * app.js}.
     *
     * @return where it is; null if it is none of these
     */
    static @Nullable Path find(String name) {
        try {
            Path place = Path.of(name);
            boolean is =
                    Files.isDirectory(place)
                            ? isPackage(place)
                            : Files.isRegularFile(place)
                                    ? Language.ofFile(name) == null && namesNode(place)
                                    : Files.isRegularFile(Path.of(name + ".js"));
            return is ? place : null;
        } catch (InvalidPathException impossible) {
            return null;
        }
    }

    private static boolean isPackage(Path folder) {
        return Files.isRegularFile(folder.resolve("index.js"))
                || MAIN.matcher(beginning(folder.resolve("package.json"))).find();
    }

    private static boolean namesNode(Path file) {
        return SHEBANG.matcher(beginning(file).lines().findFirst().orElse("")).matches();
    }

    /** Empty if it cannot be read; running it will say why. */
    private static String beginning(Path file) {
        try {
            return HandlerText.beginning(file);
        } catch (IOException unreadable) {
            return "";
        }
    }
}
