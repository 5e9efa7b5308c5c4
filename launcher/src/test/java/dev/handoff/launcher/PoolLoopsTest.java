package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.PoolLimits;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where pools go, and what connections they keep from their loops. */
class PoolLoopsTest {
    private EventLoops loops;
    private PoolLoops poolLoops;

    @BeforeEach
    void start() throws IOException {
        loops = EventLoops.start("test", 3, Clock.SYSTEM, new LoopListener() {});
        poolLoops = new PoolLoops(loops);
    }

    @AfterEach
    void stop() throws InterruptedException {
        loops.stop();
    }

    @Test
    void aPoolGoesWhereTheFewestAreAndRatherToTheLastLoop() {
        assertEquals(2, poolLoops.choose(List.of()));
        assertEquals(1, poolLoops.choose(List.of(on(2))));
        assertEquals(0, poolLoops.choose(List.of(on(2), on(1))));
        assertEquals(2, poolLoops.choose(List.of(on(2), on(1), on(0))));
    }

    @Test
    void onePoolCostsItsLoopAll() {
        poolLoops.serve(List.of(on(2)));
        assertEquals(List.of(0, 0, 230), work());
    }

    @Test
    void severalShareTheCost() {
        poolLoops.serve(List.of(on(2), on(1), on(2), on(0)));
        assertEquals(List.of(57, 57, 115), work());
    }

    @Test
    void withoutPoolsThereIsNoCost() {
        poolLoops.serve(List.of(on(2)));
        poolLoops.serve(List.of());
        assertEquals(List.of(0, 0, 0), work());
    }

    private List<Integer> work() {
        return IntStream.range(0, 3).mapToObj(i -> poolLoops.work(loops.get(i))).toList();
    }

    private WorkerPool on(int loop) {
        return new WorkerPool("a", loops.get(loop), PoolLimits.DEFAULT, List.of(), "handoff/test");
    }
}
