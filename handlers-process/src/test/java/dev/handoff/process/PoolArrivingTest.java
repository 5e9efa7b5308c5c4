package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.dispatch.PoolLimits;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pool whose workers get content as it comes, with the real server in front. */
final class PoolArrivingTest {
    private static final long NO_LIMIT = Message.MAX_ID;

    private TestPool pool;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start(PoolLimits.DEFAULT.withContentAsItComes(true));
        server =
                HttpServer.start(ServerOptions.of(pool.pool.handler()).withLoops(pool.loops.all()));
    }

    @AfterEach
    void stop() throws IOException {
        server.stop();
        pool.close();
    }

    @Test
    void theHeadComesFirstAndEachPieceAtOnce() throws IOException {
        try (TestWorker worker = streaming(1, NO_LIMIT);
                RawClient client = connect()) {
            client.send(head("Content-Length: 8"));
            Message.Request request = worker.request();
            assertTrue(request.more());
            assertEquals("8", request.headers().first("content-length"));
            client.send("one ");
            assertEquals("one ", piece(worker, request, true));
            client.send("two ");
            assertEquals("two ", rest(worker, request));
            worker.answer(request, "ok");
            assertEquals("ok", client.readResponse().text());
        }
    }

    @Test
    void chunkedContentHasNoLength() throws IOException {
        try (TestWorker worker = streaming(1, NO_LIMIT);
                RawClient client = connect()) {
            client.send(head("Transfer-Encoding: chunked") + "3\r\none\r\n");
            Message.Request request = worker.request();
            assertNull(request.headers().first("content-length"));
            assertEquals("chunked", request.headers().first("transfer-encoding"));
            assertEquals("one", piece(worker, request, true));
            client.send("0\r\n\r\n");
            assertEquals("", piece(worker, request, false));
            worker.answer(request, "ok");
            assertEquals("ok", client.readResponse().text());
        }
    }

    @Test
    void whatIsThereWithItsHeadComesWhole() throws IOException {
        try (TestWorker worker = streaming(1, NO_LIMIT);
                RawClient client = connect()) {
            client.post("/small", "content");
            Message.Request request = worker.request();
            assertFalse(request.more());
            assertEquals("content", request.body().toUtf8());
        }
    }

    @Test
    void theLastPieceNeedsNoCreditIfItIsEmpty() throws IOException {
        try (TestWorker worker = streaming(1, 3);
                RawClient client = connect()) {
            client.send(head("Transfer-Encoding: chunked") + "3\r\none\r\n");
            Message.Request request = worker.request();
            assertEquals("one", piece(worker, request, true));
            client.send("0\r\n\r\n");
            assertEquals("", piece(worker, request, false));
        }
    }

    @Test
    void aWorkerGetsNoMoreThanItGrants() throws IOException {
        try (TestWorker worker = streaming(1, 3);
                RawClient client = connect()) {
            client.send(head("Content-Length: 6"));
            Message.Request request = worker.request();
            client.send("one");
            assertEquals("one", piece(worker, request, true));
            client.send("two");
            pool.loops.awaitIdle();
            assertFalse(worker.hasMessage());
            worker.send(new Message.Credit(request.id(), 1));
            assertEquals("two", rest(worker, request));
        }
    }

    @Test
    void theClientIsToldToGoOnWhenAWorkerHasIt() throws IOException {
        try (RawClient client = connect()) {
            client.send(head("Content-Length: 7\r\nExpect: 100-continue"));
            pool.await(snapshot -> snapshot.queued() == 1);
            pool.loops.awaitIdle();
            assertFalse(client.hasInput());
            try (TestWorker worker = streaming(1, NO_LIMIT)) {
                Message.Request request = worker.request();
                assertEquals("HTTP/1.1 100 Continue\r\n", client.readHead().head());
                client.send("content");
                assertEquals("content", rest(worker, request));
                worker.answer(request, "ok");
                assertEquals("ok", client.readResponse().text());
            }
        }
    }

    @Test
    void theClientIsNotToldToGoOnBeforeItsWorkerGrantsCredit() throws IOException {
        try (TestWorker worker = streaming(1, 0);
                RawClient client = connect()) {
            client.send(head("Content-Length: 7\r\nExpect: 100-continue"));
            Message.Request request = worker.request();
            pool.loops.awaitIdle();
            assertFalse(client.hasInput());
            worker.send(new Message.Credit(request.id(), 1));
            assertEquals("HTTP/1.1 100 Continue\r\n", client.readHead().head());
            client.send("content");
            assertEquals("content", rest(worker, request));
        }
    }

    @Test
    void contentThatIsCutEndsInACancel() throws IOException {
        try (TestWorker worker = streaming(1, NO_LIMIT);
                RawClient client = connect()) {
            client.send(head("Transfer-Encoding: chunked") + "3\r\none\r\n");
            Message.Request request = worker.request();
            assertEquals("one", piece(worker, request, true));
            client.send("no size\r\n");
            assertEquals("bad_chunk_size", client.readResponse().header("handoff-error"));
            Message.Cancel cancel = worker.expect(Message.Cancel.class);
            assertEquals(CancelReason.CLIENT_GONE, cancel.reason());
            worker.send(new Message.Failure(request.id(), "cut off", false));
            try (RawClient next = connect()) {
                next.get("/next");
                worker.answer(worker.request(), "next");
                assertEquals("next", next.readResponse().text());
            }
        }
    }

    @Test
    void contentThatIsStillToComeEndsWhenItsWorkerHasHadItsTimeToLeave() throws IOException {
        Duration toLeave = Duration.ofSeconds(5);
        pool.pool.limits(PoolLimits.DEFAULT.withContentAsItComes(true).withDrainTimeout(toLeave));
        try (TestWorker worker = streaming(8, NO_LIMIT);
                RawClient slow = connect();
                RawClient whole = connect()) {
            slow.send(head("Content-Length: 8"));
            Message.Request request = worker.request();
            slow.send("one ");
            assertEquals("one ", piece(worker, request, true));
            whole.get("/whole");
            Message.Request other = worker.request();

            var _ = pool.pool.drainWorker("default-external-1");
            worker.expect(Message.Drain.class);
            pool.advance(toLeave);
            assertEquals("worker_drained", slow.readResponse().header("handoff-error"));
            assertEquals(CancelReason.DRAIN, worker.expect(Message.Cancel.class).reason());
            worker.answer(other, "ok");
            assertEquals("ok", whole.readResponse().text());
        }
    }

    @Test
    void aRequestThatIsGivenBackBeginsAgain() throws IOException {
        try (TestWorker first = streaming(1, NO_LIMIT);
                RawClient client = connect()) {
            client.send(head("Content-Length: 8"));
            Message.Request request = first.request();
            client.send("one ");
            assertEquals("one ", piece(first, request, true));
            try (TestWorker second = streaming(1, NO_LIMIT)) {
                first.send(new Message.Failure(request.id(), "leaving", true));
                Message.Request again = second.request();
                assertEquals("one ", piece(second, again, true));
                client.send("two ");
                assertEquals("two ", rest(second, again));
                second.answer(again, "second");
                assertEquals("second", client.readResponse().text());
            }
        }
    }

    @Test
    void itsTimeCountsFromTheEndOfTheContentAlsoForAnotherWorker() throws IOException {
        Duration timeout = ServerLimits.DEFAULT.requestTimeout();
        try (TestWorker first = streaming(1, NO_LIMIT);
                RawClient client = connect()) {
            client.send(head("Content-Length: 8"));
            Message.Request request = first.request();
            assertEquals(timeout.toMillis(), request.timeoutMillis());
            pool.advance(ServerLimits.DEFAULT.bodyTimeout().dividedBy(2));
            client.send("one ");
            assertEquals("one ", piece(first, request, true));
            try (TestWorker second = streaming(1, NO_LIMIT)) {
                first.send(new Message.Failure(request.id(), "leaving", true));
                assertEquals(timeout.toMillis(), second.request().timeoutMillis());
            }
        }
    }

    @Test
    void aWorkerWhoseClientLeavesMayKeepItAsIfTheContentHadEnded() throws IOException {
        Duration timeout = ServerLimits.DEFAULT.requestTimeout();
        try (TestWorker worker = streaming(1, NO_LIMIT)) {
            Message.Request request;
            try (RawClient client = connect()) {
                client.send(head("Content-Length: 8"));
                request = worker.request();
                pool.advance(ServerLimits.DEFAULT.bodyTimeout().dividedBy(2));
                client.send("one ");
                assertEquals("one ", piece(worker, request, true));
            }
            assertEquals(CancelReason.CLIENT_GONE, worker.expect(Message.Cancel.class).reason());
            pool.advance(timeout);
            worker.send(new Message.Failure(request.id(), "late", false));
            try (RawClient next = connect()) {
                next.get("/next");
                worker.answer(worker.request(), "next");
                assertEquals("next", next.readResponse().text());
            }
        }
    }

    @Test
    void aRequestOfWhichMuchIsGoneCannotBeGivenBack() throws IOException {
        try (TestWorker worker = streaming(1, NO_LIMIT);
                RawClient client = connect()) {
            client.send(head("Content-Length: 1000000"));
            Message.Request request = worker.request();
            client.send(new byte[70_000]);
            int came = 0;
            while (came < 70_000) {
                came += piece(worker, request, true).length();
            }
            worker.send(new Message.Failure(request.id(), "leaving", true));
            RawResponse response = client.readResponse();
            assertEquals("handler_failed", response.header("handoff-error"));
            assertEquals("close", response.header("connection"));
        }
    }

    @Test
    void aWorkerThatDiesLosesTheRequest() throws IOException {
        try (RawClient client = connect()) {
            TestWorker worker = streaming(1, NO_LIMIT);
            client.send(head("Content-Length: 8") + "one ");
            assertEquals("one ", piece(worker, worker.request(), true));
            worker.die();
            assertEquals("worker_lost", client.readResponse().header("handoff-error"));
        }
    }

    @Test
    void aWorkerWithoutStreamsGetsNone() throws IOException {
        try (TestWorker worker = pool.join(1);
                RawClient client = connect()) {
            client.send(head("Content-Length: 8") + "one ");
            assertEquals("no_worker_takes_it", client.readResponse().header("handoff-error"));
            assertFalse(worker.hasMessage());
        }
    }

    @Test
    void severalArriveAtOnce() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        try (TestWorker worker = streaming(10, NO_LIMIT)) {
            for (int i = 0; i < 8; i++) {
                RawClient client = connect();
                clients.add(client);
                client.send(head("Content-Length: 200000"));
                worker.request();
            }
            for (RawClient client : clients) {
                client.send(new byte[199_999]);
            }
            int came = 0;
            while (came < 8 * 199_999) {
                came += worker.expect(Message.Data.class).body().sizeBytes();
            }
            pool.loops.awaitIdle();
            assertFalse(worker.hasMessage());
            for (RawClient client : clients) {
                client.send("x");
            }
            // The end may be known only after the last bytes.
            int ended = 0;
            while (ended < 8) {
                ended += worker.expect(Message.Data.class).more() ? 0 : 1;
            }
            pool.loops.awaitIdle();
            assertFalse(worker.hasMessage());
        }
        for (RawClient client : clients) {
            client.close();
        }
    }

    @Test
    void someWhoTrickleLeaveAPartOfThePlacesToOthers() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(8, NO_LIMIT)) {
            for (int i = 0; i < 6; i++) {
                clients.connect().send(head("Content-Length: 8") + "o");
                assertEquals("/up", worker.request().target());
                piece(worker);
            }
            for (int i = 0; i < 6; i++) {
                clients.connect().send(head("Content-Length: 8") + "o");
            }
            pool.await(snapshot -> snapshot.queued() == 6);
            clients.connect().get("/next");
            assertEquals("/next", worker.request().target());
            clients.connect().post("/small", "whole");
            assertEquals("/small", worker.request().target());
            pool.loops.awaitIdle();
            assertFalse(worker.hasMessage());
        }
    }

    /** Alone neither would: the only place of a worker is for whoever comes. */
    @Test
    void workersWithOnePlaceEachKeepOneOfThemForOthers() throws IOException {
        try (Clients clients = new Clients();
                TestWorker one = streaming(1, NO_LIMIT);
                TestWorker other = streaming(1, NO_LIMIT)) {
            pool.await(snapshot -> snapshot.workers().size() == 2);
            clients.connect().send(head("Content-Length: 2") + "o");
            pool.await(snapshot -> snapshot.inFlight() == 1);
            clients.connect().send(head("Content-Length: 2") + "o");
            pool.await(snapshot -> snapshot.queued() == 1);

            clients.connect().get("/whole");
            pool.await(snapshot -> snapshot.inFlight() == 2);
            assertEquals(
                    Set.of("/up", "/whole"),
                    Set.of(one.request().target(), other.request().target()));
        }
    }

    @Test
    void aWorkerWithFewerThreadsThanItsWindowKeepsAThreadForOthers() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = TestWorker.connect(pool.path)) {
            worker.send(blocking(16, 4));
            worker.expect(Message.Welcome.class);
            for (int i = 0; i < 3; i++) {
                clients.connect().send(head("Content-Length: 8") + "o");
                worker.request();
                piece(worker);
            }
            clients.connect().send(head("Content-Length: 8") + "o");
            pool.await(snapshot -> snapshot.queued() == 1);
            clients.connect().get("/next");
            assertEquals("/next", worker.request().target());
            pool.loops.awaitIdle();
            assertFalse(worker.hasMessage());
        }
    }

    @Test
    void aWorkerWhoseOnlyThreadWaitsGetsNothingBehindThat() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = TestWorker.connect(pool.path)) {
            worker.send(blocking(16, 1));
            worker.expect(Message.Welcome.class);
            RawClient slow = clients.connect();
            slow.send(head("Content-Length: 8") + "o");
            long slowId = worker.request().id();
            piece(worker);
            clients.connect().get("/next");
            pool.await(snapshot -> snapshot.queued() == 1);
            pool.advance(Duration.ofSeconds(1));
            assertEquals("body_too_slow", slow.readResponse().header("handoff-error"));
            assertEquals(slowId, worker.expect(Message.Cancel.class).id());
            worker.send(new Message.Failure(slowId, "cut off", false));
            assertEquals("/next", worker.request().target());
        }
    }

    @Test
    void aRequestThatHasComeWholeCountsWithTheOthers() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(4, NO_LIMIT)) {
            for (int i = 0; i < 2; i++) {
                clients.connect().send(head("Content-Length: 2") + "o");
                worker.request();
                piece(worker);
            }
            RawClient last = clients.connect();
            last.send(head("Content-Length: 2") + "o");
            Message.Request request = worker.request();
            piece(worker);
            clients.connect().send(head("Content-Length: 2") + "o");
            pool.await(snapshot -> snapshot.queued() == 1);
            last.send("k");
            assertEquals("k", rest(worker, request));
            assertEquals("/up", worker.request().target());
        }
    }

    @Test
    void whatHasComeWholeDoesNotWaitBehindWhatHasYetToCome() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(2, NO_LIMIT)) {
            clients.connect().send(head("Content-Length: 2") + "o");
            worker.request();
            piece(worker);
            clients.connect().send(head("Content-Length: 2") + "o");
            pool.await(snapshot -> snapshot.queued() == 1);
            RawClient quick = clients.connect();
            quick.send(head("Content-Length: 2") + "o");
            pool.await(snapshot -> snapshot.queued() == 2);
            quick.send("k");
            Message.Request request = worker.request();
            assertEquals(
                    "ok", request.body().toUtf8() + (request.more() ? rest(worker, request) : ""));
            worker.answer(request, "ok");
            assertEquals("ok", quick.readResponse().text());
        }
    }

    /** What is held of their content is not in their frames, but in memory all the same. */
    @Test
    void whatWaitsCountsWithTheContentThatItMayHold() throws IOException {
        try (Clients clients = new Clients()) {
            clients.connect().send(head("Content-Length: 2") + "o");
            pool.await(snapshot -> snapshot.queued() == 1);
            long small = pool.snapshot().queuedBytes();
            assertTrue(small < 2048, "" + small);
            clients.connect().send(head("Content-Length: 1000000") + "o");
            clients.connect().send(head("Transfer-Encoding: chunked") + "1\r\no\r\n");
            pool.await(snapshot -> snapshot.queued() == 3);
            long all = pool.snapshot().queuedBytes();
            assertTrue(all > 2 * 80 * 1024 && all < 2 * 84 * 1024, "" + all);
        }
    }

    @Test
    void theSlowestGoesWhereOthersWait() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(1, NO_LIMIT)) {
            RawClient slow = clients.connect();
            slow.send(head("Content-Length: 8") + "o");
            Message.Request slowOne = worker.request();
            piece(worker);
            RawClient next = clients.connect();
            next.get("/next");
            pool.await(snapshot -> snapshot.queued() == 1);
            pool.advance(Duration.ofMillis(999));
            assertFalse(slow.hasInput());
            pool.advance(Duration.ofMillis(1));
            RawResponse refused = slow.readResponse();
            assertEquals(408, refused.status());
            assertEquals("body_too_slow", refused.header("handoff-error"));
            assertEquals(slowOne.id(), worker.expect(Message.Cancel.class).id());
            worker.send(new Message.Failure(slowOne.id(), "cut off", false));
            worker.answer(worker.request(), "next");
            assertEquals("next", next.readResponse().text());
        }
    }

    @Test
    void whoHasWaitedForTheOnlyPlaceGoesBeforeTheNextThatTrickles() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(1, NO_LIMIT)) {
            clients.connect().send(head("Content-Length: 8") + "o");
            Message.Request slow = worker.request();
            piece(worker);
            clients.connect().send(head("Content-Length: 7\r\nExpect: 100-continue"));
            pool.await(snapshot -> snapshot.queued() == 1);
            clients.connect().get("/next");
            pool.await(snapshot -> snapshot.queued() == 2);
            pool.advance(Duration.ofSeconds(1));
            assertEquals(slow.id(), worker.expect(Message.Cancel.class).id());
            worker.send(new Message.Failure(slow.id(), "cut off", false));
            assertEquals("/next", worker.request().target());
        }
    }

    @Test
    void theSlowestGoesFirstAndNoMoreThanAreNeeded() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(4, NO_LIMIT)) {
            RawClient quick = clients.connect();
            quick.send(head("Content-Length: 200000") + "o");
            worker.request();
            piece(worker);
            RawClient slow = clients.connect();
            slow.send(head("Content-Length: 8") + "o");
            long slowest = worker.request().id();
            piece(worker);
            pool.advance(Duration.ofSeconds(1));
            clients.connect().send(head("Content-Length: 8") + "o");
            worker.request();
            piece(worker);
            RawClient newcomer = clients.connect();
            newcomer.send(head("Content-Length: 200000") + "o");
            pool.await(snapshot -> snapshot.queued() == 1);
            quick.send(new byte[70_000]);
            newcomer.send(new byte[70_000]);
            int came = 0;
            while (came < 70_000) {
                came += piece(worker).length();
            }
            pool.loops.awaitIdle();
            pool.advance(Duration.ofSeconds(1));
            assertEquals("body_too_slow", slow.readResponse().header("handoff-error"));
            assertEquals(slowest, worker.expect(Message.Cancel.class).id());
            pool.loops.awaitIdle();
            assertFalse(worker.hasMessage());
        }
    }

    @Test
    void nobodyGoesForThoseThatAreAsSlow() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(1, NO_LIMIT)) {
            for (int i = 0; i < 3; i++) {
                clients.connect().send(head("Content-Length: 8") + "o");
            }
            worker.request();
            piece(worker);
            pool.await(snapshot -> snapshot.queued() == 2);
            pool.advance(Duration.ofSeconds(3));
            pool.loops.awaitIdle();
            assertFalse(worker.hasMessage());
            assertEquals(2, pool.snapshot().queued());
        }
    }

    @Test
    void aClientThatWaitsToBeToldToGoOnIsNotSlow() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(1, NO_LIMIT)) {
            clients.connect().send(head("Content-Length: 8") + "o");
            Message.Request slow = worker.request();
            piece(worker);
            RawClient expecting = clients.connect();
            expecting.send(head("Content-Length: 7\r\nExpect: 100-continue"));
            pool.await(snapshot -> snapshot.queued() == 1);
            pool.advance(Duration.ofSeconds(1));
            assertEquals(slow.id(), worker.expect(Message.Cancel.class).id());
            worker.send(new Message.Failure(slow.id(), "cut off", false));
            worker.request();
            assertEquals("HTTP/1.1 100 Continue\r\n", expecting.readHead().head());
        }
    }

    @Test
    void aClientThatItsWorkerKeepsWaitingIsNotSlow() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(1, 1)) {
            RawClient held = clients.connect();
            held.send(head("Content-Length: 1000000") + "o");
            worker.request();
            piece(worker);
            held.send(new byte[400_000]);
            clients.connect().get("/next");
            pool.await(snapshot -> snapshot.queued() == 1);
            pool.advance(Duration.ofSeconds(3));
            pool.loops.awaitIdle();
            assertFalse(worker.hasMessage());
            assertFalse(held.hasInput());
        }
    }

    /** Else they would never be slow, and hold the queue for as long as it lets them. */
    @Test
    void thoseInTheQueueThatWaitToBeToldToGoOnAreToldWhereOthersWait() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(1, NO_LIMIT)) {
            RawClient first = clients.connect();
            first.send(head("Content-Length: 7\r\nExpect: 100-continue"));
            worker.request();
            assertEquals("HTTP/1.1 100 Continue\r\n", first.readHead().head());
            RawClient silent = clients.connect();
            silent.send(head("Content-Length: 7\r\nExpect: 100-continue"));
            pool.await(snapshot -> snapshot.queued() == 1);
            pool.advance(Duration.ofMillis(999));
            assertFalse(silent.hasInput());
            pool.advance(Duration.ofMillis(1));
            assertEquals("HTTP/1.1 100 Continue\r\n", silent.readHead().head());
            assertEquals("body_too_slow", first.readResponse().header("handoff-error"));

            clients.connect().get("/next");
            pool.await(snapshot -> snapshot.queued() == 2);
            pool.advance(Duration.ofSeconds(1));
            assertEquals("body_too_slow", silent.readResponse().header("handoff-error"));
        }
    }

    @Test
    void whatHasComeWholeInTheQueueTakesNoPlaceOfThoseToCome() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(4, 1)) {
            for (int i = 0; i < 3; i++) {
                RawClient held = clients.connect();
                held.send(head("Content-Length: 1000000") + "o");
                worker.request();
                piece(worker);
                held.send(new byte[400_000]);
            }
            RawClient whole = clients.connect();
            whole.send("POST /whole HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n");
            pool.await(snapshot -> snapshot.queued() == 1);
            clients.connect().send(head("Content-Length: 8\r\nExpect: 100-continue"));
            pool.await(snapshot -> snapshot.queued() == 2);
            whole.send("and more");
            awaitContent("/whole", 8);
            pool.advance(Duration.ofMillis(1001));
            assertEquals("/whole", worker.request().target());
        }
    }

    @Test
    void whoHasSentMuchIsServedBeforeThoseThatHaveSentNothing() throws IOException {
        try (Clients clients = new Clients();
                TestWorker worker = streaming(4, NO_LIMIT)) {
            for (int i = 0; i < 3; i++) {
                clients.connect().send(head("Content-Length: 8") + "o");
                worker.request();
                piece(worker);
            }
            RawClient much = clients.connect();
            much.send("POST /much HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n");
            pool.await(snapshot -> snapshot.queued() == 1);
            clients.connect().send(head("Content-Length: 7\r\nExpect: 100-continue"));
            pool.await(snapshot -> snapshot.queued() == 2);
            much.send(new byte[300_000]);
            awaitContent("/much", 64 * 1024);
            pool.advance(Duration.ofMillis(1001));
            List<Long> cutOff = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                cutOff.add(worker.expect(Message.Cancel.class).id());
            }
            for (long id : cutOff) {
                worker.send(new Message.Failure(id, "cut off", false));
            }
            assertEquals("/much", worker.request().target());
        }
    }

    /** Those that a test opens, closed with it. */
    private final class Clients implements AutoCloseable {
        private final List<RawClient> all = new ArrayList<>();

        RawClient connect() throws IOException {
            RawClient client = PoolArrivingTest.this.connect();
            all.add(client);
            return client;
        }

        @Override
        public void close() throws IOException {
            for (RawClient client : all) {
                client.close();
            }
        }
    }

    /** Waits until so much has come of a request in the queue. */
    private void awaitContent(String target, int bytes) {
        pool.await(snapshot ->
                TestLoops.await(pool.pool.oldestRequests(10)).oldest().stream()
                        .anyMatch(
                                each -> each.target().equals(target) && each.bodyBytes() >= bytes));
    }

    private static Message.Hello blocking(int concurrency, int threads) {
        return TestWorker.uploading(
                concurrency, List.of(Message.STREAMS), Integer.MAX_VALUE, NO_LIMIT, threads);
    }

    private static String piece(TestWorker worker) throws IOException {
        return worker.expect(Message.Data.class).body().toUtf8();
    }

    private TestWorker streaming(int concurrency, long streamBytes) throws IOException {
        return TestWorker.joinUploading(pool.path, concurrency, Integer.MAX_VALUE, streamBytes);
    }

    private RawClient connect() throws IOException {
        return new RawClient(server.port());
    }

    private static String head(String fields) {
        return "POST /up HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n\r\n";
    }

    private static String piece(TestWorker worker, Message.Request request, boolean more)
            throws IOException {
        Message.Data piece = worker.expect(Message.Data.class);
        assertEquals(request.id(), piece.id());
        assertEquals(more, piece.more());
        return new String(piece.body().toArray(), StandardCharsets.ISO_8859_1);
    }

    /** The end may be known only after the last bytes. */
    private static String rest(TestWorker worker, Message.Request request) throws IOException {
        StringBuilder all = new StringBuilder();
        Message.Data piece;
        do {
            piece = worker.expect(Message.Data.class);
            assertEquals(request.id(), piece.id());
            all.append(piece.body().toUtf8());
        } while (piece.more());
        return all.toString();
    }
}
