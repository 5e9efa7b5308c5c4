package dev.handoff.launcher;

import java.util.List;

/**
 * All that a server is made with.
 *
 * @param options as they were given, with those of the configuration file
 * @param pools in the order in which they are shown
 */
record Configuration(Options options, CoreOptions core, List<PoolPlan> pools) {
    Configuration {
        pools = List.copyOf(pools);
    }
}
