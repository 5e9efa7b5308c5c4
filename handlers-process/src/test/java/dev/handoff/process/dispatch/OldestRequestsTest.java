package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a pool tells of the requests that it has. */
final class OldestRequestsTest {
    private static final Duration TICK = Duration.ofMillis(10);

    @Test
    void tellsTheOldestFirstWhereverTheyAre() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(2)) {
            for (int i = 0; i < 5; i++) {
                pool.get("/" + i);
                pool.advance(TICK);
            }
            worker.request();
            worker.request();
            OldestRequests all = TestLoops.await(pool.pool.oldestRequests(100));
            assertEquals(5, all.count());
            assertEquals(List.of("/0", "/1", "/2", "/3", "/4"), targets(all));
            assertEquals(RequestSnapshot.State.RUNNING, all.oldest().get(1).state());
            assertEquals("default-external-1", all.oldest().get(1).worker());
            assertEquals(TICK.multipliedBy(4), all.oldest().get(1).handled());
            RequestSnapshot queued = all.oldest().get(2);
            assertEquals(RequestSnapshot.State.QUEUED, queued.state());
            assertEquals(TICK.multipliedBy(3), queued.waited());
            assertEquals(queued.age(), queued.waited());
        }
    }

    @Test
    void describesNoMoreThanAreAskedForButCountsAll() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(3)) {
            for (int i = 0; i < 7; i++) {
                pool.get("/" + i);
                pool.advance(TICK);
            }
            for (int i = 0; i < 3; i++) {
                worker.request();
            }
            OldestRequests some = TestLoops.await(pool.pool.oldestRequests(4));
            assertEquals(7, some.count());
            assertEquals(List.of("/0", "/1", "/2", "/3"), targets(some));
        }
    }

    private static List<String> targets(OldestRequests found) {
        List<String> targets = new ArrayList<>();
        found.oldest().forEach(each -> targets.add(each.target()));
        return targets;
    }
}
