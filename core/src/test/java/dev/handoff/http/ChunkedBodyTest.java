package dev.handoff.http;

import static dev.handoff.http.EverySplit.accepted;
import static dev.handoff.http.EverySplit.assertIncomplete;
import static dev.handoff.http.EverySplit.assertRefused;
import static dev.handoff.http.EverySplit.assertRefusedAtEnd;
import static dev.handoff.http.EverySplit.complete;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9112 section 7.1. */
class ChunkedBodyTest {
    private static final String START =
            "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n";

    private static Body decoded(String chunks) {
        return accepted(START + chunks).body();
    }

    @Test
    void joinsChunks() {
        assertEquals(Body.utf8("hello, world"), decoded("5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n"));
        assertEquals(Body.EMPTY, decoded("0\r\n\r\n"));
        assertEquals(Body.utf8("\r\n0\r\n\r\n"), decoded("7\r\n\r\n0\r\n\r\n\r\n000\r\n\r\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1a", "1A", "001a", "000000000000001a"})
    void readsSizesAsHexadecimal(String size) {
        String text = "abcdefghijklmnopqrstuvwxyz";
        assertEquals(Body.utf8(text), decoded(size + "\r\n" + text + "\r\n0\r\n\r\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "+5",
                "-5",
                "0x5",
                " 5",
                "g",
                "5g",
                "5.",
                "5,5",
                "\0",
                "\u00b2",
                "5\u00a0",
                "0000000000000000a",
                "00000000000000000",
                "FFFFFFFFFFFFFFFFF",
                ";a",
                "`",
                "@",
                "G",
                "5:",
            })
    void refusesSizeThatIsNoBoundedHexadecimalNumber(String size) {
        assertRefused(Refusal.BAD_CHUNK_SIZE, START + size + "\r\nhello\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"800001", "7FFFFFFF", "80000000", "100000005", "FFFFFFFFFFFFFFFF"})
    void refusesChunkBeyondTheLimit(String size) {
        assertRefusedAtEnd(Refusal.BODY_TOO_LARGE, START + size + "\r", ParserLimits.DEFAULT);
        assertRefusedAtEnd(Refusal.BODY_TOO_LARGE, START + size + ";", ParserLimits.DEFAULT);
    }

    @Test
    void refusesSumOfChunksBeyondTheLimitBeforeTakingIt() {
        ParserLimits limits = new ParserLimits(100, 1000, 10, 8);
        assertEquals(
                Body.utf8("hello..."),
                complete(START + "5\r\nhello\r\n3\r\n...\r\n0\r\n\r\n", limits).request().body());
        assertRefusedAtEnd(Refusal.BODY_TOO_LARGE, START + "5\r\nhello\r\n4\r", limits);
        assertRefusedAtEnd(Refusal.BODY_TOO_LARGE, START + "5\r\nhello\r\n3\r\n...\r\n1\r", limits);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ";a",
                ";a=b",
                ";a=b;c;d=e",
                ";a=\"\"",
                ";a=\"b c\t;=,\u00e4\"",
                ";a=\"\\\"\\\\\";b",
                " ;a",
                "\t ; a",
                ";a = b",
                ";a\t=\t\"b\" ; c",
                ";a ;b",
                ";!#$%&'*+-.^_`|~=1",
            })
    void dropsExtensions(String extension) {
        assertEquals(
                Body.utf8("hello"),
                decoded("5" + extension + "\r\nhello\r\n0" + extension + "\r\n\r\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ";",
                ";;",
                ";a;",
                ";=b",
                ";a=",
                ";a=;b",
                ";a=b=c",
                " ",
                "\t",
                "; ",
                ";a ",
                ";a =",
                ";a= ",
                ";a b",
                ";a=b c",
                ";a=b ",
                ";a=\"b",
                ";a=\"b\"c",
                ";a=\"b\" ",
                ";a=\"b\\\"",
                ";a=\"\r\n\"",
                ";a=\"\n\"",
                ";a=\"\\\r\n\"",
                ";a=\"\0\"",
                ";a=\"\\\0\"",
                ";a=\"\u007f\"",
                ";a\0",
                ";\u00e4",
            })
    void refusesMalformedExtension(String extension) {
        assertRefused(
                Refusal.BAD_CHUNK_EXTENSION, START + "5" + extension + "\r\nhello\r\n0\r\n\r\n");
    }

    @Test
    void boundsExtensionsOfAllChunksTogether() {
        String most = ";" + "a".repeat(ChunkExtension.MAX_BYTES - 1);
        assertEquals(Body.utf8("hello"), decoded("5" + most + "\r\nhello\r\n0\r\n\r\n"));
        assertRefusedAtEnd(
                Refusal.CHUNK_EXTENSION_TOO_LONG, START + "5" + most + "a", ParserLimits.DEFAULT);
        assertRefusedAtEnd(
                Refusal.CHUNK_EXTENSION_TOO_LONG,
                START + "5" + most + "\r\nhello\r\n0;",
                ParserLimits.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource({
        "5\\nhello\\r\\n0\\r\\n\\r\\n, BARE_LF",
        "5\\rhello\\r\\n0\\r\\n\\r\\n, BARE_CR",
        "5;a\\rhello\\r\\n0\\r\\n\\r\\n, BARE_CR",
        "5\\r\\nhello\\n0\\r\\n\\r\\n, BAD_CHUNK_END",
        "5\\r\\nhello\\r0\\r\\n\\r\\n, BAD_CHUNK_END",
        "5\\r\\nhello!\\r\\n0\\r\\n\\r\\n, BAD_CHUNK_END",
        "5\\r\\nhell\\r\\n0\\r\\n\\r\\n, BAD_CHUNK_END",
        "5\\r\\nhello0\\r\\n\\r\\n, BAD_CHUNK_END",
        "5\\r\\nhello\\r\\n\\r\\n0\\r\\n\\r\\n, BAD_CHUNK_SIZE",
        "0\\r\\n\\n, BARE_LF",
        "0\\r\\n\\rX, BARE_CR",
        "0\\n\\n, BARE_LF",
    })
    void wantsCrlfExactly(String escaped, Refusal refusal) {
        assertRefused(refusal, START + escaped.translateEscapes());
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "5\r", "5\r\n", "5\r\nhello\r\n", "0\r\n", "0\r\nA: b\r\n\r"})
    void waitsForTheRest(String chunks) {
        assertIncomplete(START);
        assertIncomplete(START + chunks);
    }

    @Test
    void dropsTrailers() {
        Request request =
                accepted(
                        START
                                + "5\r\nhello\r\n0\r\nX-Sum: 1\r\nContent-Length: 9\r\n"
                                + "Transfer-Encoding: x\r\nHost: evil\r\n\r\n");
        assertEquals(Body.utf8("hello"), request.body());
        assertEquals(
                Headers.of("host", "a.example", "transfer-encoding", "chunked"), request.headers());
    }

    @ParameterizedTest
    @CsvSource({
        "A : b, SPACE_BEFORE_COLON",
        "A, BAD_HEADER_NAME",
        ": b, BAD_HEADER_NAME",
        "A: b\\r\\n c, OBSOLETE_FOLD",
        "A: b\\0, BAD_HEADER_VALUE",
        "A: b\\nC: d, BARE_LF",
        "A: b\\rC: d, BARE_CR",
        "GET / HTTP/1.1, SPACE_BEFORE_COLON",
    })
    void judgesTrailersLikeHeaders(String escaped, Refusal refusal) {
        assertRefused(refusal, START + "0\r\n" + escaped.translateEscapes() + "\r\n\r\n");
    }

    @Test
    void boundsTrailersByCount() {
        ParserLimits limits = new ParserLimits(100, 1000, 2, 8);
        assertEquals("/", complete(START + "0\r\nA:\r\nB:\r\n\r\n", limits).request().target());
        assertRefusedAtEnd(Refusal.TRAILERS_TOO_LARGE, START + "0\r\nA:\r\nB:\r\nC", limits);
    }

    @Test
    void boundsTrailersBySize() {
        ParserLimits limits = new ParserLimits(100, START.length(), 10, 8);
        String most = "A: " + "b".repeat(START.length() - 7) + "\r\n\r\n";
        assertEquals("/", complete(START + "0\r\n" + most, limits).request().target());
        assertRefusedAtEnd(
                Refusal.TRAILERS_TOO_LARGE, START + "0\r\nA: b" + most.substring(3), limits);
    }
}
