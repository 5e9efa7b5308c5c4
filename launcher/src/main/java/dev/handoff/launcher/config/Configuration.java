package dev.handoff.launcher.config;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that a server is made with.
 *
 * @param options as they were given, with those of the configuration file
 * @param pools in the order in which they are shown
 */
public record Configuration(Options options, CoreOptions core, List<PoolPlan> pools) {
    public Configuration {
        pools = List.copyOf(pools);
    }

    /** Whether a file that is read again says what it said before. */
    public boolean saysTheSameAs(Configuration other) {
        return options.equals(other.options) && pools.equals(other.pools);
    }

    /** Whether it starts any worker itself. */
    public boolean startsWorkers() {
        return pools.stream().anyMatch(plan -> plan.workers() != null);
    }

    /** The one user that workers run as, if it is not the server's; the socket has one group. */
    public @Nullable WorkerUser user() {
        return pools.stream()
                .map(PoolPlan::workers)
                .flatMap(workers -> Stream.ofNullable(workers == null ? null : workers.user()))
                .findFirst()
                .orElse(null);
    }
}
