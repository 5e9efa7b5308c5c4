package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import jakarta.json.Json;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads {@code conformance/frames}, whose format is described in {@code conformance/README.md}. */
final class FrameFixtures {
    private static final Pattern TITLE = Pattern.compile("(?m)^## ");
    private static final Pattern PROPERTY = Pattern.compile("(?m)^- ([a-z ]+): (.+)$");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(hex|json)\\n(.*?)^```$");

    private static final Pattern TOKENS = Pattern.compile("\\S+");

    private FrameFixtures() {}

    /**
     * @param bytes what arrives
     * @param messages what comes out, before the reaction
     * @param reaction {@code accepted}, {@code ignored}, {@code incomplete}, or {@code refused: }
     *     and a fault
     * @param canonical whether encoding the messages gives the bytes back
     */
    record Fixture(
            String file,
            String title,
            Peer from,
            FrameLimits limits,
            String reaction,
            boolean canonical,
            Body bytes,
            List<Message> messages) {

        @Override
        public String toString() {
            return file + ": " + title;
        }
    }

    static List<Fixture> all() {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .flatMap(file -> read(file).stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder above that has it: a build may run in the module or at the top. */
    private static Path folder() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path folder = at.resolve("conformance/frames");
            if (Files.isDirectory(folder)) {
                return folder;
            }
        }
        throw new IllegalStateException("no conformance/frames here or above");
    }

    private static List<Fixture> read(Path file) {
        String name = String.valueOf(file.getFileName());
        try {
            return TITLE.splitAsStream(Files.readString(file))
                    .skip(1)
                    .map(section -> fixture(name, section))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Fixture fixture(String file, String section) {
        String title = section.lines().findFirst().orElseThrow();
        return new Fixture(
                file,
                title,
                Peer.valueOf(property(section, "from", "").toUpperCase(Locale.ROOT)),
                new FrameLimits(
                        Integer.parseInt(property(section, "json limit", "1048576")),
                        Integer.parseInt(property(section, "body limit", "33554432"))),
                property(section, "reaction", ""),
                property(section, "canonical", "no").equals("yes"),
                Body.of(bytes(block(section, "hex", ""))),
                messages(block(section, "json", "[]")));
    }

    private static String property(String section, String name, String otherwise) {
        Matcher matcher = PROPERTY.matcher(section);
        while (matcher.find()) {
            if (matcher.group(1).equals(name)) {
                return matcher.group(2);
            }
        }
        return otherwise;
    }

    private static String block(String section, String language, String otherwise) {
        Matcher matcher = BLOCK.matcher(section);
        while (matcher.find()) {
            if (matcher.group(1).equals(language)) {
                return matcher.group(2);
            }
        }
        return otherwise;
    }

    private static byte[] bytes(String hex) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Matcher tokens = TOKENS.matcher(hex.replaceAll("#.*", ""));
        while (tokens.find()) {
            String token = tokens.group();
            int star = token.indexOf('*');
            int times = star < 0 ? 1 : Integer.parseInt(token.substring(star + 1));
            byte[] unit = HexFormat.of().parseHex(star < 0 ? token : token.substring(0, star));
            for (int i = 0; i < times; i++) {
                bytes.writeBytes(unit);
            }
        }
        return bytes.toByteArray();
    }

    private static List<Message> messages(String json) {
        List<Message> messages = new ArrayList<>();
        try (JsonReader reader = Json.createReader(new StringReader(json))) {
            for (JsonValue value : reader.readArray()) {
                messages.add(ExpectedMessage.of(value.asJsonObject()));
            }
        }
        return messages;
    }
}
