package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
    private static final Syntax<Long> SIZE = Units.size(1, 1L << 40);
    private static final Syntax<Duration> TIME = Units.time(Duration.ofMillis(1));

    @ParameterizedTest
    @CsvSource({"1, 1", "65536, 65536", "512KiB, 524288", "8MiB, 8388608", "2GiB, 2147483648"})
    void readsSizes(String text, long bytes) {
        assertEquals(bytes, SIZE.parser().parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "MiB",
                "8MB",
                "8 MiB",
                "8mib",
                "-1",
                "+1",
                "1.5MiB",
                "0",
                "0KiB",
                "1025GiB",
                "99999999999999999999",
                "9999999999999999GiB",
                "8MiBx",
                "٣"
            })
    void refusesWhatIsNoSizeOrOutOfRange(String text) {
        assertNull(SIZE.parser().parse(text));
    }

    @ParameterizedTest
    @CsvSource({"1ms, 1", "500ms, 500", "30s, 30000", "2m, 120000", "1h, 3600000"})
    void readsTimes(String text, long millis) {
        assertEquals(Duration.ofMillis(millis), TIME.parser().parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "30", "30 s", "30sec", "-1s", "0s", "1.5s", "9000h", "1d"})
    void refusesWhatIsNoTimeOrOutOfRange(String text) {
        assertNull(TIME.parser().parse(text));
    }

    @Test
    void acceptsNoTimeAtAllWhereThatIsAllowed() {
        assertEquals(Duration.ZERO, Units.time(Duration.ZERO).parser().parse("0s"));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "1023, 1023", "1024, 1KiB", "8388608, 8MiB", "8388609, 8388609"})
    void writesSizesInTheLargestUnitWithoutFraction(long bytes, String text) {
        assertEquals(text, Units.formatSize(bytes));
    }

    @ParameterizedTest
    @CsvSource({"0, 0s", "1, 1ms", "1500, 1500ms", "30000, 30s", "60000, 1m", "7200000, 2h"})
    void writesTimesInTheLargestUnitWithoutFraction(long millis, String text) {
        assertEquals(text, Units.formatTime(Duration.ofMillis(millis)));
    }
}
