package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is published about the configuration agrees with what is read. */
class ConfigurationDocumentsTest {
    private static final Path ROOT = Path.of(System.getProperty("handoff.root"));
    private static final Path EXAMPLES = ROOT.resolve("launcher/src/test/configurations");
    private static final Map<String, String> ENVIRONMENT = Map.of("PATH", "/usr/bin:/bin");

    /** To renew the file: copy what the failing test expected from the folder it names. */
    @Test
    void theSchemaHasEveryKeyAndType() throws IOException {
        String expected = ConfigurationSchema.text();
        Path place = Path.of("target", "handoff.schema.json");
        Files.createDirectories(Objects.requireNonNull(place.getParent()));
        Files.writeString(place, expected);
        assertEquals(
                expected,
                Files.readString(ROOT.resolve("docs/handoff.schema.json")),
                "docs/handoff.schema.json is not " + place.toAbsolutePath());
    }

    @Test
    void theTableOfSettingsHasEverySetting() throws IOException {
        List<String> rows =
                Files.readAllLines(ROOT.resolve("docs/CONFIGURATION.md")).stream()
                        .filter(line -> line.startsWith("| `--"))
                        .toList();
        assertEquals(
                AllSettings.inFile().stream()
                        .map(ConfigurationDocumentsTest::row)
                        .reduce((all, row) -> all + "\n" + row)
                        .orElseThrow(),
                String.join("\n", rows));
    }

    /** The schema is held to the same files by conformance/tests/test_configuration_schema.py. */
    @ParameterizedTest
    @MethodSource
    void takesTheValidExamples(Path file) {
        assertDoesNotThrow(() -> read(file));
    }

    static Stream<Path> takesTheValidExamples() throws IOException {
        return examples("valid");
    }

    @ParameterizedTest
    @MethodSource
    void refusesTheInvalidExamples(Path file) {
        assertThrows(ConfigurationException.class, () -> read(file));
    }

    static Stream<Path> refusesTheInvalidExamples() throws IOException {
        return examples("invalid");
    }

    private static Stream<Path> examples(String folder) throws IOException {
        try (Stream<Path> files = Files.list(EXAMPLES.resolve(folder))) {
            List<Path> all = files.sorted().toList();
            assertTrue(all.size() > 2, all.toString());
            return all.stream();
        }
    }

    private static Configuration read(Path file) throws Exception {
        return ConfigurationFile.read(file, new Options(Map.of(), Map.of()), ENVIRONMENT);
    }

    private static String row(Setting<?> setting) {
        return "| `%s` | `%s` | `%s` | %s | %s |"
                .formatted(
                        (setting.flag() + " " + setting.syntax().label()).strip(),
                        setting.variable(),
                        setting.key(),
                        setting.presetText() == null ? "" : setting.presetText(),
                        setting.description());
    }
}
