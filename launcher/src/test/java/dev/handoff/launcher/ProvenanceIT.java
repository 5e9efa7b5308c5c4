package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a worker learns of where its request comes from. */
class ProvenanceIT extends EndToEnd {
    private static final String TELLS_FRAME = Distribution.testWorker("tells_frame.py");
    private static final String TRACEPARENT =
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @Test
    void believesATrustedProxyAndCutsOffWhatTheClientForged() throws Exception {
        HandoffProcess handoff =
                run(
                        "--trusted-proxy",
                        "10.0.0.0/8, 127.0.0.0/8",
                        "--access-log",
                        "stdout",
                        TELLS_FRAME);
        JsonObject frame =
                ask(
                        handoff,
                        "X-Forwarded-For: 6.6.6.6, 2001:db8::1, 10.0.0.9",
                        "X-Forwarded-Proto: https");
        assertEquals("[2001:db8::1]:0", frame.getString("client"));
        assertEquals(List.of("2001:db8::1, 10.0.0.9"), values("x-forwarded-for", frame));
        assertEquals(List.of("https"), values("x-forwarded-proto", frame));
        handoff.stdout().await(line -> line.startsWith("2001:db8::1 - - ["));

        JsonObject standard = ask(handoff, "Forwarded: for=\"192.0.2.1:47\";proto=https");
        assertEquals("192.0.2.1:47", standard.getString("client"));
    }

    @Test
    void letsNobodyElseSayAnything() throws Exception {
        HandoffProcess handoff = run("--trusted-proxy", "10.0.0.0/8", TELLS_FRAME);
        JsonObject frame =
                ask(handoff, "X-Forwarded-For: 6.6.6.6", "Forwarded: for=6.6.6.6", "X-A: b");
        assertTrue(frame.getString("client").startsWith("127.0.0.1:"), frame.toString());
        assertEquals(List.of(), values("x-forwarded-for", frame));
        assertEquals(List.of(), values("forwarded", frame));
        assertEquals(List.of("b"), values("x-a", frame));
    }

    @Test
    void leavesTheFieldsAloneWhereNothingIsSaidOfProxies() throws Exception {
        HandoffProcess handoff = run(TELLS_FRAME);
        JsonObject frame = ask(handoff, "X-Forwarded-For: 6.6.6.6", "Forwarded: for=\"");
        assertTrue(frame.getString("client").startsWith("127.0.0.1:"), frame.toString());
        assertEquals(List.of("6.6.6.6"), values("x-forwarded-for", frame));
        assertEquals(List.of("for=\""), values("forwarded", frame));
    }

    @Test
    void makesAnIdThatWorkerAndClientAndLogShare() throws Exception {
        HandoffProcess handoff = run("--request-id", "--access-log", "stdout", TELLS_FRAME);
        RawResponse response = client(handoff).ask("/");
        String id = response.header("x-request-id");
        assertEquals(36, id.length());
        JsonObject frame = JsonLog.read(response.text());
        assertEquals(id, frame.getString("requestId"));
        assertEquals(List.of(id), values("x-request-id", frame));
        handoff.stdout().await(line -> line.contains(" id=" + id + " "));
    }

    /** A flag in front of the file must not take it for its value. */
    @Test
    void makesAnIdWhereTheOptionIsTheLast() throws Exception {
        RawResponse response = client(run("--request-id", TELLS_FRAME)).ask("/");
        assertEquals(36, response.header("x-request-id").length());
    }

    @Test
    void makesNoIdUnasked() throws Exception {
        JsonObject frame = ask(run(TELLS_FRAME));
        assertFalse(frame.containsKey("requestId"), frame.toString());
        assertEquals(List.of(), values("x-request-id", frame));
    }

    @Test
    void passesTheTraceOnUntouched() throws Exception {
        HandoffProcess handoff =
                run(
                        "--request-id",
                        "--trusted-proxy",
                        "10.0.0.0/8",
                        "--access-log",
                        "stdout",
                        TELLS_FRAME);
        JsonObject frame =
                ask(
                        handoff,
                        "Traceparent: " + TRACEPARENT,
                        "Tracestate: a=1,b=2",
                        "Tracestate: c=3");
        assertEquals(List.of(TRACEPARENT), values("traceparent", frame));
        assertEquals(List.of("a=1,b=2", "c=3"), values("tracestate", frame));
    }

    private JsonObject ask(HandoffProcess handoff, String... fields) throws IOException {
        RawClient client = client(handoff);
        client.get("/", fields);
        return JsonLog.read(client.readResponse().text());
    }

    private static List<String> values(String name, JsonObject frame) {
        return frame.getJsonArray("headers").stream()
                .map(pair -> (JsonArray) pair)
                .filter(pair -> pair.getString(0).equals(name))
                .map(pair -> pair.getString(1))
                .toList();
    }
}
