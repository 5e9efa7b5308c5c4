package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.launcher.config.AllSettings;
import dev.handoff.launcher.config.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** docs/FROM-OTHERS.md has what the hints have, and names no option that there is not. */
    @Test
    void thePageSaysTheSame() throws IOException {
        String page =
                Files.readString(
                        Path.of(System.getProperty("handoff.root"), "docs", "FROM-OTHERS.md"));
        for (String flag : OtherServers.flags()) {
            assertTrue(Pattern.compile("`" + flag + "[ `]").matcher(page).find(), flag);
        }
        Set<String> ofSdk = Set.of("--threads", "--factory", "--interface");
        for (String line : page.lines().filter(each -> each.startsWith("| `")).toList()) {
            String here = line.split(" \\| ", -1)[1];
            Pattern.compile("--[a-z][a-z-]+")
                    .matcher(here.replaceFirst(";? `--max-requests-jitter.*", ""))
                    .results()
                    .filter(found -> !ofSdk.contains(found.group()))
                    .forEach(found -> assertTrue(OURS.contains(found.group()), line));
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
