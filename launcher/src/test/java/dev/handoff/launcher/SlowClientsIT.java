package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that hold their connection while others want to be served. */
class SlowClientsIT extends EndToEnd {
    private static final int LARGE_BYTES = 6_000_000;

    /** The kernel takes little more than this for a client that does not read. */
    private static final int RECEIVE_BYTES = 4096;

    /** The beginnings of requests, each of which could go on with any number of {@code 0}. */
    @ParameterizedTest
    @CsvSource({
        "head_timeout, GET /0",
        "head_timeout, GET / HTTP/1.1|Host: a|X-Slow: 0",
        "body_timeout, POST / HTTP/1.1|Host: a|Content-Length: 1000000||0",
        "body_timeout, POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||fffff|0",
        "body_timeout, POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||1;a=0"
    })
    void whoTricklesGets408WhileOthersAreServed(String rule, String begin) throws Exception {
        HandoffProcess handoff =
                run(
                        "--header-timeout",
                        "300ms",
                        "--body-timeout",
                        "300ms",
                        "examples-python/hello.py");
        RawClient normal = client(handoff);
        assertEquals(200, normal.ask("/").status());
        RawClient slow = client(handoff);
        slow.send(begin.replace("|", "\r\n"));
        int served = 0;
        do {
            assertEquals(200, normal.ask("/").status());
            served++;
            // Fewer bytes than any limit allows, within the little time that there is.
            if (served % 100 == 0) {
                slow.send("0");
            }
        } while (!slow.hasInput());
        RawResponse response = slow.readResponse();
        assertEquals(408, response.status());
        assertEquals(rule, response.header("handoff-error"));
        slow.expectEnd();
        assertEquals(200, normal.ask("/").status());
    }

    @Test
    void whoComesWhenAllConnectionsAreInUseIsServedAfterOneHasBecomeIdle() throws Exception {
        HandoffProcess handoff = run("--max-connections", "2", ECHO);
        RawClient first = client(handoff);
        RawClient second = client(handoff);
        first.get("/?delay=1000");
        second.get("/?delay=60000");
        RawClient third = client(handoff);
        third.get("/");
        handoff.stderr().await(line -> line.contains("others have to wait"));
        assertFalse(third.hasInput());
        assertEquals(200, first.readResponse().status());
        assertEquals(200, third.readResponse().status());
        first.expectEnd();
        assertFalse(second.hasInput());
    }

    /**
     * The third connection is the event to wait for: it is accepted when the slow one is closed.
     */
    @Test
    void whoDoesNotTakeItsResponseIsCutOffWhileOthersAreServed() throws Exception {
        HandoffProcess handoff = run("--max-connections", "2", "--write-timeout", "500ms", ECHO);
        RawClient normal = client(handoff);
        assertEquals(200, normal.ask("/").status());
        RawClient slow = new RawClient(handoff.port(), RECEIVE_BYTES);
        closeAtEnd(slow);
        slow.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(LARGE_BYTES));
        slow.send("x".repeat(LARGE_BYTES));
        assertEquals(200, normal.ask("/").status());
        RawClient waiting = client(handoff);
        waiting.get("/");
        do {
            assertEquals(200, normal.ask("/").status());
        } while (!waiting.hasInput());
        assertEquals(200, waiting.readResponse().status());
        assertThrows(IOException.class, () -> readWhole(slow));
    }

    private static void readWhole(RawClient client) throws IOException {
        int bytes = client.readResponse().body().sizeBytes();
        if (bytes < LARGE_BYTES) {
            throw new IOException("the connection ended after " + bytes + " bytes");
        }
    }
}
