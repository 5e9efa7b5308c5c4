package dev.handoff.process;

import dev.handoff.loop.TurnedLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever clients, workers and the clock do, and in whichever order: a response reaches the
 * request that it was made for and no other, and nothing is done twice, lost or left over.
 *
 * <p>One thread turns the loop, moves the clock and plays everybody else, so that a seed says all.
 */
final class RandomSchedulesTest {
    private static final int SCHEDULES = 1000;
    private static final int STEPS = 80;

    /** A seed that failed, to be looked at alone; 0 for all. */
    private static final long ONLY_SEED = 0;

    @TempDir private Path folder;

    @Test
    void everyRequestEndsOnceAndNoResponseReachesAnother() throws IOException {
        try (TurnedLoop turned = new TurnedLoop();
                SocketPairs sockets = new SocketPairs(folder.resolve("s"))) {
            for (long seed = 1; seed <= SCHEDULES; seed++) {
                if (ONLY_SEED == 0 || ONLY_SEED == seed) {
                    play(seed, turned, sockets);
                }
            }
        }
    }

    private static void play(long seed, TurnedLoop turned, SocketPairs sockets) {
        try {
            Schedule schedule = new Schedule(new Random(seed), turned, sockets);
            for (int step = 0; step < STEPS; step++) {
                schedule.step();
            }
            schedule.finish();
        } catch (Throwable failure) {
            throw new AssertionError("with seed " + seed + ": " + failure, failure);
        }
    }
}
