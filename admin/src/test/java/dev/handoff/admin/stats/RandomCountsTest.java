package dev.handoff.admin.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Refusal;
import dev.handoff.http.RequestStart;
import dev.handoff.loop.LoopListener;
import dev.handoff.process.PoolListener;
import dev.handoff.process.Rejection;
import dev.handoff.server.ConnectionEnd;
import dev.handoff.server.ServerListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Whatever is counted, and however it is cut into windows: the windows add up to the totals, and
 * nothing in a total ever gets less.
 */
class RandomCountsTest {
    private static final RequestStart START = new RequestStart("", "");
    private static final int LOOPS = 3;
    private static final int ROUNDS = 50;
    private static final List<String> POOLS = List.of("a", "b", "c");

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final Counters counters = new Counters(LOOPS);

    @Test
    void windowsAddUpToTheTotals() {
        Totals base = totals();
        for (int round = 0; round < ROUNDS; round++) {
            count(random.nextInt(20));
            Totals now = totals();
            assertEquals(now, sum(base, now.minus(base)), () -> "seed " + seed);
            if (random.nextBoolean()) {
                base = now;
            }
        }
    }

    @Test
    void nothingInATotalEverGetsLess() {
        Totals before = totals();
        for (int round = 0; round < ROUNDS; round++) {
            count(random.nextInt(20));
            Totals now = totals();
            assertNoneLess(before, now);
            before = now;
        }
    }

    private void assertNoneLess(Totals before, Totals now) {
        now.connections().combine(before.connections(), this::notLess);
        now.requests().combine(before.requests(), this::notLess);
        now.refused().combine(before.refused(), this::notLess);
        before.pools()
                .forEach((name, earlier) -> {
                    PoolTotals later = Objects.requireNonNull(now.pools().get(name), name);
                    later.handed().combine(earlier.handed(), this::notLess);
                    later.rejected().combine(earlier.rejected(), this::notLess);
                    later.exits().combine(earlier.exits(), this::notLess);
                    notLess(later.waits().count(), earlier.waits().count());
                });
        for (int i = 0; i < LOOPS; i++) {
            LoopTotals earlier = before.loops().get(i);
            LoopTotals later = now.loops().get(i);
            notLess(later.opened(), earlier.opened());
            notLess(later.closed(), earlier.closed());
            notLess(later.turns().count(), earlier.turns().count());
        }
    }

    private long notLess(long later, long earlier) {
        assertTrue(later >= earlier, () -> later + " after " + earlier + ", seed " + seed);
        return later;
    }

    @SuppressWarnings("NullAway") // Who is counted for is nothing that counters look at.
    private void count(int events) {
        for (int i = 0; i < events; i++) {
            int loop = random.nextInt(LOOPS);
            ServerListener server = counters.serverListener().forLoop(loop);
            PoolListener pool = counters.poolListener(POOLS.get(random.nextInt(3)), loop);
            LoopListener turns = counters.loopListener().ofLoop(loop);
            switch (random.nextInt(8)) {
                case 0 -> server.onConnectionOpened();
                case 1 -> server.onConnectionClosed(oneOf(ConnectionEnd.values()));
                case 2 -> server.onRefused(oneOf(Refusal.values()), "", START);
                case 3 -> server.onReceived(random.nextInt(1000));
                case 4 -> pool.onRejected(oneOf(Rejection.values()));
                case 5 -> pool.onNeverJoined("a-1");
                case 6 ->
                        counters.loop(loop)
                                .pool("a")
                                .onDispatched(null, random.nextLong(10_000_000_000_000L));
                default -> turns.onTurn(null, 0, random.nextLong(1_000_000_000));
            }
        }
    }

    private <T> T oneOf(T[] values) {
        return values[random.nextInt(values.length)];
    }

    private Totals totals() {
        Totals sum = counters.loop(0).totals();
        for (int i = 1; i < LOOPS; i++) {
            sum = sum.plus(counters.loop(i).totals());
        }
        return sum;
    }

    /** Of the same loops, other than {@link Totals#plus}. */
    private static Totals sum(Totals base, Totals window) {
        TreeMap<String, PoolTotals> pools = new TreeMap<>(base.pools());
        window.pools().forEach((name, pool) -> pools.merge(name, pool, PoolTotals::plus));
        List<LoopTotals> loops = new ArrayList<>();
        for (int i = 0; i < LOOPS; i++) {
            LoopTotals before = base.loops().get(i);
            LoopTotals since = window.loops().get(i);
            loops.add(
                    new LoopTotals(
                            i,
                            before.opened() + since.opened(),
                            before.closed() + since.closed(),
                            before.requests() + since.requests(),
                            before.turns().plus(since.turns())));
        }
        return new Totals(
                base.connections().combine(window.connections(), Long::sum),
                base.requests().combine(window.requests(), Long::sum),
                base.refused().combine(window.refused(), Long::sum),
                base.unrouted().plus(window.unrouted()),
                pools,
                loops);
    }
}
