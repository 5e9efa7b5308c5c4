package dev.handoff.launcher.config;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Everything that a server is created from.
 *
 * @param options as they were given, with those of the configuration file
 * @param pools in the order in which they are shown
 * @param routes those that lead to no pool
 */
public record Configuration(
        Options options, CoreOptions core, List<PoolPlan> pools, List<RoutePlan> routes) {
    public Configuration {
        pools = List.copyOf(pools);
        routes = List.copyOf(routes);
    }

    /** One pool, and nothing else. */
    public static Configuration of(Options options, CoreOptions core, PoolPlan pool) {
        return new Configuration(options, core, List.of(pool), List.of());
    }

    /** A line for each route that leads to no pool. */
    public Stream<String> routeSummaries() {
        return routes.stream().map(RoutePlan::summary);
    }

    /** Whether a file that was read again still says the same. */
    public boolean saysTheSameAs(Configuration other) {
        return options.equals(other.options)
                && pools.equals(other.pools)
                && routes.equals(other.routes);
    }

    /** The places that routes name where their requests have to come in. */
    public Set<String> namedPlaces() {
        Set<String> named = new TreeSet<>();
        routes.forEach(route -> named.addAll(route.pattern().conditions().places()));
        pools.forEach(pool ->
                pool.routes()
                        .forEach(route -> named.addAll(route.pattern().conditions().places())));
        return named;
    }

    /** The folders whose files are sent. */
    public List<Path> servedFolders() {
        return routes.stream()
                .map(RoutePlan::target)
                .filter(Target.Files.class::isInstance)
                .map(target -> ((Target.Files) target).options().folder())
                .distinct()
                .toList();
    }

    /** Whether a route leads to a folder. */
    public boolean servesFiles() {
        return !servedFolders().isEmpty();
    }

    /** Whether it starts any worker itself. */
    public boolean startsWorkers() {
        return pools.stream().anyMatch(plan -> plan.workers() != null);
    }

    /** The users that workers run as, besides the server's own. */
    public Set<WorkerUser> users() {
        return pools.stream()
                .map(PoolPlan::workers)
                .flatMap(workers -> Stream.ofNullable(workers == null ? null : workers.user()))
                .filter(user -> !user.isOurs())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Whether workers of a pool come by themselves. */
    public boolean isVisited() {
        return pools.stream().anyMatch(PoolPlan::isVisited);
    }
}
