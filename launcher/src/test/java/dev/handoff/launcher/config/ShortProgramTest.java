package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("processes")
final class ShortProgramTest {
    @Test
    void saysWhatItPrints() throws IOException {
        assertEquals("a b", ShortProgram.output(List.of("sh", "-c", "echo ' a b'; exit 3")));
        assertEquals("", ShortProgram.output(List.of("cat")));
    }

    @Test
    void doesNotWaitForWhatIsStopped() {
        assertEquals(
                "it has not ended within 1 s: does another process of its user stop it?",
                failure("echo a; kill -STOP $$; echo b"));
    }

    @Test
    void whatWasKilledHasSaidNothing() {
        assertEquals("signal 9 ended it", failure("echo a; kill -KILL $$"));
    }

    private static String failure(String script) {
        List<String> command = List.of("sh", "-c", script);
        return String.valueOf(
                assertThrows(
                                IOException.class,
                                () -> ShortProgram.output(command, Duration.ofSeconds(1)))
                        .getMessage());
    }
}
