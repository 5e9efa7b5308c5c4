package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.dispatch.PoolLoad;
import dev.handoff.process.dispatch.RequestSnapshot;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerOptions;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Responses that workers send in pieces, with the real server in front of the pool. */
final class PoolStreamTest {
    private static final int CREDIT = 64 * 1024;

    /** More than the kernel holds of what one side sent and the other has not read. */
    private static final int MORE_THAN_THE_KERNEL_HOLDS = 16 * 1024 * 1024;

    private TestPool pool;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start();
        server =
                HttpServer.start(
                        ServerOptions.of(pool.pool.handler())
                                .withLoops(pool.loops.all())
                                .withLimits(
                                        ServerLimits.DEFAULT.withBufferedBytes(256 * 1024 * 1024)));
    }

    @AfterEach
    void stop() throws IOException {
        server.stop();
        pool.close();
    }

    @Test
    void piecesReachTheClientAsTheyCome() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(head(id, "one"));
            assertEquals("chunked", client.readHead().header("transfer-encoding"));
            expect(client, "3\r\none\r\n");
            worker.send(piece(id, "two"));
            expect(client, "3\r\ntwo\r\n");
            worker.send(last(id, "three"));
            expect(client, "5\r\nthree\r\n0\r\n\r\n");
            pool.await(snapshot -> snapshot.streams() == 0);
        }
    }

    @Test
    void theWelcomeNamesTheFeatureWhereHelloDid() throws IOException {
        try (TestWorker worker = TestWorker.connect(pool.path)) {
            worker.send(TestWorker.streaming(1, List.of("a", "streams"), 7));
            Message.Welcome welcome = worker.expect(Message.Welcome.class);
            assertEquals(List.of("streams"), welcome.features());
            assertEquals(CREDIT, welcome.streamBytes());
        }
    }

    @Test
    void whoDidNotNameTheFeatureBreaksTheProtocol() throws IOException {
        try (TestWorker worker = pool.join(1);
                RawClient client = get("/events")) {
            worker.send(head(worker.request().id(), "one"));
            assertEquals("unnamed_feature", worker.expect(Message.Refused.class).code());
            assertEquals("worker_fault", client.readResponse().header("handoff-error"));
        }
        try (TestWorker worker = pool.join(1);
                RawClient client = get("/events")) {
            worker.send(last(worker.request().id(), "one"));
            assertEquals("unnamed_feature", worker.expect(Message.Refused.class).code());
            assertEquals("worker_fault", client.readResponse().header("handoff-error"));
        }
    }

    @Test
    void aStreamLeavesTheWindowWhileTheWorkerHasPlacesForIt() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient first = get("/1")) {
            long id = worker.request().id();
            try (RawClient second = get("/2")) {
                pool.await(snapshot -> snapshot.queued() == 1);
                worker.send(head(id, "a"));
                long secondId = worker.request().id();
                pool.await(snapshot -> snapshot.inFlight() == 1 && snapshot.streams() == 1);

                worker.send(head(secondId, "b"));
                second.readHead();
                try (RawClient third = get("/3")) {
                    pool.await(snapshot -> snapshot.queued() == 1 && snapshot.streams() == 2);
                    assertFalse(worker.hasMessage());
                    worker.send(last(id, ""));
                    worker.answerNext("third");
                    assertEquals("third", third.readResponse().text());
                }
                worker.send(last(secondId, ""));
            }
            first.readHead();
            expect(first, "1\r\na\r\n0\r\n\r\n");
        }
    }

    @Test
    void aStreamLeavesTheLoadWhenItHasBegun() throws IOException {
        PoolLoad load = pool.pool.load();
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/1")) {
            long id = worker.request().id();
            assertEquals(1, load.requests());
            worker.send(head(id, "a"));
            client.readHead();
            assertEquals(0, load.requests());
            worker.send(last(id, ""));
            pool.await(snapshot -> snapshot.streams() == 0);
            assertEquals(0, load.requests());
        }
    }

    @Test
    void aWorkerGetsCreditAsItsClientTakesPieces() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/large")) {
            long id = worker.request().id();
            worker.send(head(id, ""));
            client.readHead();
            worker.send(piece(id, CREDIT));
            client.read(CREDIT + "10000\r\n\r\n".length());
            Message.Credit credit = worker.expect(Message.Credit.class);
            assertEquals(id, credit.id());
            long granted = credit.bytes();
            while (granted < CREDIT - 32 * 1024 + 1) {
                granted += worker.expect(Message.Credit.class).bytes();
            }
            long forAFastClient = 3L * CREDIT;
            assertTrue(granted <= CREDIT + forAFastClient, "granted " + granted);
            worker.send(last(id, "x"));
            expect(client, "1\r\nx\r\n0\r\n\r\n");
        }
    }

    /** One client takes nothing, so that the core has pieces for it while others pass. */
    @Test
    void severalLargeResponsesAreNotMixedUp() throws IOException {
        byte[] passing = new byte[CREDIT];
        Arrays.fill(passing, (byte) 'p');
        try (TestWorker worker = streaming(2, 0);
                RawClient slow = new RawClient(server.port(), 4096);
                RawClient fast = connect()) {
            slow.get("/slow");
            long slowId = worker.request().id();
            fast.get("/fast");
            long fastId = worker.request().id();
            worker.send(length(slowId, MORE_THAN_THE_KERNEL_HOLDS));
            int sent = sendAsFarAsCreditGoes(worker, slowId);
            assertTrue(sent < MORE_THAN_THE_KERNEL_HOLDS / CREDIT, "sent " + sent);

            worker.send(length(fastId, 100 * CREDIT));
            fast.readHead();
            for (int i = 0; i < 100; i++) {
                worker.send(new Message.Data(fastId, i < 99, Body.of(passing)));
                assertArrayEquals(passing, fast.read(CREDIT));
                if (i < 99) {
                    awaitCredit(worker, fastId);
                }
            }

            slow.readHead();
            for (int i = 0; i < sent; i++) {
                assertArrayEquals(numbered(i), slow.read(CREDIT), "piece " + i);
            }
        }
    }

    /** Half a window of it, which is all that one piece needs. That of others may come before. */
    private static void awaitCredit(TestWorker worker, long id) throws IOException {
        long toWhom;
        do {
            toWhom = worker.expect(Message.Credit.class).id();
        } while (toWhom != id);
    }

    /** Returns how many pieces that is. */
    private int sendAsFarAsCreditGoes(TestWorker worker, long id) throws IOException {
        long credit = CREDIT;
        int sent = 0;
        while (credit > 0) {
            worker.send(new Message.Data(id, true, Body.of(numbered(sent))));
            sent++;
            credit -= CREDIT;
            pool.loops.awaitIdle();
            while (worker.hasMessage()) {
                credit += worker.expect(Message.Credit.class).bytes();
            }
        }
        return sent;
    }

    private static byte[] numbered(int piece) {
        byte[] bytes = new byte[CREDIT];
        Arrays.fill(bytes, (byte) piece);
        return bytes;
    }

    @Test
    void onePieceMayTakeTheCreditBelowZero() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/large")) {
            long id = worker.request().id();
            worker.send(head(id, MORE_THAN_THE_KERNEL_HOLDS));
            client.readHead();
            client.read(MORE_THAN_THE_KERNEL_HOLDS + "1000000\r\n\r\n".length());
            long granted = 0;
            while (granted < MORE_THAN_THE_KERNEL_HOLDS - 32 * 1024 + 1) {
                granted += worker.expect(Message.Credit.class).bytes();
            }
            worker.send(last(id, "x"));
            expect(client, "1\r\nx\r\n0\r\n\r\n");
        }
    }

    @Test
    void aPieceWithoutCreditCostsItsClientOnly() throws IOException {
        try (TestWorker worker = streaming(2, 2);
                RawClient slow = new RawClient(server.port(), 4096);
                RawClient other = connect()) {
            slow.get("/slow");
            long id = worker.request().id();
            other.get("/other");
            Message.Request otherRequest = worker.request();
            worker.send(head(id, MORE_THAN_THE_KERNEL_HOLDS));
            worker.send(piece(id, "too much"));
            Message next = worker.expect(Message.class);
            while (next instanceof Message.Credit) {
                next = worker.expect(Message.class);
            }
            assertEquals(new Message.Cancel(id, CancelReason.SLOW_CLIENT), next);
            worker.send(piece(id, "dropped"), last(id, ""));
            worker.answer(otherRequest, "other");
            assertEquals("other", other.readResponse().text());
            pool.await(snapshot -> snapshot.inFlight() == 0 && snapshot.streams() == 0);
            assertEquals(
                    CancelReason.SLOW_CLIENT,
                    pool.events.await(PoolEvent.BrokenStream.class).reason());
        }
    }

    @Test
    void aMillionEmptyPiecesNeedNoCredit() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(head(id, CREDIT));
            Message[] thousand = new Message[1000];
            Arrays.fill(thousand, piece(id, ""));
            for (int i = 0; i < 1000; i++) {
                worker.send(thousand);
            }
            worker.send(last(id, ""));
            client.readHead();
            client.read(CREDIT + "10000\r\n\r\n".length());
            expect(client, "0\r\n\r\n");
        }
    }

    /** It ignores its credit, which comes as fast as its client takes what it sends. */
    @Test
    void aWorkerThatNeverReadsWhileItSendsIsStuck() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/large")) {
            long id = worker.request().id();
            worker.send(head(id, ""));
            client.readHead();
            Message piece = piece(id, CREDIT / 2);
            String chunk = "8000\r\n%s\r\n".formatted("\0".repeat(CREDIT / 2));
            for (int i = 0; i < 20_000; i++) {
                worker.send(piece);
                client.read(chunk.length());
            }
            pool.loops.awaitIdle();
            pool.advance(PoolLimits.DEFAULT.writeTimeout());
            assertEquals(LeaveReason.STUCK, pool.events.await(PoolEvent.Left.class).reason());
            assertEquals("", client.readToEnd());
        }
    }

    @Test
    void dataBeforeAResponseIsA502() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(piece(id, "x"));
            assertEquals("bad_response", client.readResponse().header("handoff-error"));
            assertEquals(
                    new Message.Cancel(id, CancelReason.BAD_RESPONSE),
                    worker.expect(Message.Cancel.class));
            worker.send(head(id, "still dropped"), last(id, ""));
            assertWorks(worker, client);
        }
    }

    @Test
    void lastDataWithoutAResponseIsA502() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            worker.send(last(worker.request().id(), "x"));
            assertEquals("bad_response", client.readResponse().header("handoff-error"));
            assertWorks(worker, client);
        }
    }

    @Test
    void aSecondResponseCutsTheClientOff() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(head(id, "a"));
            client.readHead();
            expect(client, "1\r\na\r\n");
            worker.send(head(id, "again"));
            assertEquals("", client.readToEnd());
            assertEquals(
                    new Message.Cancel(id, CancelReason.BAD_RESPONSE),
                    worker.expect(Message.Cancel.class));
            worker.send(last(id, ""));
            pool.await(snapshot -> snapshot.streams() == 0);
        }
    }

    @Test
    void aWholeResponseAfterPiecesCutsTheClientOffAndIsFinal() throws IOException {
        try (TestWorker worker = streaming(1, 1)) {
            try (RawClient client = get("/events")) {
                long id = worker.request().id();
                worker.send(head(id, "a"));
                client.readHead();
                worker.send(new Message.Response(id, Response.text(200, "whole")));
                assertEquals("1\r\na\r\n", client.readToEnd());
            }
            try (RawClient client = connect()) {
                assertWorks(worker, client);
            }
        }
    }

    @Test
    void aHeadThatBreaksARuleIsA502() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(
                    new Message.Response(
                            id, Response.of(700, Headers.EMPTY, Body.utf8("x")), true));
            assertEquals("bad_response", client.readResponse().header("handoff-error"));
            assertEquals(
                    new Message.Cancel(id, CancelReason.BAD_RESPONSE),
                    worker.expect(Message.Cancel.class));
            worker.send(last(id, ""));
            assertWorks(worker, client);
        }
    }

    @Test
    void aFailureInTheMiddleCutsTheClientOff() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(head(id, "a"));
            client.readHead();
            worker.send(new Message.Failure(id, "oops", true));
            assertEquals("1\r\na\r\n", client.readToEnd());
            assertEquals("oops", pool.events.await(PoolEvent.HandlerFailed.class).message());
            pool.await(snapshot -> snapshot.streams() == 0);
        }
    }

    @Test
    void aWorkerThatDiesCutsTheClientOff() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            worker.send(head(worker.request().id(), "a"));
            client.readHead();
            expect(client, "1\r\na\r\n");
            worker.die();
            assertEquals("", client.readToEnd());
            PoolEvent.Left left = pool.events.await(PoolEvent.Left.class);
            assertEquals(1, left.lost());
        }
    }

    @Test
    void aClientThatLeavesIsToldToTheWorkerWhoseFinalFrameFreesThePlace() throws IOException {
        try (TestWorker worker = streaming(1, 0)) {
            long id;
            try (RawClient client = get("/events")) {
                id = worker.request().id();
                worker.send(head(id, "a"));
                client.readHead();
                client.reset();
            }
            assertEquals(
                    new Message.Cancel(id, CancelReason.CLIENT_GONE),
                    worker.expect(Message.Cancel.class));
            worker.send(piece(id, "late"));
            try (RawClient next = get("/next")) {
                pool.await(snapshot -> snapshot.queued() == 1);
                worker.send(last(id, ""));
                worker.answerNext("next");
                assertEquals("next", next.readResponse().text());
            }
        }
    }

    @Test
    void aWorkerThatGoesOnWithACancelledStreamIsStuckAfterTheGrace() throws IOException {
        try (TestWorker worker = streaming(1, 1)) {
            try (RawClient client = get("/events")) {
                worker.send(head(worker.request().id(), "a"));
                client.readHead();
                client.reset();
            }
            worker.expect(Message.Cancel.class);
            pool.advance(PoolLimits.DEFAULT.cancelGrace());
            assertEquals(LeaveReason.STUCK, pool.events.await(PoolEvent.Left.class).reason());
        }
    }

    @Test
    void headRequestsCancelTheRest() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = connect()) {
            client.send("HEAD /file HTTP/1.1\r\nHost: a\r\n\r\n");
            long id = worker.request().id();
            worker.send(head(id, "content"));
            RawResponse head = client.readHead();
            assertEquals(200, head.status());
            assertEquals(
                    new Message.Cancel(id, CancelReason.NO_CONTENT),
                    worker.expect(Message.Cancel.class));
            worker.send(last(id, ""));
            assertWorks(worker, client);
        }
    }

    @Test
    void aStreamThatCeasesIsCutOffAndCancelled() throws IOException {
        try (TestWorker worker = streaming(1, 0);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(head(id, "a"));
            client.readHead();
            expect(client, "1\r\na\r\n");
            pool.loops.awaitIdle();
            pool.advance(ServerLimits.DEFAULT.streamIdleTimeout());
            assertEquals("", client.readToEnd());
            assertEquals(
                    new Message.Cancel(id, CancelReason.DEADLINE),
                    worker.expect(Message.Cancel.class));
        }
    }

    @Test
    void emptyPiecesDoNotSayThatAStreamGoesOn() throws IOException {
        Duration half = ServerLimits.DEFAULT.streamIdleTimeout().dividedBy(2);
        try (TestWorker worker = streaming(1, 0);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(head(id, "a"));
            client.readHead();
            expect(client, "1\r\na\r\n");
            for (int times = 0; times < 2; times++) {
                pool.loops.awaitIdle();
                pool.advance(half);
                worker.send(piece(id, ""));
            }
            assertEquals("", client.readToEnd());
            assertEquals(
                    new Message.Cancel(id, CancelReason.DEADLINE),
                    worker.expect(Message.Cancel.class));
        }
    }

    @Test
    void aWorkerThatStreamsBesidesItsWindowIsAskedWhetherItIsThere() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            worker.send(head(worker.request().id(), "a"));
            client.readHead();
            pool.loops.awaitIdle();
            pool.advance(Duration.ofSeconds(15));
            worker.expect(Message.Ping.class);
            pool.advance(Duration.ofSeconds(5));
            assertEquals(LeaveReason.STUCK, pool.events.await(PoolEvent.Left.class).reason());
            assertEquals("1\r\na\r\n", client.readToEnd());
        }
    }

    @Test
    void aWorkerThatStreamsInItsWindowMayBeSilent() throws IOException {
        try (TestWorker worker = streaming(1, 0);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(head(id, "a"));
            client.readHead();
            pool.loops.awaitIdle();
            pool.advance(Duration.ofSeconds(60));
            worker.send(last(id, "b"));
            expect(client, "1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
        }
    }

    @Test
    void aWorkerThatDrainsEndsItsStreamsFirst() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(head(id, "a"), new Message.Drain());
            client.readHead();
            worker.send(piece(id, "b"));
            expect(client, "1\r\na\r\n1\r\nb\r\n");
            worker.send(last(id, ""));
            expect(client, "0\r\n\r\n");
            assertTrue(worker.remaining().isEmpty());
        }
    }

    @Test
    void streamsOfAWorkerThatIsToLeaveAreCutOffOneAfterTheOther() throws IOException {
        try (TestWorker worker = streaming(2, 0);
                RawClient first = get("/1");
                RawClient second = get("/2")) {
            long one = worker.request().id();
            long two = worker.request().id();
            worker.send(head(one, "a"), head(two, "a"));
            first.readHead();
            second.readHead();
            worker.send(new Message.Drain());
            pool.loops.awaitIdle();
            pool.advance(PoolLimits.DEFAULT.drainTimeout().minusNanos(1));
            worker.send(piece(one, "b"), piece(two, "b"));
            expect(first, "1\r\na\r\n1\r\nb\r\n");
            expect(second, "1\r\na\r\n1\r\nb\r\n");

            pool.advance(Duration.ofNanos(1));
            Message.Cancel cancel = worker.expect(Message.Cancel.class);
            assertEquals(CancelReason.DRAIN, cancel.reason());
            worker.send(last(cancel.id(), ""));
            assertFalse(worker.hasMessage());
            pool.loops.awaitIdle();
            pool.advance(Duration.ofSeconds(3));
            Message.Cancel other = worker.expect(Message.Cancel.class);
            assertEquals(one + two, cancel.id() + other.id());
            worker.send(last(other.id(), ""));
            assertEquals("", first.readToEnd());
            assertEquals("", second.readToEnd());
            assertTrue(worker.remaining().isEmpty());
        }
    }

    @Test
    void aPieceForAnIdThatHasEndedIsCountedAndHarmsNobody() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(head(id, ""), last(id, ""), piece(id, "late"), last(99, "never handed"));
            client.readHead();
            expect(client, "0\r\n\r\n");
            pool.events.await(PoolEvent.UnknownResponse.class);
            pool.events.await(PoolEvent.UnknownResponse.class);
            assertWorks(worker, client);
        }
    }

    @Test
    void aStreamIsSeenAmongTheRequestsInHand() throws IOException {
        try (TestWorker worker = streaming(1, 1);
                RawClient client = get("/events")) {
            long id = worker.request().id();
            worker.send(head(id, "four"));
            client.readHead();
            RequestSnapshot seen =
                    TestLoops.await(pool.pool.oldestRequests(10)).oldest().getFirst();
            assertEquals(RequestSnapshot.State.STREAMING, seen.state());
            assertEquals(4, seen.streamedBytes());
            worker.send(last(id, ""));
        }
    }

    private TestWorker streaming(int concurrency, int streams) throws IOException {
        TestWorker worker = TestWorker.joinStreaming(pool.path, concurrency, streams);
        pool.events.await(PoolEvent.Joined.class);
        return worker;
    }

    private RawClient connect() throws IOException {
        return new RawClient(server.port());
    }

    private RawClient get(String target) throws IOException {
        return connect().get(target);
    }

    private static void assertWorks(TestWorker worker, RawClient client) throws IOException {
        client.get("/next");
        worker.answerNext("next");
        assertEquals("next", client.readResponse().text());
    }

    private static Message head(long id, String first) {
        return new Message.Response(id, Response.of(200, Headers.EMPTY, Body.utf8(first)), true);
    }

    private static Message head(long id, int bytes) {
        return new Message.Response(
                id, Response.of(200, Headers.EMPTY, Body.of(new byte[bytes])), true);
    }

    private static Message length(long id, int bytes) {
        Headers headers = Headers.of("content-length", Integer.toString(bytes));
        return new Message.Response(id, Response.of(200, headers, Body.EMPTY), true);
    }

    private static Message piece(long id, String content) {
        return new Message.Data(id, true, Body.utf8(content));
    }

    private static Message piece(long id, int bytes) {
        return new Message.Data(id, true, Body.of(new byte[bytes]));
    }

    private static Message last(long id, String content) {
        return new Message.Data(id, false, Body.utf8(content));
    }

    private static void expect(RawClient client, String text) throws IOException {
        byte[] came = client.read(text.length());
        assertEquals(text, new String(came, StandardCharsets.ISO_8859_1));
    }
}
