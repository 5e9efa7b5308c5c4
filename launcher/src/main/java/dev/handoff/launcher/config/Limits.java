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
        Integer perClient = options.find(AllSettings.MAX_CONNECTIONS_PER_CLIENT);
        return ServerLimits.DEFAULT
                .withRequest(
                        new ParserLimits(
                                options.get(AllSettings.MAX_TARGET).intValue(),
                                options.get(AllSettings.MAX_HEAD).intValue(),
                                options.get(AllSettings.MAX_FIELDS),
                                options.get(AllSettings.MAX_BODY).intValue(),
                                options.get(AllSettings.STRICT_TARGETS)))
                .withConnections(options.get(AllSettings.MAX_CONNECTIONS))
                .withConnectionsPerClient(
                        perClient == null ? ServerLimits.DEFAULT.connectionsPerClient() : perClient)
                .withPipelinedRequests(options.get(AllSettings.MAX_PIPELINED))
                .withBufferedBytes(options.get(AllSettings.MAX_BUFFERED))
                .withHeaderTimeout(options.get(AllSettings.HEADER_TIMEOUT))
                .withBodyTimeout(options.get(AllSettings.BODY_TIMEOUT))
                .withMinBodyRate(options.get(AllSettings.MIN_BODY_RATE))
                .withIdleTimeout(options.get(AllSettings.IDLE_TIMEOUT))
                .withWriteTimeout(options.get(AllSettings.WRITE_TIMEOUT))
                .withRequestTimeout(options.get(AllSettings.REQUEST_TIMEOUT))
                .withStreamIdleTimeout(options.get(AllSettings.STREAM_IDLE_TIMEOUT))
                .withMessageBytes(options.get(AllSettings.MAX_MESSAGE).intValue());
    }

    /**
     * For each refusal of a request that is too large: the option that sets the limit, with its
     * value.
     *
     * @param spools whether large requests go to files
     */
    public static Map<Refusal, String> sizes(ServerLimits limits, boolean spools) {
        ParserLimits request = limits.request();
        String head = told(AllSettings.MAX_HEAD, (long) request.headBytes());
        String fields = told(AllSettings.MAX_FIELDS, request.fields());
        return Map.of(
                Refusal.METHOD_TOO_LONG,
                head,
                Refusal.TARGET_TOO_LONG,
                told(AllSettings.MAX_TARGET, (long) request.targetBytes()),
                Refusal.HEAD_TOO_LARGE,
                head,
                Refusal.TOO_MANY_FIELDS,
                fields,
                Refusal.BODY_TOO_LARGE,
                told(
                        spools ? AllSettings.MAX_BODY : AllSettings.MAX_BODY_IN_MEMORY,
                        (long) request.bodyBytes()),
                Refusal.TRAILERS_TOO_LARGE,
                head + ", " + fields);
    }

    /** What an option is set to: {@code --max-body is 8MiB}. */
    public static <T> String told(Setting<T> setting, T value) {
        return setting.flag() + " is " + setting.syntax().formatter().apply(value);
    }

    static PoolLimits pool(Options options) throws UsageException {
        Integer queueRequests = options.find(AllSettings.QUEUE_REQUESTS);
        Long queueBytes = options.find(AllSettings.QUEUE_BYTES);
        return new PoolLimits(
                        queueRequests == null ? PoolLimits.DEFAULT.queueRequests() : queueRequests,
                        queueBytes == null ? options.get(AllSettings.MAX_BUFFERED) / 4 : queueBytes,
                        options.get(AllSettings.QUEUE_TIMEOUT),
                        options.get(AllSettings.NO_WORKER_GRACE),
                        options.get(AllSettings.CANCEL_GRACE),
                        options.get(AllSettings.WORKER_WRITE_TIMEOUT),
                        FrameLimits.ofBody(options.get(AllSettings.MAX_RESPONSE).intValue()))
                .withDrainTimeout(options.get(AllSettings.DRAIN_TIMEOUT))
                .withReplaySafeMethods(options.get(AllSettings.REPLAY_SAFE_METHODS))
                .withContentAsItComes(options.get(AllSettings.REQUEST_BODY) == RequestBody.STREAM);
    }
}
