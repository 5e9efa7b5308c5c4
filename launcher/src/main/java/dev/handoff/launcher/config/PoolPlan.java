package dev.handoff.launcher.config;

import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.join.WorkerAccount;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A pool as the user wants it.
 *
 * @param workers the processes to start; null where workers come by themselves, or are servers that
 *     are started elsewhere
 * @param servers that get its requests; null if its workers do
 * @param routes which requests it answers
 * @param options the values that it was made from
 */
public record PoolPlan(
        String name,
        @Nullable Workers workers,
        @Nullable Servers servers,
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
                workers == null ? servers(options) : null,
                Limits.pool(options),
                options.get(AllSettings.REQUEST_TIMEOUT),
                routesOfOnly(othersHaveAll),
                options);
    }

    /** The servers that the options name; null if they name none. */
    static @Nullable Servers servers(Options options) throws UsageException {
        List<ListenAddress> places = options.find(AllSettings.SERVERS);
        Integer concurrency = options.find(AllSettings.CONCURRENCY);
        return places == null
                ? null
                : new Servers(
                        places, concurrency == null ? Workers.SERVER_CONCURRENCY : concurrency);
    }

    /** What the only pool serves where it names no routes. */
    static List<PoolRoute> routesOfOnly(boolean othersHaveAll) {
        return othersHaveAll ? List.of() : List.of(PoolRoute.all());
    }

    /** Whether those who get its requests speak HTTP. */
    public boolean isOfServers() {
        return servers != null || (workers != null && workers.http());
    }

    /** Whether its workers come by themselves. */
    public boolean isVisited() {
        return workers == null && servers == null;
    }

    /** Whose processes may be its workers. */
    public WorkerAccount account() {
        if (isVisited()) {
            return WorkerAccount.Visitors.VISITORS;
        }
        return workers == null || workers.user() == null
                ? WorkerAccount.Own.OWN
                : workers.user().account();
    }

    /**
     * How many connections to HTTP servers it may have for requests.
     *
     * @param processes of its own
     */
    public int connections(int processes) {
        if (servers != null) {
            return servers.places().size() * servers.concurrency();
        }
        return workers != null && workers.http() ? processes * workers.concurrencyOfServer() : 0;
    }

    /**
     * How many HTTP servers it has.
     *
     * @param processes of its own
     */
    public int servers(int processes) {
        if (servers != null) {
            return servers.places().size();
        }
        return workers != null && workers.http() ? processes : 0;
    }

    /** How many processes are started for it. */
    public int processes() {
        return workers == null ? 0 : workers.count();
    }

    /** Its name and its routes. */
    public String summary() {
        if (routes.isEmpty()) {
            return "pool %s on no route of its own".formatted(name);
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
        if (servers != null) {
            return "the HTTP servers at " + servers.text();
        }
        if (workers == null) {
            return "workers that are started elsewhere";
        }
        String who = workers.command().title() + " with " + workers.count();
        String what = workers.http() ? " HTTP server" : " worker";
        String as = workers.user() == null ? "" : " as user " + workers.user().name();
        if (workers.count() > 1) {
            return who + what + "s" + as;
        }
        boolean unasked = options.isPreset(AllSettings.WORKERS);
        return who + what + as + (unasked ? " (--workers auto for one a core)" : "");
    }
}
