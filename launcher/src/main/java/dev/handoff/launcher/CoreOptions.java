package dev.handoff.launcher;

import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.server.ServerLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Core} is made with: the settings, checked.
 *
 * @param admin null if there shall be no admin server
 */
record CoreOptions(
        String host,
        int port,
        @Nullable AdminSettings admin,
        int loops,
        ServerLimits server,
        PoolLimits pool,
        Duration drainTimeout,
        RequestOptions requests) {

    CoreOptions withConnections(int connections) {
        return new CoreOptions(
                host,
                port,
                admin,
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
                AdminSettings.from(options),
                options.get(Settings.LOOPS),
                Limits.server(options),
                Limits.pool(options),
                options.get(Settings.DRAIN_TIMEOUT),
                RequestOptions.from(options));
    }
}
