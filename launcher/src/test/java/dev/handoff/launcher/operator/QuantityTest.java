package dev.handoff.launcher.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0.00 ms",
        "0.417, 0.42 ms",
        "9.996, 10.0 ms",
        "99.96, 100 ms",
        "999, 999 ms",
        "1000, 1.00 s",
        "31500, 31.5 s",
        "100000, 1 min 40 s",
        "NaN, –"
    })
    void writesATimeInAUnitThatFits(double millis, String text) {
        assertEquals(text, Quantity.millis(millis));
    }

    @ParameterizedTest
    @CsvSource({
        "59.9, 59 s",
        "60, 1 min 0 s",
        "3599, 59 min 59 s",
        "3600, 1 h 0 min",
        "90000, 1 d 1 h"
    })
    void writesALongTimeInItsTwoLargestUnits(double seconds, String text) {
        assertEquals(text, Quantity.seconds(seconds));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"0;0 B", "999;999 B", "1000;0.98 KiB", "52428800;50.0 MiB", "1e15;909 TiB"})
    void writesASizeInAUnitThatFits(double bytes, String text) {
        assertEquals(text, Quantity.bytes(bytes));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"0;0", "0.04;0.0", "9.5;9.5", "10;10", "12345.6;12,346", "NaN;–"})
    void writesARateWithTheDigitsThatCount(double rate, String text) {
        assertEquals(text, Quantity.perSecond(rate));
    }

    @ParameterizedTest
    @CsvSource({"0, 0%", "0.004, 0.4%", "0.999, 100%", "1, 100%", "NaN, –"})
    void writesAShare(double part, String text) {
        assertEquals(text, Quantity.share(part));
    }
}
