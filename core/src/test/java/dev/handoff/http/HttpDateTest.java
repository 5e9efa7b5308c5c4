package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HttpDateTest {
    private static final DateTimeFormatter EXPECTED =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
                    .withZone(ZoneOffset.UTC);

    private static final long END_OF_9999 = 253_402_300_799L;

    private static String format(long epochSeconds) {
        return new String(HttpDate.format(epochSeconds), StandardCharsets.US_ASCII);
    }

    @Test
    void formatsTheExampleOfTheRfc() {
        assertEquals("Sun, 06 Nov 1994 08:49:37 GMT", format(784_111_777));
    }

    @Test
    void formatsEveryDayOfACenturyLikeJavaTime() {
        for (long second = 0; second < 3_155_760_000L; second += 86_400 - 7) {
            assertEquals(EXPECTED.format(Instant.ofEpochSecond(second)), format(second));
        }
    }

    @Test
    void formatsRandomSecondsLikeJavaTime() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            long second = random.nextLong(-62_135_596_800L, END_OF_9999 + 1);
            assertEquals(
                    EXPECTED.format(Instant.ofEpochSecond(second)),
                    format(second),
                    () -> "seed " + seed);
        }
    }
}
