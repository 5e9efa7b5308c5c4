package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.launcher.config.AllSettings;
import dev.handoff.launcher.config.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Help.Ansi;

/** What the help and the pages say of options and variables is what there is. */
class HelpTextTest {
    private static final Path ROOT = Path.of(System.getProperty("handoff.root"));
    private static final Pattern OPTION = Pattern.compile("`(--[a-z]+(?:-[a-z]+)*)(?![a-z-])");
    private static final Pattern VARIABLE = Pattern.compile("HANDOFF_[A-Z]+(?:_[A-Z]+)*");

    /** Options of other programs that the pages name, and of the examples in this repository. */
    private static final Set<String> OF_OTHERS =
            Set.of(
                    "--dry-run",
                    "--inspect",
                    "--locked",
                    "--release",
                    "--threads",
                    "--scale",
                    "--require-hashes",
                    "--max-gathered",
                    "--provenance",
                    "--atomic");

    /** Is about the options of other servers: {@link OtherServersTest} holds it to ours. */
    private static final String ABOUT_OTHERS = "FROM-OTHERS.md";

    /** Variables that are no settings: the core's to its workers, the script's and the tests'. */
    private static final Set<String> OTHER_VARIABLES =
            Set.of(
                    "HANDOFF_AUDIT",
                    "HANDOFF_DOCKER",
                    "HANDOFF_HOME",
                    "HANDOFF_JAVA",
                    "HANDOFF_JAVA_OPTS",
                    "HANDOFF_LANGUAGES",
                    "HANDOFF_POOL",
                    "HANDOFF_PYTHON",
                    "HANDOFF_READY_FILE",
                    "HANDOFF_TOKEN",
                    "HANDOFF_WORKER");

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hasEachOptionOnceWithItsDescriptionAndPreset(boolean run) {
        String text = run ? HelpText.run(Ansi.OFF) : HelpText.serve(Ansi.OFF);
        for (Setting<?> setting :
                Stream.of(run ? AllSettings.ofRun() : AllSettings.ofServe(), AllSettings.limits())
                        .flatMap(List::stream)
                        .toList()) {
            List<String> lines =
                    text.lines()
                            .filter(line -> line.matches("  " + setting.flag() + "( .*|$)"))
                            .toList();
            assertEquals(1, lines.size(), setting.flag());
            String preset = setting.presetText() == null ? "" : " [" + setting.presetText() + "]";
            assertTrue(
                    lines.getFirst().endsWith(" " + setting.description() + preset),
                    lines.getFirst());
        }
    }

    @Test
    void thePagesNameOnlyOptionsThatExist() throws IOException {
        Set<String> known = new TreeSet<>(OF_OTHERS);
        known.addAll(List.of("--help", "--version"));
        settings().forEach(setting -> known.add(setting.flag()));
        OperatorCommands.OWN.forEach(setting -> known.add(setting.flag()));
        CheckCommand.SETTINGS.forEach(setting -> known.add(setting.flag()));
        assertEquals(Set.of(), unknown(OPTION, 1, known));
    }

    @Test
    void thePagesNameOnlyVariablesThatExist() throws IOException {
        Set<String> known = new TreeSet<>(OTHER_VARIABLES);
        settings().forEach(setting -> known.add(setting.variable()));
        assertEquals(Set.of(), unknown(VARIABLE, 0, known));
    }

    private static List<Setting<?>> settings() {
        return Stream.of(AllSettings.ofRun(), AllSettings.ofServe(), AllSettings.limits())
                .flatMap(List::stream)
                .distinct()
                .toList();
    }

    private static Set<String> unknown(Pattern pattern, int group, Set<String> known)
            throws IOException {
        Set<String> unknown = new TreeSet<>();
        for (Path page : pages()) {
            Matcher name = pattern.matcher(Files.readString(page));
            while (name.find()) {
                if (!known.contains(name.group(group))) {
                    unknown.add(name.group(group) + " in " + page.getFileName());
                }
            }
        }
        return unknown;
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
            List<Path> pages =
                    files.filter(file -> file.toString().endsWith(".md"))
                            .filter(file -> !file.endsWith(ABOUT_OTHERS))
                            .toList();
            assertTrue(pages.size() > 5, pages.toString());
            return Stream.concat(pages.stream(), Stream.of(ROOT.resolve("README.md"))).toList();
        }
    }
}
