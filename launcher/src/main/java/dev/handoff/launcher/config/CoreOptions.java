package dev.handoff.launcher.config;

import dev.handoff.http.ParserLimits;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.server.ServerLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The options of the server, checked.
 *
 * @param listen where to accept clients
 * @param tls where to accept those that speak TLS, and with which files; null for nowhere
 * @param admin null for no admin server
 */
public record CoreOptions(
        List<ListenAddress> listen,
        @Nullable TlsSettings tls,
        @Nullable AdminSettings admin,
        int loops,
        ServerLimits server,
        SpoolOptions spool,
        PoolLimits pool,
        Duration drainTimeout,
        RequestOptions requests) {

    public CoreOptions {
        listen = List.copyOf(listen);
    }

    public CoreOptions withConnections(int connections) {
        return new CoreOptions(
                listen,
                tls,
                admin,
                loops,
                server.withConnections(connections),
                spool,
                pool,
                drainTimeout,
                requests);
    }

    /** Without files: content that is too large for memory is refused. */
    public CoreOptions withoutSpool() {
        ParserLimits request = server.request();
        ParserLimits smaller =
                new ParserLimits(
                        request.targetBytes(),
                        request.headBytes(),
                        request.fields(),
                        Math.min(request.bodyBytes(), spool.memoryBytes()),
                        request.strictTargets());
        return new CoreOptions(
                listen,
                tls,
                admin,
                loops,
                server.withRequest(smaller),
                spool,
                pool,
                drainTimeout,
                requests);
    }

    public static CoreOptions from(Options options) throws UsageException {
        return new CoreOptions(
                listen(options),
                TlsSettings.from(options),
                AdminSettings.from(options),
                options.get(AllSettings.LOOPS),
                Limits.server(options),
                SpoolOptions.from(options),
                Limits.pool(options),
                options.get(AllSettings.DRAIN_TIMEOUT),
                RequestOptions.from(options));
    }

    /** Where it accepts clients, with TLS or without, as routes name these places. */
    static Set<String> places(Options options) throws UsageException {
        List<ListenAddress> all = new ArrayList<>(listen(options));
        List<ListenAddress> withTls = options.find(AllSettings.TLS_LISTEN);
        all.addAll(withTls == null ? List.of() : withTls);
        return all.stream().map(ListenAddress::text).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<ListenAddress> listen(Options options) throws UsageException {
        List<ListenAddress> chosen = options.find(AllSettings.LISTEN);
        return chosen == null
                ? List.of(
                        new ListenAddress.Tcp(
                                options.get(AllSettings.HOST), options.get(AllSettings.PORT)))
                : chosen;
    }
}
