package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and responses, all the way through the real program and real workers. */
class ResponsesIT extends EndToEnd {
    private static final int BODY_BYTES = 5_000_000;

    @ParameterizedTest
    @ValueSource(strings = {"examples-python/hello.py", "examples-node/hello.mjs"})
    void answersCurl(String file) throws Exception {
        HandoffProcess handoff = run(file);
        Curl response = Curl.run(handoff.url());
        assertEquals(0, response.exitCode());
        assertTrue(response.hasStatus(200), response.output());
        assertTrue(response.output().endsWith("\r\n\r\nhello\n"), response.output());
    }

    @ParameterizedTest
    @ValueSource(strings = {"examples-python/echo.py", "examples-node/echo.mjs"})
    void bringsBodiesThereAndBackUnchanged(String file, @TempDir Path folder) throws Exception {
        Path sent = folder.resolve("sent");
        byte[] body = new byte[BODY_BYTES];
        new Random(1).nextBytes(body);
        Files.write(sent, body);
        Path received = folder.resolve("received");
        HandoffProcess handoff = run(file);
        Curl response =
                Curl.run(
                        "--no-include",
                        "--data-binary",
                        "@" + sent,
                        "--header",
                        "Content-Type: application/octet-stream",
                        "--output",
                        received.toString(),
                        handoff.url() + "a%20b?x=%2f");
        assertEquals(0, response.exitCode());
        assertEquals(-1, Files.mismatch(sent, received));
    }

    @ParameterizedTest
    @ValueSource(strings = {"examples-python/echo.py", "examples-node/echo.mjs"})
    void passesMethodTargetHeadersAndStatusOn(String file) throws Exception {
        HandoffProcess handoff = run(file);
        Curl response =
                Curl.run(
                        "--request",
                        "PATCH",
                        "--header",
                        "X-Twice: 1",
                        "--header",
                        "X-Twice: 2",
                        handoff.url() + "a%20b?status=418");
        assertTrue(response.hasStatus(418), response.output());
        String output = response.output().replace(" ", "");
        assertTrue(output.contains("Echo-Method:PATCH\r\n"), output);
        assertTrue(output.contains("Echo-Target:/a%20b?status=418\r\n"), output);
        assertTrue(output.contains("[\"x-twice\",\"1\"],[\"x-twice\",\"2\"]"), output);
    }

    /** For the client that was refused, and for the operator who wonders why. */
    @Test
    void namesTheOptionThatARequestIsTooLargeFor() throws Exception {
        HandoffProcess handoff =
                run("--max-body", "1KiB", "--max-head", "2KiB", "--max-fields", "9", ECHO);
        assertEquals(
                "The content is too large (--max-body is 1KiB).\n",
                Curl.run("--no-include", "--data", "x".repeat(1025), handoff.url()).output());
        handoff.awaitLog("was too large: 413 body_too_large: --max-body is 1KiB");
        assertEquals(
                "The request line and header fields together are too large (--max-head is 2KiB).\n",
                Curl.run("--no-include", "-H", "X: " + "x".repeat(2048), handoff.url()).output());
    }

    /** The worker is disconnected, so its author has to learn of the option from the log. */
    @Test
    void namesTheOptionThatAResponseIsTooLargeFor() throws Exception {
        // Unlike ECHO, it does not look at the limit that the core tells it.
        HandoffProcess handoff = run("--max-response", "5", "examples-python/hello.py");
        Curl response = Curl.run(handoff.url());
        assertTrue(response.hasStatus(502), response.output());
        handoff.awaitLog("6 bytes, at most 5 accepted (--max-response)");
    }

    @Test
    void answersPipelinedRequestsInOrder() throws Exception {
        RawClient client = client(run(ECHO));
        int requests = 16;
        StringBuilder pipeline = new StringBuilder();
        for (int i = 0; i < requests; i++) {
            pipeline.append(RawClient.getRequest(target(i)));
        }
        client.send(pipeline.toString());
        for (int i = 0; i < requests; i++) {
            RawResponse response = client.readResponse();
            assertEquals(200, response.status());
            assertEquals(target(i), response.header("echo-target"));
        }
    }

    /** The first takes longest, so that the workers answer in the opposite order. */
    private static String target(int number) {
        return "/" + number + "?delay=" + 20 * (16 - number);
    }

    @Test
    void refusesAMalformedRequestAndServesTheOthers() throws Exception {
        HandoffProcess handoff = run("examples-python/hello.py");
        RawClient good = client(handoff);
        assertEquals(200, good.ask("/before").status());
        RawClient bad = client(handoff);
        bad.send("GET / HTTP/1.1\r\nHost : test\r\n\r\n");
        RawResponse refused = bad.readResponse();
        assertEquals(400, refused.status());
        assertEquals("space_before_colon", refused.header("handoff-error"));
        bad.expectEnd();
        assertEquals(200, good.ask("/after").status());
    }

    @Test
    void answersTheGoodRequestBeforeAMalformedOne() throws Exception {
        HandoffProcess handoff = run(ECHO);
        RawClient other = client(handoff);
        other.get("/other?delay=300");
        RawClient client = client(handoff);
        client.send(RawClient.getRequest("/good?delay=100") + "nonsense\r\n\r\n");
        RawResponse first = client.readResponse();
        assertEquals(200, first.status());
        assertEquals("/good?delay=100", first.header("echo-target"));
        assertEquals(400, client.readResponse().status());
        client.expectEnd();
        assertEquals(200, other.readResponse().status());
    }

    @Test
    void passesTheOutputOfWorkersOnWithTheirName() throws Exception {
        HandoffProcess handoff =
                run(
                        Distribution.testWorker("announces.py"),
                        "--workers",
                        "1",
                        "--",
                        "--port",
                        "x y",
                        "--",
                        "@z");
        assertEquals(200, client(handoff).ask("/one").status());
        handoff.stdout().await("default-1 | took /one"::equals);
        handoff.stderr().await("default-1 | arguments --port x y -- @z"::equals);
    }

    @Test
    void asksWorkersForTheWindowThatTheUserWants() throws Exception {
        String script = "echo \"window $HANDOFF_CONCURRENCY\"; exec sleep 100";
        run("--workers", "1", "--", "sh", "-c", script)
                .stdout()
                .await("default-1 | window "::equals);
        run("--concurrency", "7", "--", "sh", "-c", script)
                .stdout()
                .await("default-1 | window 7"::equals);
    }
}
