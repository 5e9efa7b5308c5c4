package dev.handoff.launcher.config;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The SDKs that come with Handoff, which the workers it starts can import without installing them.
 *
 * @param python the folder that Python has to look in; null where there is none
 * @param nodePreload the module that Node has to load before an application; null where there is
 *     none
 * @param nodeRequired the module that every Node process of a command has to load, as it may be the
 *     application; null where there is none
 */
record Sdks(@Nullable Path python, @Nullable Path nodePreload, @Nullable Path nodeRequired) {
    static final Sdks NONE = new Sdks(null, null, null);

    /** Set by the start script: the checkout, or the distribution. */
    private static final String HOME = "HANDOFF_HOME";

    private static final String PYTHON_PATH = "PYTHONPATH";
    private static final String NODE_OPTIONS = "NODE_OPTIONS";

    static Sdks of(Map<String, String> environment) {
        String home = environment.getOrDefault(HOME, "");
        if (home.isEmpty()) {
            return NONE;
        }
        Path python = Path.of(home, "sdk-python", "src");
        return new Sdks(
                Files.isDirectory(python) ? python : null,
                file(home, "sdk-node/preload.mjs"),
                file(home, "sdk-node/src/preload/every-process.cjs"));
    }

    private static @Nullable Path file(String home, String name) {
        Path file = Path.of(home, name);
        return Files.isRegularFile(file) ? file : null;
    }

    /**
     * Puts the SDKs behind what the user has on Python's path and among Node's options.
     *
     * @param added what is set for the workers; complemented
     * @param inherited what they have besides
     */
    void addTo(Map<String, String> added, Map<String, String> inherited) {
        if (python != null) {
            append(PYTHON_PATH, File.pathSeparator, python.toString(), added, inherited);
        }
        if (nodeRequired != null) {
            append(NODE_OPTIONS, " ", "--require=" + quoted(nodeRequired), added, inherited);
        }
    }

    private static void append(
            String variable,
            String separator,
            String value,
            Map<String, String> added,
            Map<String, String> inherited) {
        String own = added.getOrDefault(variable, inherited.getOrDefault(variable, ""));
        added.put(variable, own.isBlank() ? value : own + separator + value);
    }

    /** As Node reads an option that may have blanks in it. */
    private static String quoted(Path path) {
        return '"' + path.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
