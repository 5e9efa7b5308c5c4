package dev.handoff.http;

import static dev.handoff.http.EverySplit.accepted;
import static dev.handoff.http.EverySplit.assertIncomplete;
import static dev.handoff.http.EverySplit.assertRefused;
import static dev.handoff.http.EverySplit.outcomes;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9112 section 6. */
class BodyFramingTest {
    private static final String START = "POST / HTTP/1.1\r\nHost: a.example\r\n";
    private static final String OLD_START = "POST / HTTP/1.0\r\n";

    @Test
    void hasNoBodyWithoutFramingFields() {
        assertEquals(Body.EMPTY, accepted(START + "\r\n").body());
        assertEquals(2, outcomes(START + "\r\n" + START + "\r\n").size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "05", "000000000000000000000000000000005"})
    void readsContentLength(String length) {
        assertEquals(
                Body.utf8("hello"),
                accepted(START + "Content-Length: " + length + "\r\n\r\nhello").body());
    }

    @Test
    void readsContentLengthInOneZero() {
        assertEquals(
                Body.utf8("hello"), accepted(OLD_START + "content-length:5\r\n\r\nhello").body());
    }

    @Test
    void completesAtOnceWithContentLengthZero() {
        assertEquals(Body.EMPTY, accepted(START + "Content-Length: 0\r\n\r\n").body());
    }

    @Test
    void waitsForAllOfTheContent() {
        assertIncomplete(START + "Content-Length: 5\r\n\r\n");
        assertIncomplete(START + "Content-Length: 5\r\n\r\nhell");
    }

    @Test
    void takesAnyByteAsContent() {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 256; c++) {
            all.append(c);
        }
        Body body = accepted(START + "Content-Length: 256\r\n\r\n" + all).body();
        for (int i = 0; i < 256; i++) {
            assertEquals((byte) i, body.toArray()[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "+5",
                "-5",
                "-0",
                "5,5",
                "5, 5",
                "5 5",
                "0x5",
                "5.0",
                "5;",
                "five",
                "5\u00a0",
                "\u00b2",
                "18446744073709551616",
                "99999999999999999999999999999999999999",
            })
    void refusesContentLengthThatIsNotOneNumber(String value) {
        assertRefused(
                Refusal.BAD_CONTENT_LENGTH, START + "Content-Length: " + value + "\r\n\r\nhello");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8388609",
                "2147483648",
                "4294967301",
                "9223372036854775807",
                "9223372036854775808",
                "18446744073709551615",
                "0000000000000000000000008388609",
            })
    void refusesContentLengthBeyondTheLimit(String value) {
        assertRefused(Refusal.BODY_TOO_LARGE, START + "Content-Length: " + value + "\r\n\r\nhello");
    }

    @Test
    void refusesSecondContentLengthEvenWhenEqual() {
        String twice = "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello";
        assertRefused(Refusal.DUPLICATE_CONTENT_LENGTH, START + twice);
        assertRefused(Refusal.DUPLICATE_CONTENT_LENGTH, OLD_START + twice);
        assertRefused(
                Refusal.DUPLICATE_CONTENT_LENGTH,
                START + "Content-Length: 5\r\nA: b\r\ncontent-length: 6\r\n\r\nhello!");
    }

    @Test
    void refusesContentLengthWithTransferEncoding() {
        String chunks = "0\r\n\r\n";
        assertRefused(
                Refusal.LENGTH_WITH_TRANSFER_ENCODING,
                START + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks);
        assertRefused(
                Refusal.LENGTH_WITH_TRANSFER_ENCODING,
                START + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunks);
        assertRefused(
                Refusal.LENGTH_WITH_TRANSFER_ENCODING,
                START + "Transfer-Encoding: x\r\nContent-Length: x\r\n\r\n" + chunks);
    }

    @Test
    void refusesTransferEncodingInOneZero() {
        assertRefused(
                Refusal.TRANSFER_ENCODING_IN_1_0,
                OLD_START + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"chunked", "Chunked", "CHUNKED", " \tchunked \t"})
    void readsChunkedInAnyCase(String value) {
        assertEquals(
                Body.utf8("hello"),
                accepted(START + "Transfer-Encoding:" + value + "\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
                        .body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "identity",
                "gzip",
                "xchunked",
                "chunkedx",
                "chunked, identity",
                "chunked, gzip",
                "chunked, chunked",
                "chunked,",
                ",chunked",
                "chunked;q=1",
                "\"chunked\"",
                "chunk ed",
                "chunked chunked",
                "chunked\u00a0",
                "chunked\r\nTransfer-Encoding: chunked",
                "chunked\r\nTransfer-Encoding: identity",
                "chunked\r\nTransfer-Encoding:",
            })
    void refusesTransferEncodingThatDoesNotEndInOneChunked(String value) {
        assertRefused(
                Refusal.CHUNKED_NOT_LAST,
                START + "Transfer-Encoding: " + value + "\r\n\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gzip, chunked",
                "identity,chunked",
                "gzip, deflate , chunked",
                "identity\r\nTransfer-Encoding: chunked",
            })
    void refusesUnknownCodingBeforeChunked(String value) {
        assertRefused(
                Refusal.UNKNOWN_TRANSFER_CODING,
                START + "Transfer-Encoding: " + value + "\r\n\r\n0\r\n\r\n");
    }

    @Test
    void refusesControlsInTransferEncoding() {
        assertRefused(
                Refusal.BAD_HEADER_VALUE,
                START + "Transfer-Encoding: chunked\u000b\r\n\r\n0\r\n\r\n");
    }

    @Test
    void judgesHostThenFramingThenExpectation() {
        String wrong = "Transfer-Encoding: x\r\nExpect: y\r\n\r\n";
        assertRefused(Refusal.MISSING_HOST, "POST / HTTP/1.1\r\n" + wrong);
        assertRefused(Refusal.CHUNKED_NOT_LAST, START + wrong);
    }
}
