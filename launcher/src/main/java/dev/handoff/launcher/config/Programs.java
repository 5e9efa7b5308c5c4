package dev.handoff.launcher.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The programs that handlers can be started with.
 *
 * @param environment the core's own
 */
public record Programs(Map<String, String> environment, SearchPath path, Sdks sdks) {
    /**
     * Set by the package of pip: the Python that it was installed for, and with it the application.
     */
    private static final String PYTHON = "HANDOFF_PYTHON";

    public static Programs of(Map<String, String> environment) {
        return new Programs(environment, SearchPath.of(environment), Sdks.of(environment));
    }

    /**
     * The interpreter of a language.
     *
     * @param user what needs it, for the message when there is none
     * @param beside where the handler lies
     * @param workingDirectory where a {@code .venv} may lie that the handler has not beside it
     */
    String interpreter(Language language, String user, Path beside, Path workingDirectory)
            throws StartException {
        if (language == Language.PYTHON) {
            Optional<String> chosen = chosenPython(beside, workingDirectory);
            if (chosen.isPresent()) {
                return chosen.get();
            }
        }
        for (String program : language.programs()) {
            if (path.has(program)) {
                return program;
            }
        }
        throw new StartException(
                "%s needs %s, which is not on the PATH: install %s"
                        .formatted(
                                user,
                                String.join(" or ", language.programs()),
                                language.toInstall()));
    }

    static boolean isProgram(Path candidate) {
        return Files.isRegularFile(candidate) && Files.isExecutable(candidate);
    }

    /** A virtual environment comes first, and the nearest of them; then the one that was chosen. */
    private Optional<String> chosenPython(Path beside, Path workingDirectory) {
        Stream<Path> virtual =
                Stream.of(beside.resolve(".venv"), workingDirectory.resolve(".venv"));
        String active = environment.getOrDefault("VIRTUAL_ENV", "");
        if (!active.isEmpty()) {
            virtual = Stream.concat(virtual, Stream.of(Path.of(active)));
        }
        Stream<Path> candidates = virtual.map(folder -> folder.resolve("bin/python"));
        String chosen = environment.getOrDefault(PYTHON, "");
        if (!chosen.isEmpty()) {
            candidates = Stream.concat(candidates, Stream.of(Path.of(chosen)));
        }
        return candidates.filter(Programs::isProgram).map(Path::toString).findFirst();
    }
}
