package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.launcher.config.AllSettings;
import dev.handoff.launcher.config.Setting;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class OtherServersTest {
    private static final Set<String> OURS =
            Stream.concat(AllSettings.ofRun().stream(), AllSettings.limits().stream())
                    .map(Setting::flag)
                    .collect(Collectors.toSet());

    private static final List<String> THEIRS =
            List.of("-w", "-b", "--bind", "--reload", "--threads", "--timeout", "--factory", "-k");

    @Test
    void hintsAtOptionsThatThereAre() {
        for (String flag : THEIRS) {
            String hint = String.valueOf(OtherServers.hint(flag));
            assertFalse(OURS.contains(flag), flag);
            if (hint.startsWith("use ")) {
                Pattern.compile("--[a-z-]+")
                        .matcher(hint)
                        .results()
                        .forEach(found -> assertTrue(OURS.contains(found.group()), hint));
            }
        }
    }

    @Test
    void seesTheFlagBeforeItsValue() {
        assertEquals(OtherServers.hint("--bind"), OtherServers.hint("--bind=0.0.0.0:80"));
        assertEquals(OtherServers.hint("-w"), OtherServers.hint("-w4"));
    }

    @Test
    void knowsNothingOfWhatIsOurs() {
        OURS.forEach(flag -> assertNull(OtherServers.hint(flag), flag));
        assertNull(OtherServers.hint("-"));
        assertNull(OtherServers.hint("x"));
    }
}
