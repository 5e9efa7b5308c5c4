package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9112 sections 4 and 6, on the server's side. */
class ResponseEncoderTest {
    private static final String DATE = "Sun, 06 Nov 1994 08:49:37 GMT";
    private static final String DATED = "Date: " + DATE + "\r\n";
    private static final Body HELLO = Body.utf8("hello");

    private static String encoded(
            Response response, boolean head, boolean close, boolean echoKeepAlive) {
        String heap = encoded(response, head, close, echoKeepAlive, false);
        assertEquals(heap, encoded(response, head, close, echoKeepAlive, true), "direct buffer");
        return heap;
    }

    private static String encoded(
            Response response, boolean head, boolean close, boolean keepAlive, boolean direct) {
        byte[] date = DATE.getBytes(StandardCharsets.US_ASCII);
        int bound = ResponseEncoder.headBoundBytes(response);
        ByteBuffer out = direct ? ByteBuffer.allocateDirect(bound + 7) : heapSlice(bound);
        int start = out.limit() - bound;
        out.position(start);
        ResponseEncoder.encodeHead(response, head, close, keepAlive, date, out);
        byte[] bytes = new byte[out.position() - start];
        out.get(start, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** A part of an array that begins at neither its index 0 nor the part's. */
    private static ByteBuffer heapSlice(int bound) {
        return ByteBuffer.allocate(bound + 16).slice(5, bound + 7);
    }

    private static String encoded(Response response) {
        return encoded(response, false, false, false);
    }

    private static String encodedForHead(Response response) {
        return encoded(response, true, false, false);
    }

    @Test
    void writesStatusFieldsDateAndLength() {
        Response response =
                Response.of(200, Headers.of("Content-Type", "text/plain", "x-a", ""), HELLO);
        assertEquals(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nx-a: \r\n"
                        + DATED
                        + "Content-Length: 5\r\n\r\n",
                encoded(response));
    }

    @Test
    void tellsWhenItCloses() {
        Response response = Response.of(200, Headers.EMPTY, HELLO);
        String start = "HTTP/1.1 200 OK\r\n" + DATED + "Content-Length: 5\r\n";
        assertEquals(start + "Connection: close\r\n\r\n", encoded(response, false, true, false));
        assertEquals(start + "Connection: close\r\n\r\n", encoded(response, false, true, true));
        assertEquals(
                start + "Connection: keep-alive\r\n\r\n", encoded(response, false, false, true));
    }

    @ParameterizedTest
    @CsvSource({
        "200, OK",
        "201, Created",
        "302, Found",
        "404, Not Found",
        "413, Content Too Large",
        "418, I'm a Teapot",
        "510, Not Extended",
        "500, Internal Server Error",
        "503, Service Unavailable",
        "299, ''",
        "599, ''",
    })
    void knowsTheUsualReasons(int status, String reason) {
        String encoded = encoded(Response.of(status, Headers.EMPTY, HELLO));
        assertEquals("HTTP/1.1 " + status + " " + reason, encoded.lines().findFirst().orElse(""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Fine", "Tr\u00e8s bien"})
    void takesTheHandlersReason(String reason) {
        String encoded = encoded(new Response(200, reason, Headers.EMPTY, HELLO));
        assertTrue(encoded.startsWith("HTTP/1.1 200 " + reason + "\r\n"), encoded);
    }

    @Test
    void writesBytesBeyondAscii() {
        String encoded = encoded(Response.of(200, Headers.of("a", "\u00e4\u00ff"), HELLO));
        assertTrue(encoded.contains("\r\na: \u00e4\u00ff\r\n"), encoded);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection",
                "keep-alive",
                "Proxy-Connection",
                "TE",
                "Trailer",
                "UPGRADE",
                "Transfer-Encoding",
                "content-length",
                "Content-Length",
            })
    void dropsFieldsThatAreTheServers(String name) {
        assertEquals(
                encoded(Response.of(200, Headers.of("a", "b"), HELLO)),
                encoded(Response.of(200, Headers.of(name, "7", "a", "b", name, "8"), HELLO)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"T", "Trailers", "Connections", "Content-Type", "Content-Lengths"})
    void keepsFieldsWithSimilarNames(String name) {
        String encoded = encoded(Response.of(200, Headers.of(name, "7"), HELLO));
        assertTrue(encoded.contains("\r\n" + name + ": 7\r\n"), encoded);
    }

    @Test
    void sendsOneDateWhereTheHandlerGivesTwo() {
        Headers twice = Headers.of("date", "first", "Date", "second");
        assertEquals(
                "HTTP/1.1 200 OK\r\ndate: first\r\nContent-Length: 5\r\n\r\n",
                encoded(Response.of(200, twice, HELLO)));
    }

    @Test
    void sendsItsOwnDateWhereTheHandlersIsEmpty() {
        assertEquals(
                "HTTP/1.1 200 OK\r\n" + DATED + "Content-Length: 5\r\n\r\n",
                encoded(Response.of(200, Headers.of("date", ""), HELLO)));
    }

    @Test
    void keepsTheProtocolsThat426Names() {
        assertEquals(
                "HTTP/1.1 426 Upgrade Required\r\nConnection: upgrade\r\nupgrade: x/1\r\n"
                        + DATED
                        + "Content-Length: 5\r\n\r\n",
                encoded(Response.of(426, Headers.of("upgrade", "x/1"), HELLO)));
    }

    @Test
    void keepsTheHandlersDate() {
        String own = "Mon, 01 Jan 2024 00:00:00 GMT";
        assertEquals(
                "HTTP/1.1 200 OK\r\ndate: " + own + "\r\na: b\r\nContent-Length: 5\r\n\r\n",
                encoded(Response.of(200, Headers.of("date", own, "a", "b"), HELLO)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9, 10, 99, 100, 12345, 100_000})
    void writesAnyLength(int length) {
        String encoded = encoded(Response.of(200, Headers.EMPTY, Body.of(new byte[length])));
        assertTrue(encoded.contains("\r\nContent-Length: " + length + "\r\n"), encoded);
    }

    @Test
    void answersHeadWithTheLengthOfGet() {
        String start = "HTTP/1.1 200 OK\r\n" + DATED + "Content-Length: ";
        assertEquals(start + "5\r\n\r\n", encodedForHead(Response.of(200, Headers.EMPTY, HELLO)));
        assertEquals(
                start + "5\r\n\r\n",
                encodedForHead(Response.of(200, Headers.of("content-length", "9"), HELLO)));
        assertEquals(
                start + "1234567890123\r\n\r\n",
                encodedForHead(
                        Response.of(
                                200, Headers.of("Content-Length", "1234567890123"), Body.EMPTY)));
    }

    @Test
    void saysNoLengthForHeadThatItDoesNotKnow() {
        String none = "HTTP/1.1 200 OK\r\n" + DATED + "\r\n";
        assertEquals(none, encodedForHead(Response.of(200, Headers.EMPTY, Body.EMPTY)));
        for (String length : new String[] {"", "-1", "5, 5", "x", "+5", "1234567890123456789"}) {
            Headers headers = Headers.of("content-length", length);
            assertEquals(none, encodedForHead(Response.of(200, headers, Body.EMPTY)));
        }
        Headers twice = Headers.of("content-length", "5", "Content-Length", "5");
        assertEquals(none, encodedForHead(Response.of(200, twice, Body.EMPTY)));
    }

    @Test
    void doesNotTakeTheHandlersLengthForGet() {
        assertEquals(
                encoded(Response.of(200, Headers.EMPTY, Body.EMPTY)),
                encoded(Response.of(200, Headers.of("content-length", "5"), Body.EMPTY)));
    }

    @Test
    void writesNoLengthWithNoContent() {
        Headers given = Headers.of("content-length", "5");
        assertEquals(
                "HTTP/1.1 204 No Content\r\n" + DATED + "\r\n",
                encoded(Response.of(204, given, HELLO)));
        assertEquals(
                "HTTP/1.1 204 No Content\r\n" + DATED + "\r\n",
                encodedForHead(Response.of(204, given, Body.EMPTY)));
    }

    @Test
    void writesNotModifiedWithTheHandlersLengthOnly() {
        String start = "HTTP/1.1 304 Not Modified\r\n" + DATED;
        assertEquals(start + "\r\n", encoded(Response.of(304, Headers.EMPTY, HELLO)));
        assertEquals(
                start + "Content-Length: 7\r\n\r\n",
                encoded(Response.of(304, Headers.of("content-length", "7"), HELLO)));
        assertEquals(
                start + "\r\n",
                encoded(Response.of(304, Headers.of("content-length", "x"), Body.EMPTY)));
    }

    @Test
    void writesResetContentWithoutContent() {
        assertEquals(
                "HTTP/1.1 205 Reset Content\r\n" + DATED + "Content-Length: 0\r\n\r\n",
                encodedForHead(Response.of(205, Headers.of("content-length", "7"), HELLO)));
    }

    @Test
    void sendsNoContentWhereNoneMayBe() {
        assertTrue(ResponseEncoder.hasContent(false, 200));
        assertTrue(ResponseEncoder.hasContent(false, 404));
        assertFalse(ResponseEncoder.hasContent(true, 200));
        assertFalse(ResponseEncoder.hasContent(false, 204));
        assertFalse(ResponseEncoder.hasContent(false, 205));
        assertFalse(ResponseEncoder.hasContent(false, 304));
    }

    @Test
    void hasRoomForTheLongestServerPart() {
        Response response = Response.of(511, Headers.EMPTY, Body.of(new byte[1_000_000]));
        int length = encoded(response, false, false, true).length();
        assertTrue(length <= ResponseEncoder.headBoundBytes(response));
        Response given =
                Response.of(200, Headers.of("content-length", "1".repeat(999)), Body.EMPTY);
        assertTrue(encodedForHead(given).length() <= ResponseEncoder.headBoundBytes(given));
    }

    @Test
    void continuesWithBytesThatNobodyCanChange() {
        ByteBuffer first = ResponseEncoder.continueResponse();
        byte[] bytes = new byte[first.remaining()];
        first.get(bytes);
        assertEquals("HTTP/1.1 100 Continue\r\n\r\n", new String(bytes, StandardCharsets.US_ASCII));
        assertEquals(bytes.length, ResponseEncoder.continueResponse().remaining());
        assertThrows(ReadOnlyBufferException.class, () -> first.put(0, (byte) 0));
    }
}
