package dev.handoff.admin.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Refusal;
import dev.handoff.http.RequestStart;
import dev.handoff.loop.LoopListener;
import dev.handoff.process.PoolListener;
import dev.handoff.process.dispatch.Rejection;
import dev.handoff.server.ConnectionEnd;
import dev.handoff.server.ServerListener;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * However events fall on loops and pools, and however they are cut into windows: each window has
 * what happened in it, as a tally has it that knows neither loops nor differences.
 */
class RandomCountsTest {
    private static final RequestStart START = new RequestStart("", "");
    private static final int LOOPS = 3;
    private static final int ROUNDS = 50;
    private static final List<String> POOLS = List.of("a", "b", "c");

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final Counters counters = new Counters(LOOPS);

    /** What happened since the window began; what did not is not in it. */
    private final Map<String, Long> happened = new TreeMap<>();

    @Test
    void eachWindowHasWhatHappenedInIt() {
        Totals base = totals();
        for (int round = 0; round < ROUNDS; round++) {
            count(random.nextInt(20));
            Totals now = totals();
            assertEquals(happened, tally(now.minus(base)), () -> "seed " + seed);
            if (random.nextBoolean()) {
                base = now;
                happened.clear();
            }
        }
    }

    @SuppressWarnings("NullAway") // Who is counted for is nothing that counters look at.
    private void count(int events) {
        for (int i = 0; i < events; i++) {
            int loop = random.nextInt(LOOPS);
            ServerListener server = counters.serverListener().forLoop(loop);
            String name = POOLS.get(random.nextInt(POOLS.size()));
            PoolListener pool = counters.poolListener(name, loop);
            LoopListener turns = counters.loopListener().ofLoop(loop);
            switch (random.nextInt(8)) {
                case 0 -> {
                    server.onConnectionOpened("192.0.2.1:1");
                    add("opened", 1);
                    add("opened on " + loop, 1);
                }
                case 1 -> {
                    ConnectionEnd end = oneOf(ConnectionEnd.values());
                    server.onConnectionClosed(end);
                    add("closed " + end, 1);
                    add("closed on " + loop, 1);
                }
                case 2 -> {
                    Refusal refusal = oneOf(Refusal.values());
                    server.onRefused(refusal, "", START, 0);
                    add("refused " + refusal, 1);
                }
                case 3 -> {
                    int bytes = random.nextInt(1000);
                    server.onReceived(bytes);
                    add("bytes", bytes);
                }
                case 4 -> {
                    Rejection reason = oneOf(Rejection.values());
                    pool.onRejected(reason, 1);
                    add("rejected by " + name + " " + reason, 1);
                }
                case 5 -> {
                    pool.onNeverJoined(name + "-1");
                    add("ended in " + name + " " + WorkerEnd.NEVER_JOINED, 1);
                }
                case 6 -> {
                    pool.onDispatched(null, random.nextLong(10_000_000_000_000L));
                    add("dispatched by " + name, 1);
                    add("waits in " + name, 1);
                }
                default -> {
                    turns.onTurn(0, random.nextLong(1_000_000_000));
                    add("turns of " + loop, 1);
                }
            }
        }
    }

    private void add(String what, long count) {
        put(what, happened.getOrDefault(what, 0L) + count, happened);
    }

    private static void put(String what, long count, Map<String, Long> tally) {
        if (count != 0) {
            tally.put(what, count);
        }
    }

    private static Map<String, Long> tally(Totals window) {
        Map<String, Long> tally = new TreeMap<>();
        put("opened", window.of(ServerCount.ACCEPTED), tally);
        put("bytes", window.of(ServerCount.BYTES_IN), tally);
        putAll("closed ", window.closed(), tally);
        putAll("refused ", window.refused(), tally);
        window.pools()
                .forEach((name, pool) -> {
                    putAll("rejected by " + name + " ", pool.rejected(), tally);
                    putAll("ended in " + name + " ", pool.exits(), tally);
                    put("dispatched by " + name, pool.counts().of(PoolCount.DISPATCHED), tally);
                    put("waits in " + name, pool.waits().count(), tally);
                });
        for (LoopTotals loop : window.loops()) {
            put("opened on " + loop.index(), loop.opened(), tally);
            put("closed on " + loop.index(), loop.closed(), tally);
            put("turns of " + loop.index(), loop.turns().count(), tally);
        }
        return tally;
    }

    private static <E extends Enum<E>> void putAll(
            String what, CountsBy<E> counts, Map<String, Long> tally) {
        counts.counts().forEach((reason, count) -> put(what + reason, count, tally));
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
}
