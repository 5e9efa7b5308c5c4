package dev.handoff.http;

import static dev.handoff.http.ReadResponses.CLOSED;
import static dev.handoff.http.ReadResponses.KEPT;
import static dev.handoff.http.ReadResponses.REFUSED;
import static dev.handoff.http.ReadResponses.UNTIL_END;
import static dev.handoff.http.ReadResponses.WAITS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.ReadResponses.Asked;
import dev.handoff.testing.Splits;
import dev.handoff.testing.Splits.Split;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the fixtures in {@code conformance/http-responses} cannot say: limits, content that no file
 * holds, and how the parser is used.
 */
class ResponseParserTest {
    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String EMPTY = OK + "Content-Length: 0\r\n\r\n";
    private static final int HEAD_BYTES = 64 * 1024;
    private static final String TOO_LARGE =
            REFUSED + "the head of its response is larger than 65536 bytes";

    private long counted;

    /** What comes of the bytes, however they are cut. */
    private static String ending(String bytes, Asked... asked) {
        byte[] input = bytes.getBytes(StandardCharsets.ISO_8859_1);
        String whole = ReadResponses.of(bytes, asked).ending();
        for (Split split : Splits.of(input.length, 200)) {
            String cut = ReadResponses.of(input, List.of(asked), split).ending();
            assertEquals(whole, cut, split::how);
        }
        return whole;
    }

    private static String head(String statusLine, int bytes) {
        String before = statusLine + "A: ";
        return before + "a".repeat(bytes - before.length() - 4) + "\r\n\r\n";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"SSH-2.0-a\n", "220 mail\n", "ICY 200 OK\n", "HTTQ\n", "http/1.1 200\n"})
    void saysOfAnotherProtocolThatItIsOneBeforeItLooksAtLineEnds(String bytes) {
        assertEquals(REFUSED + "it does not speak HTTP/1.0 or 1.1", ending(bytes, Asked.GET));
    }

    @Test
    void refusesHeadPastItsLimit() {
        String none = "HTTP/1.1 204 None\r\n";
        assertEquals(KEPT, ending(head(none, HEAD_BYTES), Asked.GET));
        assertEquals(TOO_LARGE, ending(head(none, HEAD_BYTES + 1), Asked.GET));
        assertEquals(TOO_LARGE, ending(none + "A".repeat(HEAD_BYTES), Asked.GET));
        assertEquals(TOO_LARGE, ending("HTTP/1.1 200 " + "a".repeat(HEAD_BYTES), Asked.GET));
    }

    @Test
    void limitsEachInterimHeadAlone() {
        String early = "HTTP/1.1 103 Early\r\n";
        String none = "HTTP/1.1 204 None\r\n";
        assertEquals(KEPT, ending(head(early, HEAD_BYTES) + head(none, HEAD_BYTES), Asked.GET));
        assertEquals(
                KEPT, ending(head(early, HEAD_BYTES - 1) + head(none, HEAD_BYTES - 1), Asked.GET));
        assertEquals(TOO_LARGE, ending(head(early, HEAD_BYTES + 1) + EMPTY, Asked.GET));
        assertEquals(
                TOO_LARGE, ending(head(early, HEAD_BYTES) + head(none, HEAD_BYTES + 1), Asked.GET));
    }

    @Test
    void refusesFieldsPastTheirLimit() {
        String most = EMPTY.replace("\r\n\r\n", "\r\n") + "a: b\r\n".repeat(499);
        assertEquals(KEPT, ending(most + "\r\n", Asked.GET));
        assertEquals(
                REFUSED + "its header fields are malformed (too_many_fields)",
                ending(most + "a: b\r\n\r\n", Asked.GET));
    }

    @Test
    void refusesTrailersPastTheirLimits() {
        String chunks = OK + "Transfer-Encoding: chunked\r\n\r\n0\r\n";
        String refused = REFUSED + "its chunks are malformed (trailers_too_large)";
        assertEquals(KEPT, ending(chunks + "a: b\r\n".repeat(500) + "\r\n", Asked.GET));
        assertEquals(refused, ending(chunks + "a: b\r\n".repeat(501) + "\r\n", Asked.GET));
        assertEquals(KEPT, ending(chunks + head("", HEAD_BYTES), Asked.GET));
        assertEquals(refused, ending(chunks + head("", HEAD_BYTES + 1), Asked.GET));
    }

    @Test
    void refusesInterimResponsesPastTheirLimit() {
        String most = "HTTP/1.1 100 Continue\r\n\r\n".repeat(ResponseParser.MOST_INTERIM);
        assertEquals(16, ResponseParser.MOST_INTERIM);
        assertEquals(KEPT, ending(most + EMPTY, Asked.GET));
        assertEquals(KEPT, ending(most + EMPTY + most + EMPTY, Asked.GET, Asked.GET));
        assertEquals(
                REFUSED + "it sent more than 16 interim responses",
                ending(most + "HTTP/1.1 103 Early Hints\r\n\r\n" + EMPTY, Asked.GET));
    }

    @ParameterizedTest
    @ValueSource(longs = {Integer.MAX_VALUE, 1L << 31, (1L << 32) + 5, 3_000_000_000L})
    void countsContentLongerThanAnInt(long length) {
        ResponseParser parser = counting(OK + "Content-Length: " + length + "\r\n\r\n");
        feed(parser, length - 1);
        assertEquals(length - 1, counted);
        assertTrue(parser.isReading());
        assertEnds(true, parser, "xHTTP", 1);
        assertEquals(length, counted);
    }

    @Test
    void takesContentWithoutEndUntilTheServerCloses() {
        ResponseParser parser = counting(OK + "\r\n");
        feed(parser, 3_000_000_000L);
        assertEquals(3_000_000_000L, counted);
        assertEquals(new ResponsePart.End(false), parser.inputEnded());
    }

    @Test
    void takesChunksThatAreLongerThanAnIntTogether() {
        ResponseParser parser = counting(OK + "Transfer-Encoding: chunked\r\n\r\n");
        for (int chunk = 0; chunk < 2; chunk++) {
            assertEquals(ResponsePart.Incomplete.INCOMPLETE, parse(parser, "7FFFFFFF\r\n"));
            feed(parser, Integer.MAX_VALUE);
            assertEquals(ResponsePart.Incomplete.INCOMPLETE, parse(parser, "\r\n"));
        }
        assertEnds(true, parser, "0\r\n\r\n", 5);
        assertEquals(2L * Integer.MAX_VALUE, counted);
    }

    @Test
    void tellsOfSmallChunks() {
        ResponseParser parser = counting(OK + "Transfer-Encoding: chunked\r\n\r\n");
        parse(parser, "1\r\nx\r\n".repeat(1000));
        assertTrue(parser.hasSmallChunks());
        parse(parser, "1000\r\n" + "x".repeat(4096) + "\r\n");
        assertFalse(parser.hasSmallChunks());
        assertEnds(true, parser, "0\r\n\r\n", 5);
        assertFalse(parser.hasSmallChunks());
    }

    @ParameterizedTest
    @ValueSource(strings = {"80000000", "100000005", "FFFFFFFFFFFFFFFF"})
    void refusesChunkLongerThanAnInt(String size) {
        assertEquals(
                REFUSED + "its chunks are malformed (body_too_large)",
                ending(OK + "Transfer-Encoding: chunked\r\n\r\n" + size + "\r\n", Asked.GET));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"})
    void tellsHowLongTheContentWillBe(String fields) {
        long expected = fields.startsWith("Content-Length") ? 5 : -1;
        ReadResponses reading = ReadResponses.of(OK + fields + "\r\n", Asked.GET);
        assertEquals(expected, reading.found().getFirst().contentBytes());
        ReadResponses toHead = ReadResponses.of(OK + fields + "\r\n", Asked.HEAD);
        assertEquals(0, toHead.found().getFirst().contentBytes());
    }

    @Test
    void leavesWhatFollowsAResponse() {
        ResponseParser parser = counting(EMPTY.substring(0, EMPTY.length() - 2));
        String behind = "\r\nHTTP/1.1 500 Unasked\r\n";
        byte[] bytes = behind.getBytes(StandardCharsets.ISO_8859_1);
        assertInstanceOf(ResponsePart.Head.class, parser.parse(bytes, 0, bytes.length));
        assertEquals(2, parser.consumedTo());
        assertEquals(new ResponsePart.End(true), parser.parse(bytes, 2, bytes.length));
        assertEquals(2, parser.consumedTo());
        assertEquals(
                new ResponsePart.Refused("it sent what nobody asked for"),
                parser.parse(bytes, 2, bytes.length));
    }

    @Test
    void staysRefused() {
        ResponseParser parser = new ResponseParser(this::count);
        parser.expect(false, false);
        ResponsePart refused = parse(parser, "SSH-2.0-a\r\n");
        assertInstanceOf(ResponsePart.Refused.class, refused);
        assertEquals(refused, parse(parser, EMPTY));
        assertEquals(refused, parser.inputEnded());
        assertFalse(parser.isReading());
        assertThrows(IllegalStateException.class, () -> parser.expect(false, false));
    }

    @Test
    void expectsOneResponseAtATime() {
        ResponseParser parser = new ResponseParser(this::count);
        parser.expect(false, false);
        assertThrows(IllegalStateException.class, () -> parser.expect(false, false));
        assertInstanceOf(ResponsePart.Head.class, parse(parser, EMPTY));
        assertThrows(IllegalStateException.class, () -> parser.expect(false, false));
        assertEnds(true, parser, "", 0);
        parser.expect(false, false);
        assertTrue(parser.isReading());
    }

    @Test
    void knowsWhetherAResponseHasBegun() {
        ResponseParser parser = new ResponseParser(this::count);
        parser.expect(false, false);
        assertFalse(parser.hasBegun());
        parse(parser, "");
        assertFalse(parser.hasBegun());
        parse(parser, "H");
        assertTrue(parser.hasBegun());
        parse(parser, "TTP/1.1 100\r\n\r\n");
        assertTrue(parser.hasBegun());
        parse(parser, EMPTY);
        assertEnds(true, parser, "", 0);
        parser.expect(false, false);
        assertFalse(parser.hasBegun());
    }

    @Test
    void hasNotBegunWhereTheServerClosedWithoutAByte() {
        ResponseParser parser = new ResponseParser(this::count);
        parser.expect(false, false);
        parse(parser, EMPTY);
        assertEnds(true, parser, "", 0);
        parser.expect(false, false);
        assertInstanceOf(ResponsePart.Refused.class, parser.inputEnded());
        assertFalse(parser.hasBegun());
    }

    @ParameterizedTest
    @ValueSource(strings = {"H", "S", "HTTP/1.1 100\r\n\r\n", "HTTP/1.1 200\r\nA"})
    void hasBegunWhereTheServerClosedBehindAByte(String bytes) {
        ResponseParser parser = counting(bytes);
        assertInstanceOf(ResponsePart.Refused.class, parser.inputEnded());
        assertTrue(parser.hasBegun());
    }

    @Test
    void endsWithTheInputOnlyWhereNothingElseSaysTheEnd() {
        assertEquals(WAITS, ending("", Asked.GET));
        assertEquals(WAITS, ending("HTTP/1.1 100\r\n\r\n", Asked.GET));
        assertEquals(WAITS, ending(OK, Asked.GET));
        assertEquals(WAITS, ending(OK + "Content-Length: 1\r\n\r\n", Asked.GET));
        assertEquals(WAITS, ending(OK + "Transfer-Encoding: chunked\r\n\r\n0\r\n", Asked.GET));
        assertEquals(UNTIL_END, ending(OK + "\r\n", Asked.GET));
        assertEquals(CLOSED, ending(OK + "Connection: close\r\n\r\n", Asked.HEAD));
    }

    @Test
    void anEndThatWasNotTakenYetIsNotKept() {
        ResponseParser parser = new ResponseParser(this::count);
        parser.expect(false, false);
        assertInstanceOf(ResponsePart.Head.class, parse(parser, EMPTY));
        assertEquals(new ResponsePart.End(false), parser.inputEnded());
    }

    private void count(byte[] bytes, int from, int to) {
        counted += to - from;
    }

    /** A parser that has read a head, and counts the content. */
    private ResponseParser counting(String head) {
        ResponseParser parser = new ResponseParser(this::count);
        parser.expect(false, false);
        parse(parser, head);
        return parser;
    }

    private static ResponsePart parse(ResponseParser parser, String bytes) {
        byte[] input = bytes.getBytes(StandardCharsets.ISO_8859_1);
        return parser.parse(input, 0, input.length);
    }

    private static void feed(ResponseParser parser, long length) {
        byte[] piece = new byte[1 << 20];
        for (long left = length; left > 0; left -= piece.length) {
            int to = (int) Math.min(left, piece.length);
            assertEquals(ResponsePart.Incomplete.INCOMPLETE, parser.parse(piece, 0, to));
        }
    }

    private static void assertEnds(
            boolean persistent, ResponseParser parser, String bytes, int taken) {
        assertEquals(new ResponsePart.End(persistent), parse(parser, bytes));
        assertEquals(taken, parser.consumedTo());
    }
}
