package dev.handoff.launcher.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.process.protocol.Message;
import org.junit.jupiter.api.Test;

final class AnswerTest {
    private static final int PIECE_BYTES = 64 * 1024;
    private static final Body PIECE = Body.of(new byte[PIECE_BYTES]);

    private final Answer answer = new Answer(1, PIECE_BYTES, 0);

    /** More than an array has room for. */
    @Test
    void keepsTheBeginningOfAResponseThatDoesNotEnd() {
        answer.take(new Message.Response(1, Response.of(200, Headers.EMPTY, PIECE), true), "{}");
        long pieces = (1L << 31) / PIECE_BYTES;
        for (long i = 1; i < pieces; i++) {
            answer.take(new Message.Data(1, true, PIECE), "{}");
        }
        assertEquals(1L << 31, answer.bodyBytes());
        assertEquals(Answer.MOST_KEPT_BYTES, answer.body().length);
    }

    @Test
    void keepsTheFirstMessagesOfAWebSocketThatSendsWithoutEnd() {
        for (int i = 0; i < 1000; i++) {
            answer.take(new Message.WebSocketMessage(1, false, PIECE), "{}");
        }
        int kept = 0;
        while (answer.hasMessage()) {
            assertNotNull(answer.takeMessage());
            kept++;
        }
        assertEquals(Answer.MOST_KEPT_BYTES / (PIECE_BYTES + Message.MESSAGE_COST_BYTES), kept);
    }

    @Test
    void aFailureIsToldInOneLineThatIsSafeToShow() {
        answer.take(new Message.Failure(1, "a\n9 passed\u001b[8m", false), "{}");
        assertEquals("a failure: a\ufffd9 passed\ufffd[8m", answer.inWords());
    }
}
