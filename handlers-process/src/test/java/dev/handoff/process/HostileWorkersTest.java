package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.ProtocolFault;
import dev.handoff.process.supervise.ProcessExit;
import dev.handoff.process.supervise.ProcessListener;
import dev.handoff.server.Abandonment;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Processes with a fault each, named after it, beside a good one: the request that meets the fault
 * gets the right error, and the good worker goes on.
 */
@Tag("processes")
final class HostileWorkersTest {
    /** What the protocol and the docs promise; the constants belong to the parts of the pool. */
    private static final Duration HELLO_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration FRAME_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LEAVE_GRACE = Duration.ofSeconds(1);
    private static final Duration TERM_GRACE = Duration.ofSeconds(5);

    private static final String HOSTILE = "default-1";
    private static final String GOOD = "default-2";

    private TestPool pool;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start();
    }

    @AfterEach
    void stop() throws IOException {
        TestExchange exchange = pool.get("/");
        while (!pool.events.await(PoolEvent.Dispatched.class).worker().equals(GOOD)) {
            exchange = pool.get("/");
        }
        exchange.assertResponse("good");
        pool.close();
    }

    @Test
    void diesAtStart() {
        // It fails beside one that does not: that is no first start that has failed.
        startWith("dies_at_start");
        awaitJoined(GOOD);
        long[] most = {100, 100, 200, 400};
        for (long longest : most) {
            PoolEvent.Exited exited = awaitExit();
            assertEquals(3, exited.exit().code());
            assertEquals(
                    List.of("one line before", "ModuleNotFoundError: No module named 'app'"),
                    exited.exit().lastStderr());
            assertTrue(
                    exited.restartMillis() >= longest / 2 && exited.restartMillis() <= longest,
                    exited + " is not within " + longest);
            pool.advance(Duration.ofMillis(longest));
        }
        assertEquals(List.of(), pool.events.heard(PoolEvent.FirstStartFailed.class));
    }

    @Test
    void neverSaysHello() throws IOException {
        startWith("never_says_hello");
        awaitJoined(GOOD);
        pool.events.await(PoolEvent.Output.class, output -> output.worker().equals(HOSTILE));
        // The core asks for the users in turn, and waits for a hello when it knows whose.
        try (TestWorker stranger = TestWorker.connect(pool.path)) {
            stranger.send(TestWorker.hello(1));
            stranger.expect(Message.Refused.class);
        }
        pool.advance(HELLO_TIMEOUT);
        pool.events.await(
                PoolEvent.TurnedAway.class, turned -> turned.code().equals("hello_timeout"));
        pool.advance(START_TIMEOUT);
        assertEquals(Processes.TERMINATED, awaitExit().exit().code());
    }

    @Test
    void diesMidResponse() {
        startBoth("dies_mid_response");
        submitTo(HOSTILE).assertFailed(502, "worker_lost");
        assertEquals(LeaveReason.CLOSED, awaitLeft().reason());
        assertEquals(1, awaitExit().exit().code());
    }

    @Test
    void halfAFrame() {
        startBoth("half_a_frame");
        assertKilled(submitTo(HOSTILE));
    }

    @Test
    void stopsMidFrame() {
        startBoth("stops_mid_frame");
        TestExchange exchange = submitTo(HOSTILE);
        pool.events.await(
                PoolEvent.Output.class,
                output -> output.worker().equals(HOSTILE) && output.line().equals("stopped"));
        // The loop may still read what was in the kernel when the worker stopped; that is progress.
        Duration most = FRAME_TIMEOUT.multipliedBy(2);
        for (Duration waited = Duration.ZERO;
                !exchange.isAnswered() && waited.compareTo(most) < 0;
                waited = waited.plusSeconds(1)) {
            pool.advance(Duration.ofSeconds(1));
        }
        exchange.assertFailed(502, "worker_fault");
        assertEquals(
                new PoolEvent.Faulted(HOSTILE, ProtocolFault.FRAME_TIMEOUT),
                pool.events.await(PoolEvent.Faulted.class));
        assertEquals(LeaveReason.FRAME_TIMEOUT, awaitLeft().reason());
        pool.advance(LEAVE_GRACE);
        assertEquals(Processes.TERMINATED, awaitExit().exit().code());
        assertReplaced();
    }

    @Test
    void neverAnswers() {
        startBoth("never_answers");
        assertKilled(submitTo(HOSTILE));
    }

    /** The honest one among them: it can only read when its handler has returned. */
    @Test
    void readsBetweenRequests() throws IOException {
        startWith("reads_between_requests");
        long pid =
                pool.events
                        .await(PoolEvent.Started.class, start -> start.worker().equals(HOSTILE))
                        .pid();
        awaitJoined(HOSTILE);
        awaitJoined(GOOD);
        TestExchange left = submitTo(HOSTILE);
        pool.events.await(
                PoolEvent.Output.class,
                output -> output.worker().equals(HOSTILE) && output.line().equals("handling"));
        left.abandon(Abandonment.CLIENT_GONE);
        pool.loops.awaitIdle();
        pool.advance(PoolLimits.DEFAULT.cancelGrace());
        new ProcessBuilder("kill", "-USR1", Long.toString(pid)).start();
        assertEquals(HOSTILE, pool.events.await(PoolEvent.AnsweredLate.class).worker());
        assertEquals("handled", submitTo(HOSTILE).response().body().toUtf8());
    }

    @Test
    void frameTooLong() {
        startBoth("frame_too_long");
        assertFaulty(submitTo(HOSTILE), ProtocolFault.FRAME_BODY_TOO_LONG);
    }

    @Test
    void notJson() {
        startBoth("not_json");
        assertFaulty(submitTo(HOSTILE), ProtocolFault.NOT_JSON);
    }

    @Test
    void wrongId() {
        startBoth("wrong_id");
        TestExchange exchange = submitTo(HOSTILE);
        assertEquals(HOSTILE, pool.events.await(PoolEvent.UnknownResponse.class).worker());
        assertEquals(0, exchange.responses());
        assertStuck(exchange);
    }

    @Test
    void answersTwice() {
        startBoth("answers_twice");
        for (int i = 0; i < 3; i++) {
            TestExchange exchange = submitTo(HOSTILE);
            exchange.assertResponse("once");
            assertEquals(HOSTILE, pool.events.await(PoolEvent.UnknownResponse.class).worker());
            assertEquals(1, exchange.responses());
        }
    }

    @Test
    void floodsStderr() {
        startBoth("floods_stderr");
        assertEquals("flooded", submitTo(HOSTILE).response().body().toUtf8());
        pool.events.await(
                PoolEvent.Output.class,
                output ->
                        output.worker().equals(HOSTILE)
                                && output.stream() == ProcessListener.Output.STDERR
                                && output.line().startsWith("line 19999,"));
    }

    @Test
    void closesSocketStaysAlive() {
        startBoth("closes_socket_stays_alive");
        submitTo(HOSTILE).assertFailed(502, "worker_lost");
        assertEquals(LeaveReason.CLOSED, awaitLeft().reason());
        pool.advance(LEAVE_GRACE);
        assertEquals(Processes.TERMINATED, awaitExit().exit().code());
        assertReplaced();
    }

    @Test
    void ignoresTerm() {
        startBoth("ignores_term");
        submitTo(HOSTILE).assertFailed(502, "worker_lost");
        awaitLeft();
        pool.advance(LEAVE_GRACE);
        pool.advance(TERM_GRACE.minusNanos(1));
        assertEquals(List.of(), pool.events.heard(PoolEvent.Exited.class));
        pool.advance(Duration.ofNanos(1));
        assertEquals(Processes.KILLED, awaitExit().exit().code());
        assertReplaced();
    }

    @Test
    void injectsCrlf() throws IOException {
        startBoth("injects_crlf");
        HttpServer server =
                HttpServer.start(ServerOptions.of(pool.pool.handler()).withLoops(pool.loops.all()));
        String response = get(server);
        while (!pool.events.await(PoolEvent.Dispatched.class).worker().equals(HOSTILE)) {
            assertTrue(response.endsWith("good"), response);
            response = get(server);
        }
        assertTrue(response.startsWith("HTTP/1.1 502 Bad Gateway\r\n"), response);
        assertTrue(response.contains("handoff-error: bad_response\r\n"), response);
        assertTrue(!response.contains("stolen"), response);
        server.stop();
    }

    private void startWith(String script) {
        pool.supervise(Processes.onlyFirst(script), 2);
    }

    private void startBoth(String script) {
        startWith(script);
        awaitJoined(HOSTILE);
        awaitJoined(GOOD);
    }

    /** Submits requests, which the good worker answers, until one goes to {@code worker}. */
    private TestExchange submitTo(String worker) {
        while (true) {
            TestExchange exchange = pool.get("/");
            if (pool.events.await(PoolEvent.Dispatched.class).worker().equals(worker)) {
                return exchange;
            }
            exchange.response();
        }
    }

    /** And deaf to the end of its connection, so that it takes a KILL to end it. */
    private void assertKilled(TestExchange exchange) {
        // Before that it could still be told by the end of its connection.
        pool.events.await(
                PoolEvent.Output.class,
                output -> output.worker().equals(HOSTILE) && output.line().equals("deaf"));
        assertEquals(Processes.KILLED, assertStuck(exchange).code());
    }

    private ProcessExit assertStuck(TestExchange exchange) {
        exchange.abandon(Abandonment.DEADLINE);
        pool.loops.awaitIdle();
        pool.advance(PoolLimits.DEFAULT.cancelGrace());
        assertEquals(LeaveReason.STUCK, awaitLeft().reason());
        ProcessExit exit = awaitExit().exit();
        assertEquals(0, exchange.responses());
        assertReplaced();
        return exit;
    }

    private void assertFaulty(TestExchange exchange, ProtocolFault fault) {
        exchange.assertFailed(502, "worker_fault");
        assertEquals(
                new PoolEvent.Faulted(HOSTILE, fault), pool.events.await(PoolEvent.Faulted.class));
        assertEquals(LeaveReason.PROTOCOL_FAULT, awaitLeft().reason());
        assertEquals(0, awaitExit().exit().code());
        assertReplaced();
    }

    private void assertReplaced() {
        pool.advance(Duration.ofMillis(100));
        awaitJoined(HOSTILE);
    }

    private void awaitJoined(String worker) {
        pool.events.await(PoolEvent.Joined.class, joined -> joined.worker().equals(worker));
    }

    private PoolEvent.Left awaitLeft() {
        return pool.events.await(PoolEvent.Left.class, left -> left.worker().equals(HOSTILE));
    }

    private PoolEvent.Exited awaitExit() {
        return pool.events.await(PoolEvent.Exited.class, exited -> exited.worker().equals(HOSTILE));
    }

    private static String get(HttpServer server) throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            return client.get("/", "Connection: close").readToEnd();
        }
    }
}
