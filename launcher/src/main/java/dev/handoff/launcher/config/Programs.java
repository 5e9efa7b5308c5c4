package dev.handoff.launcher.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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

    private static final String PYTHON_IN_IT = "bin/python";

    public static Programs of(Map<String, String> environment) {
        return new Programs(environment, SearchPath.of(environment), Sdks.of(environment));
    }

    /** The same, for programs that have nothing to do with the worker protocol. */
    public Programs withoutSdks() {
        return new Programs(environment, path, Sdks.NONE);
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
    private Optional<String> chosenPython(Path beside, Path workingDirectory)
            throws StartException {
        for (Path folder : List.of(beside, workingDirectory)) {
            Path virtual = folder.resolve(".venv");
            Path found = virtual.resolve(PYTHON_IN_IT);
            if (isProgram(found)) {
                refuseAStrangers(virtual, beside);
                return Optional.of(found.toString());
            }
        }
        String active = environment.getOrDefault("VIRTUAL_ENV", "");
        String chosen = environment.getOrDefault(PYTHON, "");
        String inActive = active.isEmpty() ? "" : Path.of(active, PYTHON_IN_IT).toString();
        for (String each : List.of(inActive, chosen)) {
            if (!each.isEmpty() && isProgram(Path.of(each))) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /**
     * In a folder that others may write to, such as {@code /tmp}, somebody may put an environment
     * beside the handler of another. The owner of the handler's folder could as well put a handler
     * of his own there.
     */
    private static void refuseAStrangers(Path virtual, Path beside) throws StartException {
        try {
            Object trusted = Owners.of(beside.toRealPath());
            for (Path each : List.of(virtual, virtual.toRealPath())) {
                if (Owners.isAStrangers(each) && !Owners.of(each).equals(trusted)) {
                    throw new StartException(
                            "%s is another user's, who is neither root nor the owner of %s: move the handler, or name a Python that you trust, as in 'handoff run -- python3 -m handoff_worker HANDLER'"
                                    .formatted(virtual, beside.toAbsolutePath()));
                }
            }
        } catch (IOException failure) {
            throw new StartException("cannot look at " + virtual + ": " + failure, failure);
        }
    }
}
