package dev.handoff.launcher.config;

import dev.handoff.http.ParserLimits;
import dev.handoff.http.Refusal;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.FrameLimits;
import dev.handoff.server.ServerLimits;
import java.util.Map;

/** Makes the limits of the server and of its pools from what the user chose. */
public final class Limits {
    private Limits() {}

    static ServerLimits server(Options options) throws UsageException {
        Integer perClient = options.find(Settings.MAX_CONNECTIONS_PER_CLIENT);
        return ServerLimits.DEFAULT
                .withRequest(
                        new ParserLimits(
                                options.get(Settings.MAX_TARGET).intValue(),
                                options.get(Settings.MAX_HEAD).intValue(),
                                options.get(Settings.MAX_FIELDS),
                                options.get(Settings.MAX_BODY).intValue(),
                                options.get(Settings.STRICT_TARGETS)))
                .withConnections(options.get(Settings.MAX_CONNECTIONS))
                .withConnectionsPerClient(
                        perClient == null
                                ? ServerLimits.DEFAULT.connectionsPerClient()
                                : perClient)
                .withPipelinedRequests(options.get(Settings.MAX_PIPELINED))
                .withBufferedBytes(options.get(Settings.MAX_BUFFERED))
                .withHeaderTimeout(options.get(Settings.HEADER_TIMEOUT))
                .withBodyTimeout(options.get(Settings.BODY_TIMEOUT))
                .withMinBodyRate(options.get(Settings.MIN_BODY_RATE))
                .withIdleTimeout(options.get(Settings.IDLE_TIMEOUT))
                .withWriteTimeout(options.get(Settings.WRITE_TIMEOUT))
                .withRequestTimeout(options.get(Settings.REQUEST_TIMEOUT));
    }

    /** The option, and its value, that a request has been too large for. */
    public static Map<Refusal, String> sizes(ServerLimits limits) {
        ParserLimits request = limits.request();
        String head = told(Settings.MAX_HEAD, (long) request.headBytes());
        String fields = told(Settings.MAX_FIELDS, request.fields());
        return Map.of(
                Refusal.METHOD_TOO_LONG,
                head,
                Refusal.TARGET_TOO_LONG,
                told(Settings.MAX_TARGET, (long) request.targetBytes()),
                Refusal.HEAD_TOO_LARGE,
                head,
                Refusal.TOO_MANY_FIELDS,
                fields,
                Refusal.BODY_TOO_LARGE,
                told(Settings.MAX_BODY, (long) request.bodyBytes()),
                Refusal.TRAILERS_TOO_LARGE,
                head + ", " + fields);
    }

    /** What an option is set to: {@code --max-body is 8MiB}. */
    public static <T> String told(Setting<T> setting, T value) {
        return setting.flag() + " is " + setting.syntax().formatter().apply(value);
    }

    static PoolLimits pool(Options options) throws UsageException {
        Integer queueRequests = options.find(Settings.QUEUE_REQUESTS);
        Long queueBytes = options.find(Settings.QUEUE_BYTES);
        return new PoolLimits(
                        queueRequests == null ? PoolLimits.DEFAULT.queueRequests() : queueRequests,
                        queueBytes == null ? options.get(Settings.MAX_BUFFERED) / 2 : queueBytes,
                        options.get(Settings.QUEUE_TIMEOUT),
                        options.get(Settings.NO_WORKER_GRACE),
                        options.get(Settings.CANCEL_GRACE),
                        options.get(Settings.WORKER_WRITE_TIMEOUT),
                        FrameLimits.ofBody(options.get(Settings.MAX_RESPONSE).intValue()))
                .withReplaySafeMethods(options.get(Settings.REPLAY_SAFE_METHODS));
    }
}
