package dev.handoff.conformance;

import dev.handoff.http.Body;
import dev.handoff.http.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One section of a document of {@code conformance/http} or {@code conformance/http-responses},
 * whose format is described in {@code conformance/README.md}. It is taken apart when its {@link
 * #fixture} or {@link #parts} are asked for, so that a malformed one fails by itself.
 *
 * @param lines below the heading
 * @param repeated whether an earlier section of the file has the same heading
 */
record FixtureSection(String file, String heading, List<String> lines, boolean repeated) {
    private static final String HEADING = "## ";
    private static final String FENCE = "```";
    private static final Pattern PROPERTY = Pattern.compile("- ([a-z]+): (\\S.*)");
    private static final String RULE = "[0-9]{4} section ([0-9]+|[A-Z])(\\.[0-9]+)*";
    private static final Pattern RULES = Pattern.compile(RULE + "(, " + RULE + ")*");
    private static final Set<String> PROPERTIES = Set.of("rfc", "limits", "end");
    private static final Set<String> BLOCKS = Set.of("http", "reply", "outcome");

    /** The sections of all files of a folder, in the order of their names. */
    static List<FixtureSection> all(String folder) {
        return files(folder).stream().flatMap(file -> in(file).stream()).toList();
    }

    static List<Path> files(String folder) {
        try (Stream<Path> files = Files.list(inConformance(folder))) {
            return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder above that has it: a build may run in the module or at the top. */
    private static Path inConformance(String name) {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path folder = at.resolve("conformance").resolve(name);
            if (Files.isDirectory(folder)) {
                return folder;
            }
        }
        throw new IllegalStateException("no conformance/" + name + " here or above");
    }

    private static List<FixtureSection> in(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<Integer> starts = new ArrayList<>();
        boolean fenced = false;
        for (int i = 0; i < lines.size(); i++) {
            fenced ^= lines.get(i).startsWith(FENCE);
            if (!fenced && lines.get(i).startsWith(HEADING)) {
                starts.add(i);
            }
        }
        starts.add(lines.size());
        List<FixtureSection> sections = new ArrayList<>();
        Set<String> headings = new HashSet<>();
        for (int i = 0; i < starts.size() - 1; i++) {
            String heading = lines.get(starts.get(i)).substring(HEADING.length());
            sections.add(
                    new FixtureSection(
                            String.valueOf(file.getFileName()),
                            heading,
                            List.copyOf(lines.subList(starts.get(i) + 1, starts.get(i + 1))),
                            !headings.add(heading)));
        }
        return sections;
    }

    String name() {
        return file + ": " + heading;
    }

    /**
     * @throws IllegalArgumentException naming the section, if it is not in the format
     */
    Fixture fixture() {
        return read(() -> parts(PROPERTIES, BLOCKS).fixture());
    }

    /**
     * Reads a fixture out of this section.
     *
     * @throws IllegalArgumentException naming the section, if the reader throws one
     */
    <T> T read(Supplier<T> reader) {
        try {
            return reader.get();
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException(name() + ": " + malformed.getMessage(), malformed);
        }
    }

    /** What it has, which must be of these properties and blocks. */
    Parts parts(Set<String> properties, Set<String> blocks) {
        return new Parts(this, properties, blocks);
    }

    /** A section taken apart. */
    static final class Parts {
        private final FixtureSection section;
        private final Set<String> propertyNames;
        private final Set<String> blockNames;
        private final Map<String, String> properties = new HashMap<>();
        private final Map<String, List<String>> blocks = new HashMap<>();
        private boolean hasReason;

        private Parts(FixtureSection section, Set<String> properties, Set<String> blocks) {
            this.section = section;
            this.propertyNames = properties;
            this.blockNames = blocks;
            List<String> lines = section.lines;
            int at = 0;
            while (at < lines.size()) {
                String line = lines.get(at);
                if (line.startsWith(FENCE)) {
                    int end = lines.subList(at + 1, lines.size()).indexOf(FENCE) + at + 1;
                    require(end > at, "a block has no end");
                    takeBlock(line.substring(FENCE.length()), lines.subList(at + 1, end));
                    at = end;
                } else if (line.startsWith("- ")) {
                    takeProperty(line);
                } else {
                    hasReason |= !line.isBlank();
                }
                at++;
            }
            require(!section.repeated, "another fixture of the file has this name");
            require(hasReason, "no text says why");
            String rules = property("rfc", "");
            require(RULES.matcher(rules).matches(), "rfc is missing or malformed: " + rules);
        }

        private void takeProperty(String line) {
            Matcher property = PROPERTY.matcher(line);
            require(property.matches(), "malformed property: " + line);
            String name = property.group(1);
            require(propertyNames.contains(name), "unknown property: " + name);
            require(properties.put(name, property.group(2)) == null, "two properties " + name);
        }

        private void takeBlock(String kind, List<String> lines) {
            require(blockNames.contains(kind), "unknown block: " + kind);
            for (String line : lines) {
                require(!line.endsWith(" "), "a space at the end of a line is written \\x20");
            }
            require(blocks.put(kind, lines) == null, "two blocks " + kind);
        }

        private Fixture fixture() {
            String end = property("end", "no");
            require(!properties.containsKey("end") || end.equals("yes"), "unknown end: " + end);
            List<String> reply = blocks.get("reply");
            return new Fixture(
                    section.name(),
                    FixtureLimits.read(property("limits", "")),
                    end.equals("yes"),
                    bytes(),
                    reply == null ? usualReply() : OutcomeReader.reply(reply),
                    OutcomeReader.outcome(required("outcome")));
        }

        private static Response usualReply() {
            return Response.of(200, Message.USUAL_REPLY.fields(), Message.USUAL_REPLY.content());
        }

        String property(String name, String otherwise) {
            return properties.getOrDefault(name, otherwise);
        }

        /** Of the http block. */
        Body bytes() {
            return Body.of(Escapes.decode(String.join("", required("http"))));
        }

        List<String> required(String block) {
            List<String> lines = blocks.get(block);
            if (lines == null) {
                throw new IllegalArgumentException("no block " + block);
            }
            return lines;
        }

        private static void require(boolean condition, String otherwise) {
            if (!condition) {
                throw new IllegalArgumentException(otherwise);
            }
        }
    }
}
