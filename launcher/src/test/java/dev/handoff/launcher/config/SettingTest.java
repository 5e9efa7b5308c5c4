package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SettingTest {
    /** Whoever is told what to write instead has to get on with it. */
    @ParameterizedTest
    @MethodSource("all")
    void takesEachExampleOfItsMessages(Setting<?> setting) {
        for (String example : examples(setting.syntax())) {
            assertNotNull(
                    setting.syntax().parser().parse(example),
                    setting.flag() + ": " + setting.syntax().expected());
        }
    }

    @Test
    void someMessagesHaveExamples() {
        assertFalse(all().allMatch(setting -> examples(setting.syntax()).isEmpty()));
    }

    static Stream<Setting<?>> all() {
        return Stream.of(AllSettings.inFile(), AllSettings.ofServe(), AllSettings.ofRun())
                .flatMap(List::stream)
                .distinct();
    }

    /** Those of "a size such as 65536, 512KiB or 8MiB, from 1 to 1GiB". */
    private static List<String> examples(Syntax<?> syntax) {
        String[] parts = syntax.expected().split(" such as ", 2);
        if (parts.length == 1) {
            return List.of();
        }
        String list = parts[1].replaceFirst(", (from|at least) .*", "");
        return List.of(list.split(", | or "));
    }
}
