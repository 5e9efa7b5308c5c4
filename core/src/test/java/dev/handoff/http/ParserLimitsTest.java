package dev.handoff.http;

import static dev.handoff.http.EverySplit.assertRefusedAtEnd;
import static dev.handoff.http.EverySplit.complete;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Each limit at the limit and one past it. */
class ParserLimitsTest {
    private static final String HOST = "Host: a\r\n\r\n";

    @Test
    void defaultsAreThoseInTheManual() {
        assertEquals(new ParserLimits(8_192, 32_768, 100, 8_388_608), ParserLimits.DEFAULT);
    }

    @Test
    void boundsTheTarget() {
        ParserLimits limits = new ParserLimits(8, 1000, 10, 10);
        assertEquals(
                "/2345678",
                complete("GET /2345678 HTTP/1.1\r\n" + HOST, limits).request().target());
        assertRefusedAtEnd(Refusal.TARGET_TOO_LONG, "GET /23456789", limits);
    }

    @Test
    void boundsTheHeadWithItsLineEnds() {
        String head = "GET / HTTP/1.1\r\n" + HOST;
        ParserLimits limits = new ParserLimits(100, head.length(), 10, 10);
        assertEquals("/", complete(head, limits).request().target());
        assertEquals("/", complete("\r\n" + head, limits).request().target());
        String longer = "GET /2 HTTP/1.1\r\n" + HOST;
        assertRefusedAtEnd(Refusal.HEAD_TOO_LARGE, longer, limits);
        assertRefusedAtEnd(Refusal.METHOD_TOO_LONG, "G".repeat(head.length() + 1), limits);
        assertRefusedAtEnd(
                Refusal.HEAD_TOO_LARGE,
                "GET / HTTP/1.1\r\nA:" + " ".repeat(head.length() - 17),
                limits);
    }

    @Test
    void boundsEveryHeadOfAConnectionByItself() {
        String head = "GET / HTTP/1.1\r\n" + HOST;
        ParserLimits limits = new ParserLimits(100, head.length(), 1, 10);
        assertEquals(3, EverySplit.outcomes(head + head + "\r\n" + head, limits).size());
    }

    @Test
    void boundsTheDefaultHead() {
        String start = "GET / HTTP/1.1\r\nHost: a\r\nA: ";
        String most = start + "b".repeat(32_768 - start.length() - 4) + "\r\n\r\n";
        assertEquals("/", complete(most).request().target());
        assertRefusedAtEnd(
                Refusal.HEAD_TOO_LARGE,
                start + "b" + most.substring(start.length()),
                ParserLimits.DEFAULT);
    }

    @Test
    void boundsTheNumberOfFields() {
        ParserLimits limits = new ParserLimits(100, 1000, 3, 10);
        String three = "GET / HTTP/1.1\r\nHost: a\r\nB:\r\nB:\r\n";
        assertEquals(3, complete(three + "\r\n", limits).request().headers().size());
        assertRefusedAtEnd(Refusal.TOO_MANY_FIELDS, three + "B", limits);
    }

    @Test
    void boundsTheBody() {
        ParserLimits limits = new ParserLimits(100, 1000, 3, 5);
        String start = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ";
        assertEquals(
                Body.utf8("hello"), complete(start + "5\r\n\r\nhello", limits).request().body());
        assertRefusedAtEnd(Refusal.BODY_TOO_LARGE, start + "6\r\n\r\n", limits);
    }

    @Test
    void allowsNoBodyAtAll() {
        ParserLimits limits = new ParserLimits(100, 1000, 3, 0);
        String start = "POST / HTTP/1.1\r\nHost: a\r\n";
        assertEquals(
                Body.EMPTY, complete(start + "Content-Length: 0\r\n\r\n", limits).request().body());
        assertRefusedAtEnd(Refusal.BODY_TOO_LARGE, start + "Content-Length: 1\r\n\r\n", limits);
        assertRefusedAtEnd(
                Refusal.BODY_TOO_LARGE, start + "Transfer-Encoding: chunked\r\n\r\n1\r", limits);
    }

    @Test
    void refusesLimitsThatMakeNoSense() {
        assertThrows(IllegalArgumentException.class, () -> new ParserLimits(0, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new ParserLimits(1, 0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new ParserLimits(1, 1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new ParserLimits(1, 1, 1, -1));
        assertThrows(
                IllegalArgumentException.class, () -> new ParserLimits(1, 1, 1, Integer.MAX_VALUE));
    }
}
