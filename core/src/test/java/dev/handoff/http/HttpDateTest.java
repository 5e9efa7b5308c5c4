package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HttpDateTest {
    private static final DateTimeFormatter EXPECTED =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
                    .withZone(ZoneOffset.UTC);

    private static final long NOW = Instant.parse("2026-05-05T00:00:00Z").getEpochSecond();
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

    @Test
    void readsAllThreeForms() {
        for (String date :
                new String[] {
                    "Sun, 06 Nov 1994 08:49:37 GMT",
                    "Sunday, 06-Nov-94 08:49:37 GMT",
                    "Sun Nov  6 08:49:37 1994"
                }) {
            assertEquals(OptionalLong.of(784_111_777), HttpDate.parse(date, NOW), date);
        }
    }

    @Test
    void readsWhatItFormats() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long second = random.nextLong(-62_135_596_800L, END_OF_9999 + 1);
            assertEquals(OptionalLong.of(second), HttpDate.parse(format(second), NOW));
        }
    }

    @Test
    void readsNothingElse() {
        String good = "Sun, 06 Nov 1994 08:49:37 GMT";
        for (int i = 0; i < good.length(); i++) {
            assertEquals(OptionalLong.empty(), HttpDate.parse(good.substring(0, i), NOW));
            String odd = good.substring(0, i) + '?' + good.substring(i + 1);
            boolean ofName = i < 3;
            assertEquals(ofName, HttpDate.parse(odd, NOW).isPresent(), odd);
        }
        for (String odd :
                new String[] {
                    "Sun, 31 Feb 1994 08:49:37 GMT",
                    "Sun, 06 Nov 1994 24:49:37 GMT",
                    "Sun, 06 ovD 1994 08:49:37 GMT",
                    "Sun, 06 Nov 1994 08:49:37 UTC",
                    "Sun, 06 Nov 1994 08:49:37 GMT ",
                    "Sun Nov 31 08:49:37 1994",
                    ",",
                    "784111777"
                }) {
            assertEquals(OptionalLong.empty(), HttpDate.parse(odd, NOW), odd);
        }
    }

    /** RFC 9110 section 5.6.7. */
    @Test
    void takesAYearOfTwoDigitsForOneThatIsNotFarAhead() {
        assertEquals(
                HttpDate.parse("Fri, 06 Nov 2076 08:49:37 GMT", NOW),
                HttpDate.parse("Friday, 06-Nov-76 08:49:37 GMT", NOW));
        assertEquals(
                HttpDate.parse("Sun, 06 Nov 1977 08:49:37 GMT", NOW),
                HttpDate.parse("Sunday, 06-Nov-77 08:49:37 GMT", NOW));
    }
}
