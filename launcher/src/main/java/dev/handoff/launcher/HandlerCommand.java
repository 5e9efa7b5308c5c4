package dev.handoff.launcher;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How one worker of the user's handler is started.
 *
 * @param title what the user calls it: the file, or the command
 * @param arguments the program and its arguments
 * @param folder where its sources are, as far as can be told
 */
record HandlerCommand(String title, List<String> arguments, Path folder) {
    HandlerCommand {
        arguments = List.copyOf(arguments);
    }

    /** A command as it stands. */
    static HandlerCommand ofCommand(List<String> command, SearchPath path) throws StartException {
        String program = command.getFirst();
        if (program.contains("/")) {
            if (!isProgram(Path.of(program))) {
                throw new StartException("there is no program " + program);
            }
        } else if (!path.has(program)) {
            throw new StartException(
                    "there is no program '%s' on the PATH: install it, or name its file"
                            .formatted(program));
        }
        return new HandlerCommand(String.join(" ", command), command, Path.of(""));
    }

    /**
     * A file, started by the interpreter that its extension stands for, or by itself.
     *
     * @param words the file, and behind it what the handler gets as its arguments
     * @param workingDirectory where a {@code .venv} may lie that the file has not beside it
     */
    static HandlerCommand ofFile(
            List<String> words,
            Map<String, String> environment,
            SearchPath path,
            Path workingDirectory)
            throws UsageException, StartException {
        String name = words.getFirst();
        Path file = existing(name);
        List<String> command = new ArrayList<>();
        Language language = Language.ofFile(name);
        if (language != null) {
            command.add(
                    language == Language.PYTHON
                            ? python(name, file, environment, path, workingDirectory)
                            : interpreter(name, language, path));
            command.add(name);
        } else if (Files.isExecutable(file)) {
            // Without a slash the system would look for it on the PATH.
            command.add(name.contains("/") ? name : "./" + name);
        } else {
            throw new UsageException(
                    "%s is neither executable nor one of %s: name its program, as in 'handoff run -- PROGRAM %s'"
                            .formatted(name, Language.allExtensions(), name));
        }
        command.addAll(words.subList(1, words.size()));
        Path parent = file.getParent();
        return new HandlerCommand(name, command, parent == null ? workingDirectory : parent);
    }

    /** The command in one line, for a log. */
    String line() {
        return String.join(" ", arguments);
    }

    private static Path existing(String name) throws UsageException {
        try {
            Path file = Path.of(name);
            if (Files.isRegularFile(file)) {
                return file;
            }
            throw new UsageException(
                    Files.isDirectory(file)
                            ? name + " is a folder, not a handler's file"
                            : "there is no file " + name);
        } catch (InvalidPathException impossible) {
            throw new UsageException("there is no file " + name);
        }
    }

    /** A virtual environment comes first, and the nearest of them. */
    private static String python(
            String name,
            Path file,
            Map<String, String> environment,
            SearchPath path,
            Path workingDirectory)
            throws StartException {
        Path beside = Optional.ofNullable(file.getParent()).orElse(workingDirectory);
        Stream<Path> virtual =
                Stream.of(beside.resolve(".venv"), workingDirectory.resolve(".venv"));
        String active = environment.getOrDefault("VIRTUAL_ENV", "");
        if (!active.isEmpty()) {
            virtual = Stream.concat(virtual, Stream.of(Path.of(active)));
        }
        Optional<String> found =
                virtual.map(folder -> folder.resolve("bin/python"))
                        .filter(HandlerCommand::isProgram)
                        .map(Path::toString)
                        .findFirst();
        return found.isPresent() ? found.get() : interpreter(name, Language.PYTHON, path);
    }

    private static String interpreter(String name, Language language, SearchPath path)
            throws StartException {
        for (String program : language.programs()) {
            if (path.has(program)) {
                return program;
            }
        }
        throw new StartException(
                "%s needs %s, which is not on the PATH: install %s"
                        .formatted(
                                name,
                                String.join(" or ", language.programs()),
                                language.toInstall()));
    }

    private static boolean isProgram(Path candidate) {
        return Files.isRegularFile(candidate) && Files.isExecutable(candidate);
    }
}
