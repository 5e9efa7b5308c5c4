package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.PoolLimits;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which of several pools that are equally filled gets a request. */
class PoolChoiceTest {
    /** So many choices at random leave one of two out once in 10^30 runs. */
    private static final int CHOICES = 100;

    private EventLoops loops;

    @BeforeEach
    void start() throws IOException {
        loops = EventLoops.start("test", 3, Clock.SYSTEM, new LoopListener() {});
    }

    @AfterEach
    void stop() throws InterruptedException {
        loops.stop();
    }

    @Test
    void theOneOnTheLoopOfTheClient() {
        WorkerPool first = on(0);
        WorkerPool last = on(2);
        PoolChoice choice = choice(first, last);
        for (int i = 0; i < CHOICES; i++) {
            assertEquals(first, choice.choose(loops.get(0)).pool());
            assertEquals(last, choice.choose(loops.get(2)).pool());
        }
    }

    @Test
    void anyWhereTheClientsLoopHasNone() {
        WorkerPool first = on(0);
        WorkerPool last = on(2);
        PoolChoice choice = choice(first, last);
        EventLoop between = loops.get(1);
        Set<WorkerPool> chosen = new HashSet<>();
        for (int i = 0; i < CHOICES; i++) {
            chosen.add(choice.choose(between).pool());
        }
        assertEquals(Set.of(first, last), chosen);
    }

    private static PoolChoice choice(WorkerPool... pools) {
        return new PoolChoice(
                Stream.of(pools)
                        .map(pool -> new PoolChoice.Candidate(pool, pool.handler()))
                        .toList());
    }

    private WorkerPool on(int loop) {
        return new WorkerPool("pool", loops.get(loop), PoolLimits.DEFAULT, List.of(), "test");
    }
}
