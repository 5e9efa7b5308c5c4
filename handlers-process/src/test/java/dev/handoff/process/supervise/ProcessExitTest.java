package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProcessExitTest {
    @ParameterizedTest
    @CsvSource({
        "0, exit code 0",
        "1, exit code 1",
        "128, exit code 128",
        "129, signal 1",
        "137, signal 9",
        "192, signal 64",
        "193, exit code 193",
        "255, exit code 255"
    })
    void tellsSignalsFromExitCodes(int code, String words) {
        assertEquals(words, new ProcessExit(1, code, false, List.of()).describe());
    }
}
