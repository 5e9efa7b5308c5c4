package dev.handoff.launcher;

import dev.handoff.process.PoolLimits;
import dev.handoff.server.ServerLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Core} is made with: the settings, checked.
 *
 * @param adminPort null if nobody chose one
 */
record CoreOptions(
        String host,
        int port,
        @Nullable Integer adminPort,
        int loops,
        ServerLimits server,
        PoolLimits pool,
        Duration drainTimeout,
        RequestOptions requests) {

    CoreOptions withConnections(int connections) {
        return new CoreOptions(
                host,
                port,
                adminPort,
                loops,
                server.withConnections(connections),
                pool,
                drainTimeout,
                requests);
    }

    static CoreOptions from(Options options) throws UsageException {
        return new CoreOptions(
                options.get(Settings.HOST),
                options.get(Settings.PORT),
                options.find(Settings.ADMIN_PORT),
                options.get(Settings.LOOPS),
                Limits.server(options),
                Limits.pool(options),
                options.get(Settings.DRAIN_TIMEOUT),
                RequestOptions.from(options));
    }
}
