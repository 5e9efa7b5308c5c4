package dev.handoff.server.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Headers;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients write into fields about parts, tags and codings. */
class FilePartsTest {
    private static final int RANDOM_FIELDS = 200_000;
    private static final int LONG = 1 << 20;

    private static String read(String field, long size) {
        ByteRanges ranges = ByteRanges.of(field, size);
        return ranges == null
                ? "whole"
                : ranges.wanted().stream()
                        .map(range -> range.from() + "+" + range.length())
                        .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            emptyValue = "",
            value = {
                "bytes=0-0 | 0+1",
                "bytes=0-9 | 0+10",
                "bytes=5- | 5+5",
                "bytes=-3 | 7+3",
                "bytes=-30 | 0+10",
                "Bytes=9-99 | 9+1",
                "bytes=0-1,4-5 | 0+2 4+2",
                "bytes= 0-1 ,, 4-5 , | 0+2 4+2",
                "bytes=4-5,0-1 | 4+2 0+2",
                "bytes=0-1,10- | 0+2",
                "bytes=10- | ''",
                "bytes=-0 | ''",
                "bytes=99999999999999999999999- | ''",
                "bytes=0-99999999999999999999999 | 0+10",
                "bytes=0000000000000000000000002-3 | 2+2",
                "bytes=2-1 | whole",
                "bytes=- | whole",
                "bytes= | whole",
                "bytes=, | whole",
                "bytes=a-b | whole",
                "bytes=1-2-3 | whole",
                "bytes=1 | whole",
                "bytes=+1-2 | whole",
                "bytes=0-1;4-5 | whole",
                "bytes 0-1 | whole",
                "lines=0-1 | whole",
                "bytes=0-5,5-9 | whole",
                "bytes=0-,0-,0- | whole",
                "bytes=-5,-5 | whole"
            })
    void readsRanges(String field, String expected) {
        assertEquals(expected, read(field, 10));
    }

    @Test
    void takesSomeRangesAndNotOneMore() {
        StringBuilder most = new StringBuilder("bytes=0-0");
        for (int i = 1; i < ByteRanges.MOST; i++) {
            most.append(',').append(2 * i).append('-').append(2 * i);
        }
        assertEquals(
                ByteRanges.MOST,
                Objects.requireNonNull(ByteRanges.of(most.toString(), 1000)).wanted().size());
        assertNull(ByteRanges.of(most + ",900-900", 1000));
    }

    @Test
    void neverAsksForMoreThanThereIs() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String alphabet = "0123456789-,- \t;ab";
        for (int i = 0; i < RANDOM_FIELDS; i++) {
            StringBuilder field = new StringBuilder("bytes=");
            for (int j = random.nextInt(24); j > 0; j--) {
                field.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            long size = random.nextInt(200);
            ByteRanges ranges = ByteRanges.of(field.toString(), size);
            boolean[] taken = new boolean[(int) size];
            for (ByteRanges.Range range :
                    ranges == null ? List.<ByteRanges.Range>of() : ranges.wanted()) {
                String why = field + " of " + size + ", seed " + seed;
                assertTrue(range.length() > 0 && range.from() >= 0 && range.end() <= size, why);
                for (long at = range.from(); at < range.end(); at++) {
                    assertTrue(!taken[(int) at], why);
                    taken[(int) at] = true;
                }
            }
        }
    }

    /** A reader whose work grew with the square would not end here. */
    @ParameterizedTest
    @ValueSource(
            strings = {"0-", ",", "-", "0-0,", "\"a\",", "W/", "\"", "gzip;q=0.1,", "1", " ", ";"})
    void readsLongFieldsInTimeThatGrowsWithThem(String piece) {
        String field = piece.repeat(LONG / piece.length());
        ByteRanges.of("bytes=" + field, 10);
        new EntityTag(false, "x").isIn(field, false);
        Coding.accepted(Headers.of("accept-encoding", field));
    }

    @Test
    void findsATagExactlyWhereItStands() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        EntityTag tag = new EntityTag(false, "a");
        String[] pieces = {"\"a\"", "\"b\"", "W/\"a\"", ",", ", ", " ", "\"", "a", "W/", "\"\""};
        for (int i = 0; i < RANDOM_FIELDS; i++) {
            StringBuilder list = new StringBuilder();
            for (int j = random.nextInt(8); j > 0; j--) {
                list.append(pieces[random.nextInt(pieces.length)]);
            }
            String text = list.toString();
            // The grammar as a regular expression: a second opinion.
            String one = "(W/)?\"[^\" ]*\"";
            boolean valid = text.matches("[ ,]*(" + one + "( *,[ ,]*" + one + ")*)?[ ,]*");
            boolean expected =
                    valid
                            && Arrays.stream(text.split(",", -1))
                                    .map(String::strip)
                                    .anyMatch("\"a\""::equals);
            if (!text.contains("\",\"") || valid) {
                assertEquals(expected, tag.isIn(text, true), () -> text + ", seed " + seed);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip | GZIP",
                "x-gzip | GZIP",
                "gzip, deflate, br, zstd | BROTLI ZSTANDARD GZIP",
                "br;q=0.5, gzip;q=0.8 | GZIP BROTLI",
                "GZIP;Q=1.000 | GZIP",
                "* | BROTLI ZSTANDARD GZIP",
                "*;q=0.5, br;q=0 | ZSTANDARD GZIP",
                "gzip;q=0 | ''",
                "gzip;q=0.001 | GZIP",
                "gzip;q=0.5, identity | ''",
                "identity;q=0.5, gzip | GZIP",
                "gzip;q=2 | ''",
                "gzip;q= | ''",
                "gzip;q=0.1234 | ''",
                "gzip;q=x | ''",
                "gzip;q=1.5 | ''",
                "deflate | ''",
                "'' | ''"
            })
    void choosesCodings(String field, String expected) {
        assertEquals(
                expected,
                Coding.accepted(Headers.of("accept-encoding", field)).stream()
                        .map(Coding::name)
                        .collect(Collectors.joining(" ")));
    }
}
