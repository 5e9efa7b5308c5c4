package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenFilesTest {

    @ParameterizedTest
    @CsvSource({
        "10000, 1, 2, 9223372036854775807, 0, 10000",
        "10000, 1, 2, 1048576, 40, 10000",
        "10000, 1, 2, 1024, 40, 933",
        "10000, 16, 2, 1024, 40, 888",
        "10000, 1, 0, 1024, 40, 821",
        "900, 1, 2, 1024, 40, 900",
        "10000, 1, 64, 600, 40, 13",
        "10000, 1, 64, 256, 40, 1",
    })
    void leavesDescriptorsForWorkersAndOperators(
            int wanted, int loops, int workers, long limit, long open, int connections) {
        assertEquals(connections, OpenFiles.connections(wanted, loops, workers, limit, open));
    }
}
