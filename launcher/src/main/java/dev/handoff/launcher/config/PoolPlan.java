package dev.handoff.launcher.config;

import dev.handoff.process.dispatch.PoolLimits;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A pool as the user wants it.
 *
 * @param workers the processes to start; null where workers come by themselves
 * @param routes which requests it answers
 * @param options the values that it was made from
 */
public record PoolPlan(
        String name,
        @Nullable Workers workers,
        PoolLimits limits,
        Duration requestTimeout,
        List<PoolRoute> routes,
        Options options) {
    private static final String ONLY = "default";

    public PoolPlan {
        routes = List.copyOf(routes);
    }

    /** The pool for every request, where there is no other. */
    public static PoolPlan only(@Nullable Workers workers, Options options) throws UsageException {
        return only(workers, options, false);
    }

    /**
     * The only pool, for every request that no other route takes.
     *
     * @param othersHaveAll whether one takes every request, as during maintenance
     */
    static PoolPlan only(@Nullable Workers workers, Options options, boolean othersHaveAll)
            throws UsageException {
        return new PoolPlan(
                ONLY,
                workers,
                Limits.pool(options),
                options.get(AllSettings.REQUEST_TIMEOUT),
                routesOfOnly(othersHaveAll),
                options);
    }

    /** What the only pool serves where it names no routes. */
    static List<PoolRoute> routesOfOnly(boolean othersHaveAll) {
        return othersHaveAll ? List.of() : List.of(PoolRoute.all());
    }

    /** How many processes are started for it. */
    public int processes() {
        return workers == null ? 0 : workers.count();
    }

    /** Its name and its routes. */
    public String summary() {
        if (routes.isEmpty()) {
            return "pool %s on nothing, as another route takes every request".formatted(name);
        }
        return "pool %s on %s"
                .formatted(
                        name,
                        routes.stream()
                                .map(PoolRoute::summary)
                                .collect(Collectors.joining(" and ")));
    }

    /** In words, which workers serve it. */
    public String who() {
        if (workers == null) {
            return "workers that are started elsewhere";
        }
        String who = workers.command().title() + " with " + workers.count();
        if (workers.count() > 1) {
            return who + " workers";
        }
        boolean unasked = options.isPreset(AllSettings.WORKERS);
        return who + " worker" + (unasked ? " (--workers auto for one a core)" : "");
    }
}
