package dev.handoff.launcher;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The SDKs that come with Handoff, which the workers it starts can import without installing them.
 *
 * @param python the folder that Python has to look in; null where there is none
 * @param nodePreload the module that Node has to load first; null where there is none
 */
record Sdks(@Nullable Path python, @Nullable Path nodePreload) {
    /** Set by the start script: the checkout, or the distribution. */
    private static final String HOME = "HANDOFF_HOME";

    private static final String PYTHON_PATH = "PYTHONPATH";

    static Sdks of(Map<String, String> environment) {
        String home = environment.getOrDefault(HOME, "");
        if (home.isEmpty()) {
            return new Sdks(null, null);
        }
        Path python = Path.of(home, "sdk-python", "src");
        Path preload = Path.of(home, "sdk-node", "preload.mjs");
        return new Sdks(
                Files.isDirectory(python) ? python : null,
                Files.isRegularFile(preload) ? preload : null);
    }

    /**
     * Puts the Python SDK behind what the user has on the path, whose own comes first.
     *
     * @param added what is set for the workers; complemented
     * @param inherited what they have besides
     */
    void addTo(Map<String, String> added, Map<String, String> inherited) {
        if (python != null) {
            String own = added.getOrDefault(PYTHON_PATH, inherited.getOrDefault(PYTHON_PATH, ""));
            added.put(
                    PYTHON_PATH,
                    own.isEmpty() ? python.toString() : own + File.pathSeparator + python);
        }
    }
}
