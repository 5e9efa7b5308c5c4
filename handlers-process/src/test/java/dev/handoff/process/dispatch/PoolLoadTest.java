package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Abandonment;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What somebody sees of a pool who chooses one of several. */
final class PoolLoadTest {
    @Test
    void theSmallerShareOfThePlacesIsLess() {
        PoolLoad small = load(1, 2);
        PoolLoad large = load(3, 8);
        assertTrue(large.isLessThan(small));
        assertFalse(small.isLessThan(large));
        assertFalse(load(2, 4).isLessThan(small), "an equal share");
    }

    @Test
    void aPoolWithoutAPlaceIsFullerThanAnyOther() {
        PoolLoad empty = load(0, 0);
        assertTrue(load(9, 1).isLessThan(empty));
        assertFalse(empty.isLessThan(load(9, 1)));
        assertFalse(empty.isLessThan(load(0, 0)));
    }

    @Test
    void countsWhatWaitsAndWhatWorkersHold() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            pool.get("/held");
            pool.get("/waits");
            TestExchange left = pool.get("/left");
            assertEquals(3, requests(pool));
            left.abandon(Abandonment.CLIENT_GONE);
            pool.snapshot();
            assertEquals(2, requests(pool));
            worker.answerNext("first");
            worker.answerNext("second");
            pool.await(snapshot -> snapshot.inFlight() == 0);
            assertEquals(0, requests(pool));
        }
    }

    @Test
    void countsWhatNobodyWaitsForUntilItsWorkerIsDone() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange left = pool.get("/");
            Message.Request request = worker.request();
            left.abandon(Abandonment.CLIENT_GONE);
            pool.snapshot();
            assertEquals(1, requests(pool));
            worker.answer(request, "late");
            pool.await(snapshot -> snapshot.inFlight() == 0);
            assertEquals(0, requests(pool));
        }
    }

    @Test
    void aPoolThatItsWorkersLeaveHasNoPlace() throws IOException {
        PoolLoad fullest = load(100, 1);
        try (TestPool pool = TestPool.start()) {
            assertFalse(pool.pool.load().isLessThan(fullest), "before the first");
            TestWorker worker = pool.join(1);
            assertTrue(pool.pool.load().isLessThan(fullest));
            worker.close();
            pool.events.await(PoolEvent.Left.class);
            pool.snapshot();
            assertFalse(pool.pool.load().isLessThan(fullest), "after the last");
        }
    }

    private static int requests(TestPool pool) {
        return pool.pool.load().requests();
    }

    private static PoolLoad load(int requests, int places) {
        PoolLoad load = new PoolLoad();
        load.places(places);
        for (int i = 0; i < requests; i++) {
            load.entered();
        }
        return load;
    }
}
