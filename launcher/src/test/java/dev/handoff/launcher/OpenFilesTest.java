package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenFilesTest {

    @ParameterizedTest
    @CsvSource({
        "10000, 1, 2, 0, 0, 9223372036854775807, 0, 10000",
        "10000, 1, 2, 0, 0, 1048576, 40, 10000",
        "10000, 1, 2, 0, 0, 1024, 40, 933",
        "10000, 16, 2, 0, 0, 1024, 40, 888",
        "10000, 1, 2, 4, 0, 1024, 40, 901",
        "10000, 1, 2, 64, 0, 1024, 40, 421",
        "10000, 1, 16, 0, 0, 1024, 40, 821",
        "900, 1, 2, 0, 0, 1024, 40, 900",
        "10000, 1, 64, 0, 0, 600, 40, 13",
        "10000, 1, 64, 0, 0, 256, 40, 1",
        "10000, 1, 2, 0, 2000, 1048576, 40, 10000",
        "10000, 1, 2, 0, 2000, 16384, 140, 10000",
        "10000, 1, 2, 0, 2000, 4096, 140, 1952",
        "10000, 1, 2, 0, 20000, 20000, 140, 9904",
    })
    void leavesDescriptorsForWorkersOperatorsAndFiles(
            int wanted,
            int loops,
            int workers,
            int fileThreads,
            long lasting,
            long limit,
            long open,
            int connections) {
        assertEquals(
                connections,
                OpenFiles.connections(wanted, loops, workers, fileThreads, lasting, limit, open));
    }
}
