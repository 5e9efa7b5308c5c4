package dev.handoff.launcher.config;

import dev.handoff.process.protocol.SafeText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How one worker of the user's handler is started.
 *
 * @param title what the user calls it: the file, the application, or the command
 * @param arguments the program and its arguments
 * @param folder where its sources are, as far as known
 */
public record HandlerCommand(String title, List<String> arguments, Path folder) {
    private static final String DOTTED_NAME = "[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)*";

    /** Module and attribute, as Python's servers are told them. */
    private static final Pattern APPLICATION = Pattern.compile(DOTTED_NAME + ":" + DOTTED_NAME);

    /** A program with an SDK imports it near its beginning. */
    private static final Pattern IMPORTS_SDK =
            Pattern.compile(
                    "^[ \\t]*(from[ \\t]+handoff_worker\\b|import\\b[^#\\r\\n]*\\bhandoff_worker\\b)",
                    Pattern.MULTILINE);

    public HandlerCommand {
        title = SafeText.of(title);
        arguments = List.copyOf(arguments);
    }

    /** A command, taken as it is. */
    public static HandlerCommand ofCommand(List<String> command, Programs programs)
            throws StartException {
        String program = command.getFirst();
        if (program.contains("/")) {
            if (!Programs.isProgram(Path.of(program))) {
                throw new StartException("there is no program " + program);
            }
        } else if (!programs.path().has(program)) {
            throw new StartException(
                    "there is no program '%s' on the PATH: install it, or name its file"
                            .formatted(program));
        }
        List<String> arguments = new ArrayList<>(command);
        if (Language.NODE.programs().contains(fileName(program))) {
            arguments.addAll(1, preload(programs.sdks()));
        }
        return new HandlerCommand(String.join(" ", command), arguments, Path.of(""));
    }

    /** Whether a word names a Python application by its module, such as {@code main:app}. */
    public static boolean namesApplication(String word) {
        return APPLICATION.matcher(word).matches();
    }

    /** Why an application is not started as an HTTP server, in words. */
    public static String needsNoServer(String application) {
        return application
                + " is an application, which Handoff serves as it is: leave out --http (http)";
    }

    /**
     * A Python application, which the SDK finds and serves.
     *
     * @param words the application, and behind it what the SDK gets as options
     * @param workingDirectory where its modules are
     */
    public static HandlerCommand ofApplication(
            List<String> words, Programs programs, Path workingDirectory) throws StartException {
        String name = words.getFirst();
        List<String> command = new ArrayList<>();
        command.add(
                programs.interpreter(Language.PYTHON, name, workingDirectory, workingDirectory));
        command.addAll(List.of("-m", "handoff_worker"));
        command.addAll(words);
        return new HandlerCommand(name, command, workingDirectory);
    }

    /**
     * A file, started by the interpreter that its extension stands for, or by itself; or a package
     * of Node's, by its folder.
     *
     * @param words the file or folder, and behind it what the handler gets as its arguments
     * @param workingDirectory where a {@code .venv} may lie that the file has not beside it
     */
    public static HandlerCommand ofFile(
            List<String> words, Programs programs, Path workingDirectory)
            throws UsageException, StartException {
        String name = words.getFirst();
        Path file = NodeEntry.find(name);
        boolean isOfNode = file != null;
        if (file == null) {
            file = existing(name);
        }
        Path folder =
                Files.isDirectory(file)
                        ? file
                        : Optional.ofNullable(file.getParent()).orElse(workingDirectory);
        List<String> command = new ArrayList<>();
        Language language = isOfNode ? Language.NODE : Language.ofFile(name);
        if (language != null) {
            command.add(programs.interpreter(language, name, folder, workingDirectory));
            command.addAll(before(file, language, programs.sdks()));
            command.add(name);
        } else if (Files.isExecutable(file)) {
            // Without a slash the system would look for it on the PATH.
            command.add(name.contains("/") ? name : "./" + name);
        } else if (Language.isCompiled(name)) {
            throw new UsageException(
                    name
                            + " has to be compiled first: run the program that is made of it, as in"
                            + " 'handoff run ./worker'; docs/LANGUAGES.md has the commands");
        } else {
            throw new UsageException(
                    "%s is neither executable nor one of %s: name its program, as in 'handoff run -- PROGRAM %s'"
                            .formatted(name, Language.allExtensions(), name));
        }
        command.addAll(words.subList(1, words.size()));
        return new HandlerCommand(name, command, folder);
    }

    /** The command in one line, for a log. */
    public String line() {
        return String.join(" ", arguments);
    }

    /** The arguments between interpreter and file that make an SDK serve the file. */
    private static List<String> before(Path file, Language language, Sdks sdks)
            throws StartException {
        return switch (language) {
            case PYTHON -> {
                // Not by its module, which Python looks for in the working directory first.
                Path sdk = sdks.python();
                yield sdk == null || speaksToCore(file) ? List.of() : List.of(sdk.toString());
            }
            case NODE -> preload(sdks);
            default -> List.of();
        };
    }

    private static String fileName(String program) {
        return program.substring(program.lastIndexOf('/') + 1);
    }

    /** The arguments with which Node serves any program. */
    private static List<String> preload(Sdks sdks) {
        Path preload = sdks.nodePreload();
        return preload == null ? List.of() : List.of("--import", preload.toString());
    }

    /**
     * Whether the file is a worker by itself: it reads HANDOFF_SOCKET, or imports the SDK and calls
     * its {@code serve}. Any other has an application in it, for the SDK to serve.
     */
    private static boolean speaksToCore(Path file) throws StartException {
        try {
            // The pattern is ASCII, in whichever encoding the file is.
            String text = HandlerText.beginning(file);
            return text.contains("HANDOFF_SOCKET")
                    || (text.contains("serve(") && IMPORTS_SDK.matcher(text).find());
        } catch (IOException failure) {
            throw new StartException("cannot read " + file + ": " + failure.getMessage(), failure);
        }
    }

    private static Path existing(String name) throws UsageException {
        try {
            Path file = Path.of(name);
            if (Files.isRegularFile(file)) {
                return file;
            }
            throw new UsageException(
                    Files.isDirectory(file)
                            ? name
                                    + " is a folder without a package.json that names its main, and"
                                    + " without an index.js: name a file, or a command as in"
                                    + " 'handoff run -- npm start'"
                            : "there is no file " + name);
        } catch (InvalidPathException impossible) {
            throw new UsageException("there is no file " + name);
        }
    }
}
