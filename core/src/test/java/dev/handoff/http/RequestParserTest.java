package dev.handoff.http;

import static dev.handoff.http.EverySplit.outcomes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.RequestParser.Phase;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A connection's requests one after the other, and what the server asks between its reads. */
class RequestParserTest {
    private static final String GET = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String POST =
            "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
    private static final String CHUNKED_HEAD =
            "PUT /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String CHUNKED = CHUNKED_HEAD + "2\r\nok\r\n0\r\nA: b\r\n\r\n";
    private static final String CONTINUE =
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";

    private final RequestParser parser = new RequestParser(ParserLimits.DEFAULT);

    private Parsed parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return parser.parse(bytes, 0, bytes.length);
    }

    private static List<String> targets(List<EverySplit.Outcome> outcomes) {
        return outcomes.stream()
                .map(EverySplit.Outcome::verdict)
                .map(Parsed.Complete.class::cast)
                .map(complete -> complete.request().target())
                .toList();
    }

    @Test
    void readsPipelinedRequests() {
        List<EverySplit.Outcome> outcomes = outcomes(GET + POST + CHUNKED + "\r\n" + GET + POST);
        assertEquals(List.of("/1", "/2", "/3", "/1", "/2"), targets(outcomes));
        assertEquals(GET.length(), outcomes.getFirst().consumed());
        assertEquals(GET.length() + POST.length(), outcomes.get(1).consumed());
    }

    @Test
    void answersForRequestsBeforeARefusedOne() {
        List<EverySplit.Outcome> outcomes = outcomes(GET + POST + "BAD\r\n" + GET);
        assertEquals(3, outcomes.size());
        assertEquals(List.of("/1", "/2"), targets(outcomes.subList(0, 2)));
        assertEquals(new Parsed.Refused(Refusal.BAD_METHOD), outcomes.getLast().verdict());
    }

    @Test
    void keepsNothingOfOneRequestForTheNext() {
        String old = "GET /4 HTTP/1.0\r\n\r\n";
        List<EverySplit.Outcome> outcomes = outcomes(POST + old + GET);
        assertEquals(
                new Parsed.Complete(
                        new Request("GET", "/4", HttpVersion.HTTP_1_0, Headers.EMPTY, Body.EMPTY),
                        false),
                outcomes.get(1).verdict());
        assertEquals(
                new Parsed.Complete(
                        new Request(
                                "GET",
                                "/1",
                                HttpVersion.HTTP_1_1,
                                Headers.of("host", "a"),
                                Body.EMPTY),
                        true),
                outcomes.get(2).verdict());
    }

    @Test
    void stopsBehindTheFirstRequest() {
        parse(GET + POST);
        assertEquals(GET.length(), parser.consumedTo());
        assertEquals(Phase.IDLE, parser.phase());
    }

    @Test
    void staysRefused() {
        Parsed first = parse(GET + "\0");
        assertTrue(first instanceof Parsed.Complete);
        Parsed refused = parse("\0" + GET);
        assertEquals(new Parsed.Refused(Refusal.BAD_METHOD), refused);
        assertEquals(1, parser.consumedTo());
        assertSame(refused, parse(GET));
        assertEquals(0, parser.consumedTo());
        assertSame(refused, parser.parse(new byte[9], 4, 8));
        assertEquals(4, parser.consumedTo());
    }

    @Test
    void tellsItsPhase() {
        assertEquals(Phase.IDLE, parser.phase());
        parse("");
        assertEquals(Phase.IDLE, parser.phase());
        parse("\r");
        assertEquals(Phase.IDLE, parser.phase());
        parse("\n");
        assertEquals(Phase.IDLE, parser.phase());
        parse("P");
        assertEquals(Phase.HEAD, parser.phase());
        parse(POST.substring(1, POST.length() - 6));
        assertEquals(Phase.HEAD, parser.phase());
        parse("\n");
        assertEquals(Phase.BODY, parser.phase());
        parse("hell");
        assertEquals(Phase.BODY, parser.phase());
        parse("o");
        assertEquals(Phase.IDLE, parser.phase());
    }

    @Test
    void keepsThePhaseItRefusedIn() {
        parse(CHUNKED_HEAD + "x");
        assertEquals(Phase.BODY, parser.phase());
        RequestParser other = new RequestParser(ParserLimits.DEFAULT);
        other.parse(new byte[1], 0, 1);
        assertEquals(Phase.HEAD, other.phase());
    }

    @Test
    void awaitsContinueUntilTheFirstByteOfContent() {
        parse(CONTINUE.substring(0, CONTINUE.length() - 1));
        assertFalse(parser.awaitsContinue());
        parse("\n");
        assertTrue(parser.awaitsContinue());
        parse("h");
        assertFalse(parser.awaitsContinue());
        parse("ello");
        assertFalse(parser.awaitsContinue());
        parse(POST.substring(0, POST.length() - 5));
        assertFalse(parser.awaitsContinue());
    }

    @Test
    void awaitsContinueOfChunkedContent() {
        parse(CONTINUE.replace("Content-Length: 5", "Transfer-Encoding: chunked"));
        assertTrue(parser.awaitsContinue());
        parse("5");
        assertFalse(parser.awaitsContinue());
    }

    @Test
    void awaitsNoContinueWhereContentComesOrIsNoneOrTheClientIsOld() {
        parse(CONTINUE + "h");
        assertFalse(parser.awaitsContinue());
        parse("ello");
        parse(CONTINUE.replace("Length: 5", "Length: 0"));
        assertFalse(parser.awaitsContinue());
        assertEquals(Phase.IDLE, parser.phase());
        parse(CONTINUE.replace("HTTP/1.1", "HTTP/1.0"));
        assertEquals(Phase.BODY, parser.phase());
        assertFalse(parser.awaitsContinue());
    }

    @Test
    void buffersNothingWhileIdleOrRefused() {
        assertEquals(0, parser.bufferedBytes());
        parse(POST + GET);
        assertEquals(0, parser.bufferedBytes());
        parse(CHUNKED);
        assertEquals(0, parser.bufferedBytes());
        parse("GET / HTTP/1.1\r\nA: b");
        assertTrue(parser.bufferedBytes() > 0);
        parse("\0");
        assertEquals(0, parser.bufferedBytes());
    }

    @Test
    void buffersWhatHasComeAndNotWhatWasAnnounced() {
        parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n");
        assertTrue(parser.bufferedBytes() < 1_000, () -> "buffers " + parser.bufferedBytes());
        parse("x");
        assertTrue(parser.bufferedBytes() < 65_536, () -> "buffers " + parser.bufferedBytes());
        parse("x".repeat(100_000));
        assertTrue(parser.bufferedBytes() > 100_000, () -> "buffers " + parser.bufferedBytes());
        assertTrue(parser.bufferedBytes() < 300_000, () -> "buffers " + parser.bufferedBytes());
    }

    @Test
    void collectsALargeBody() {
        String text = "0123456789".repeat(8_000);
        Parsed.Complete plain =
                EverySplit.complete(
                        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 80000\r\n\r\n" + text);
        assertEquals(Body.utf8(text), plain.request().body());
        Parsed.Complete chunked =
                EverySplit.complete(
                        CHUNKED_HEAD + "a\r\n0123456789\r\n".repeat(8_000) + "0\r\n\r\n");
        assertEquals(Body.utf8(text), chunked.request().body());
    }

    @Test
    void refusesPortionsOutsideTheArray() {
        byte[] bytes = new byte[4];
        assertThrows(IndexOutOfBoundsException.class, () -> parser.parse(bytes, 0, 5));
        assertThrows(IndexOutOfBoundsException.class, () -> parser.parse(bytes, 3, 2));
    }
}
