package dev.handoff.launcher;

import dev.handoff.launcher.config.Configuration;
import dev.handoff.launcher.config.PoolPlan;
import dev.handoff.process.PoolListener;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * How many connections clients may have beside the workers. It is reckoned at the start, and again
 * when there shall be other pools or more processes: else clients would have the descriptors that
 * these need. Any thread.
 */
final class ConnectionRoom {
    private static final System.Logger LOG = System.getLogger(ConnectionRoom.class.getName());

    private final int wanted;
    private final int loops;
    private final long openAtStart = OpenFiles.open();
    private Configuration configuration;

    /** How many processes pools have that were scaled, by their names. */
    private final Map<String, Integer> scaled = new HashMap<>();

    private IntConsumer server = most -> {};
    private int most;

    /**
     * Before any connection is open.
     *
     * @param wanted how many there would be if all descriptors were theirs
     */
    ConnectionRoom(int wanted, int loops, Configuration configuration) {
        this.wanted = wanted;
        this.loops = loops;
        this.configuration = configuration;
        this.most = reckon(configuration.pools());
        warnIfFew();
    }

    /** How many connections there may be now. */
    synchronized int most() {
        return most;
    }

    /** Has the server told when that changes. */
    synchronized void tell(IntConsumer listener) {
        server = listener;
    }

    /** Hears how many processes a pool shall have. */
    PoolListener of(String pool) {
        return new PoolListener() {
            @Override
            public void onScaled(int from, int to) {
                scale(pool, to);
            }
        };
    }

    /** Makes room for the pools of another configuration, beside those that are there. */
    synchronized void add(Configuration next) {
        List<PoolPlan> both = new ArrayList<>(configuration.pools());
        both.addAll(next.pools());
        change(reckon(both));
    }

    /** Nothing came of {@link #add}. */
    synchronized void keep() {
        change(reckon(configuration.pools()));
    }

    /** From now on there are the pools of this configuration alone. */
    synchronized void serve(Configuration now) {
        configuration = now;
        scaled.clear();
        change(reckon(now.pools()));
    }

    private synchronized void scale(String pool, int processes) {
        scaled.put(pool, processes);
        change(reckon(configuration.pools()));
    }

    private void warnIfFew() {
        if (most < wanted) {
            LOG.log(
                    Level.WARNING,
                    "the limit of open files leaves room for %d connections, not %d (see ulimit -n)"
                            .formatted(most, wanted));
        }
    }

    private void change(int next) {
        if (next != most) {
            most = next;
            warnIfFew();
            server.accept(next);
        }
    }

    /** Of pools with one name, as of an old one and the one in its place, the larger one counts. */
    private int reckon(List<PoolPlan> plans) {
        Map<String, OpenFiles.OfPool> pools = new HashMap<>();
        for (PoolPlan plan : plans) {
            int processes =
                    Math.max(plan.processes(), scaled.getOrDefault(plan.name(), plan.processes()));
            pools.merge(plan.name(), OpenFiles.of(plan, processes), OpenFiles.OfPool::max);
        }
        return OpenFiles.connections(wanted, loops, pools.values(), configuration, openAtStart);
    }
}
