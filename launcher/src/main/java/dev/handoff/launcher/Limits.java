package dev.handoff.launcher;

import dev.handoff.http.ParserLimits;
import dev.handoff.http.Refusal;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.FrameLimits;
import dev.handoff.server.ServerLimits;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The settings that bound what clients and workers may use. The presets are those of the server and
 * the pool, which know why.
 */
final class Limits {
    private static final ServerLimits SERVER = ServerLimits.builder().build();
    private static final ParserLimits PARSER = ParserLimits.DEFAULT;
    private static final PoolLimits POOL = PoolLimits.DEFAULT;

    /** Bodies are arrays, whose length is an int, with room for a frame around it. */
    private static final long MOST_BODY_BYTES = Integer.MAX_VALUE - (1L << 20) + 1;

    /** As JSON a head is up to three times as long, and has to stay below 1 MiB. */
    private static final long MOST_HEAD_BYTES = 256 * 1024;

    static final Setting<Duration> REQUEST_TIMEOUT =
            time("--request-timeout", SERVER.requestTimeout(), "Wait for an answer; then 504.");

    private static final Setting<Integer> MAX_CONNECTIONS =
            count(
                    "--max-connections",
                    SERVER.connections(),
                    "Open connections; then idle and slow ones make room, or others wait.");

    private static final Setting<Integer> MAX_CONNECTIONS_PER_CLIENT =
            Setting.unset(
                    "--max-connections-per-client",
                    Syntax.count(1, Integer.MAX_VALUE),
                    "no limit",
                    "The same of one address; by a trusted proxy, requests in hand.");

    private static final Setting<Integer> MAX_PIPELINED =
            count(
                    "--max-pipelined",
                    SERVER.pipelinedRequests(),
                    "Unanswered requests of one connection.");

    static final Setting<Long> MAX_BUFFERED =
            size(
                            "--max-buffered",
                            SERVER.bufferedBytes(),
                            1,
                            Long.MAX_VALUE,
                            "Requests in hand and unsent answers of all connections, half each.")
                    .presetAs("a quarter of the heap");

    private static final Setting<Long> MAX_HEAD =
            size("--max-head", PARSER.headBytes(), 1, MOST_HEAD_BYTES, "Request head; then 431.");

    private static final Setting<Long> MAX_TARGET =
            size(
                    "--max-target",
                    PARSER.targetBytes(),
                    1,
                    MOST_HEAD_BYTES,
                    "Request target; then 414.");

    private static final Setting<Boolean> STRICT_TARGETS =
            Setting.off(
                    "--strict-targets",
                    "Refuse raw characters in targets that only browsers allow; then 400.");

    private static final Setting<Integer> MAX_FIELDS =
            count("--max-fields", PARSER.fields(), "Header fields of a request; then 431.");

    private static final Setting<Long> MAX_BODY =
            size("--max-body", PARSER.bodyBytes(), 0, MOST_BODY_BYTES, "Request body; then 413.");

    static final Setting<Long> MAX_RESPONSE =
            size(
                    "--max-response",
                    POOL.fromWorker().bodyBytes(),
                    0,
                    MOST_BODY_BYTES,
                    "Response body; a worker that sends more is cut off.");

    private static final Setting<Duration> HEADER_TIMEOUT =
            time("--header-timeout", SERVER.headerRead(), "Wait for a whole head; then 408.");

    private static final Setting<Duration> BODY_TIMEOUT =
            time("--body-timeout", SERVER.bodyRead(), "Wait for 64KiB of a body; then 408.");

    private static final Setting<Long> MIN_BODY_RATE =
            size(
                    "--min-body-rate",
                    SERVER.bodyBytesPerSecond(),
                    0,
                    1L << 30,
                    "Bytes a second of a body beyond 1MiB; then 408.");

    private static final Setting<Duration> IDLE_TIMEOUT =
            time("--idle-timeout", SERVER.idle(), "Wait for a client's next request.");

    private static final Setting<Duration> WRITE_TIMEOUT =
            time(
                    "--write-timeout",
                    SERVER.writeStall(),
                    "Wait for a client to take 64KiB of its answer.");

    static final Setting<Integer> QUEUE_REQUESTS =
            Setting.unset(
                    "--queue-requests",
                    Syntax.count(1, Integer.MAX_VALUE),
                    "4 times what workers take, at least 1000",
                    "Requests that wait for a worker; then 503.");

    static final Setting<Long> QUEUE_BYTES =
            Setting.unset(
                    "--queue-bytes",
                    Units.size(0, 1L << 40),
                    "half of --max-buffered",
                    "Bytes of the requests that wait; then 503.");

    static final Setting<Duration> QUEUE_TIMEOUT =
            grace("--queue-timeout", POOL.queueTimeout(), "Wait for a free worker; then 503.");

    static final Setting<Duration> NO_WORKER_GRACE =
            grace(
                    "--no-worker-grace",
                    POOL.noWorkerGrace(),
                    "Wait while no worker is connected; then 503.");

    static final Setting<Duration> CANCEL_GRACE =
            grace(
                    "--cancel-grace",
                    POOL.cancelGrace(),
                    "Time to give up a request that is past its deadline; then the worker is"
                            + " ended.");

    static final Setting<Duration> WORKER_WRITE_TIMEOUT =
            time(
                    "--worker-write-timeout",
                    POOL.writeStall(),
                    "Wait for a worker to take 64KiB; then it is ended.");

    static final Setting<Boolean> REPLAY_SAFE_METHODS =
            Setting.off(
                    "--replay-safe-methods",
                    "Hand GET, HEAD and OPTIONS over once more when their worker is lost.");

    private static final List<Setting<?>> ALL =
            List.of(
                    MAX_CONNECTIONS,
                    MAX_CONNECTIONS_PER_CLIENT,
                    MAX_PIPELINED,
                    MAX_BUFFERED,
                    MAX_HEAD,
                    MAX_TARGET,
                    STRICT_TARGETS,
                    MAX_FIELDS,
                    MAX_BODY,
                    MAX_RESPONSE,
                    HEADER_TIMEOUT,
                    BODY_TIMEOUT,
                    MIN_BODY_RATE,
                    IDLE_TIMEOUT,
                    WRITE_TIMEOUT,
                    QUEUE_REQUESTS,
                    QUEUE_BYTES,
                    QUEUE_TIMEOUT,
                    NO_WORKER_GRACE,
                    CANCEL_GRACE,
                    WORKER_WRITE_TIMEOUT,
                    REPLAY_SAFE_METHODS);

    private static final List<Setting<?>> OF_POOLS =
            List.of(
                    MAX_RESPONSE,
                    QUEUE_REQUESTS,
                    QUEUE_BYTES,
                    QUEUE_TIMEOUT,
                    NO_WORKER_GRACE,
                    CANCEL_GRACE,
                    WORKER_WRITE_TIMEOUT,
                    REPLAY_SAFE_METHODS);

    private Limits() {}

    /** All but the request timeout, which is asked for so often that the help has it elsewhere. */
    static List<Setting<?>> all() {
        return ALL;
    }

    /** Those of {@link #pool}. */
    static List<Setting<?>> ofPools() {
        return OF_POOLS;
    }

    static ServerLimits server(Options options) throws UsageException {
        Integer perClient = options.find(MAX_CONNECTIONS_PER_CLIENT);
        return ServerLimits.builder()
                .request(
                        new ParserLimits(
                                options.get(MAX_TARGET).intValue(),
                                options.get(MAX_HEAD).intValue(),
                                options.get(MAX_FIELDS),
                                options.get(MAX_BODY).intValue(),
                                options.get(STRICT_TARGETS)))
                .connections(options.get(MAX_CONNECTIONS))
                .connectionsPerClient(perClient == null ? SERVER.connectionsPerClient() : perClient)
                .pipelinedRequests(options.get(MAX_PIPELINED))
                .bufferedBytes(options.get(MAX_BUFFERED))
                .headerRead(options.get(HEADER_TIMEOUT))
                .bodyRead(options.get(BODY_TIMEOUT))
                .bodyBytesPerSecond(options.get(MIN_BODY_RATE))
                .idle(options.get(IDLE_TIMEOUT))
                .writeStall(options.get(WRITE_TIMEOUT))
                .requestTimeout(options.get(REQUEST_TIMEOUT))
                .build();
    }

    /** The option, and its value, that a request has been too large for. */
    static Map<Refusal, String> sizes(ServerLimits limits) {
        ParserLimits request = limits.request();
        String head = told(MAX_HEAD, (long) request.headBytes());
        String fields = told(MAX_FIELDS, request.fields());
        return Map.of(
                Refusal.METHOD_TOO_LONG,
                head,
                Refusal.TARGET_TOO_LONG,
                told(MAX_TARGET, (long) request.targetBytes()),
                Refusal.HEAD_TOO_LARGE,
                head,
                Refusal.TOO_MANY_FIELDS,
                fields,
                Refusal.BODY_TOO_LARGE,
                told(MAX_BODY, (long) request.bodyBytes()),
                Refusal.TRAILERS_TOO_LARGE,
                head + ", " + fields);
    }

    /** What an option is set to: {@code --max-body is 8MiB}. */
    static <T> String told(Setting<T> setting, T value) {
        return setting.flag() + " is " + setting.syntax().formatter().apply(value);
    }

    static PoolLimits pool(Options options) throws UsageException {
        Integer queueRequests = options.find(QUEUE_REQUESTS);
        Long queueBytes = options.find(QUEUE_BYTES);
        return new PoolLimits(
                        queueRequests == null ? POOL.queueRequests() : queueRequests,
                        queueBytes == null ? options.get(MAX_BUFFERED) / 2 : queueBytes,
                        options.get(QUEUE_TIMEOUT),
                        options.get(NO_WORKER_GRACE),
                        options.get(CANCEL_GRACE),
                        options.get(WORKER_WRITE_TIMEOUT),
                        FrameLimits.ofBody(options.get(MAX_RESPONSE).intValue()))
                .withReplaySafeMethods(options.get(REPLAY_SAFE_METHODS));
    }

    private static Setting<Integer> count(String flag, int preset, String description) {
        return Setting.of(flag, Syntax.count(1, Integer.MAX_VALUE), preset, description);
    }

    private static Setting<Long> size(
            String flag, long preset, long least, long most, String description) {
        return Setting.of(flag, Units.size(least, most), preset, description);
    }

    private static Setting<Duration> time(String flag, Duration preset, String description) {
        return Setting.of(flag, Units.time(Duration.ofMillis(1)), preset, description);
    }

    /** A wait that may be left out. */
    private static Setting<Duration> grace(String flag, Duration preset, String description) {
        return Setting.of(flag, Units.time(Duration.ZERO), preset, description);
    }
}
