package dev.handoff.launcher;

import static java.util.stream.Collectors.joining;

import dev.handoff.launcher.config.Spelling;
import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code handoff new}: copies the example worker of a language, which is what a user starts from.
 * The examples lie beside the start script, in a checkout as in a distribution.
 */
final class NewCommand {
    /** Set by the start script: the checkout, or the distribution. */
    private static final String HOME = "HANDOFF_HOME";

    private static final String EXAMPLES = "examples-other";
    private static final String README = "README.md";

    /** What a build may have left in the folder of a checkout has other names. */
    private static final Pattern SOURCE =
            Pattern.compile(
                    "Dockerfile|.+\\.(?!(?:class|pyc|o|hi|cmi|cmx|exe|dump)$)[a-z]+|Cargo\\.lock");

    /** Their SDKs serve a function as it is, so there is nothing to write. */
    private static final Set<String> WITH_SDK = Set.of("node", "python");

    private NewCommand() {}

    /**
     * Writes the start of a worker.
     *
     * @param words the language, and behind it the folder, which is called as the language without
     * @return what to do with it
     */
    static String run(List<String> words, Map<String, String> environment)
            throws UsageException, StartException {
        Path examples = examples(environment);
        try {
            Set<String> languages = languages(examples);
            if (words.isEmpty() || words.size() > 2) {
                throw new UsageException(
                        "name a language, and a folder if you like, as in 'handoff new ruby hello': "
                                + String.join(", ", languages));
            }
            Path from = examples.resolve(known(words.getFirst(), languages));
            Path to = folder(words.getLast());
            copy(from, to);
            return next(to);
        } catch (IOException failure) {
            throw new StartException("cannot write: " + failure, failure);
        }
    }

    private static Path examples(Map<String, String> environment) throws StartException {
        Path examples = Path.of(environment.getOrDefault(HOME, ""), EXAMPLES);
        if (!Files.isDirectory(examples)) {
            throw new StartException(
                    "there are no examples in %s: start by the script handoff, which knows its folder"
                            .formatted(examples.toAbsolutePath()));
        }
        return examples;
    }

    /** The names of the folders that have what a user starts from. */
    private static Set<String> languages(Path examples) throws IOException {
        try (Stream<Path> folders = Files.list(examples)) {
            return new TreeSet<>(
                    folders.filter(folder -> Files.isRegularFile(folder.resolve(README)))
                            .map(folder -> folder.getFileName().toString())
                            .toList());
        }
    }

    private static String known(String name, Set<String> languages) throws UsageException {
        if (WITH_SDK.contains(name)) {
            throw new UsageException(
                    "%s needs no start: its SDK serves a function or an application as it is, and 'handoff run' brings it; see the README"
                            .formatted(name));
        }
        if (!languages.contains(name)) {
            String nearest = Spelling.nearest(name, languages);
            throw new UsageException(
                    "there is no start for %s%s; there is one for %s"
                            .formatted(
                                    name,
                                    nearest == null ? "" : " (did you mean " + nearest + "?)",
                                    String.join(", ", languages)));
        }
        return name;
    }

    private static Path folder(String name) throws UsageException, IOException {
        try {
            Path folder = Path.of(name);
            if (Files.exists(folder)) {
                throw new UsageException(
                        folder
                                + " exists already: name another, as in 'handoff new LANGUAGE FOLDER'");
            }
            return folder;
        } catch (InvalidPathException impossible) {
            throw new UsageException("there can be no folder " + name);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path each : files.filter(NewCommand::isSource).toList()) {
                // Not the permissions, which may be those of an installation that nobody writes to.
                Files.write(to.resolve(each.getFileName()), Files.readAllBytes(each));
            }
        }
    }

    private static boolean isSource(Path file) {
        return Files.isRegularFile(file) && SOURCE.matcher(file.getFileName().toString()).matches();
    }

    /** The commands of its README. */
    private static String next(Path folder) throws IOException {
        String commands =
                Files.readAllLines(folder.resolve(README)).stream()
                        .filter(line -> line.startsWith("    "))
                        .collect(joining("\n"));
        return "%s is a worker that keeps the protocol; its function handle is your part.\n\n    cd %s\n%s\n"
                .formatted(folder, folder, commands);
    }
}
