package dev.handoff.admin.metrics;

import dev.handoff.server.ServerLimits;
import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The limits on what clients may use, and for how long. A pool's limits stand beside what they
 * limit.
 *
 * <p>Each limit is a metric of its own, since a metric has one unit, and the sum over its series
 * means something: the connections that all servers together may have, but not connections and
 * bytes.
 */
final class LimitMetrics extends Collector {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Supplier<ServerLimits> now;

    /**
     * @param now those at the moment: how many connections there may be changes with the workers
     */
    LimitMetrics(Supplier<ServerLimits> now) {
        this.now = now;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        ServerLimits limits = now.get();
        return List.of(
                limit("connections", "Open connections.", limits.connections()),
                limit(
                        "connections_per_client",
                        "Open connections of one client; 0 for no limit.",
                        limits.connectionsPerClient()),
                limit(
                        "pipelined_requests",
                        "Unanswered requests of one connection.",
                        limits.pipelinedRequests()),
                limit(
                        "buffered_bytes",
                        "Requests in hand and responses on their way, half each.",
                        (double) limits.bufferedBytes()),
                limit("head_bytes", "Request head.", limits.request().headBytes()),
                limit("target_bytes", "Request target.", limits.request().targetBytes()),
                limit("fields", "Header fields of a request.", limits.request().fields()),
                limit("body_bytes", "Request body.", limits.request().bodyBytes()),
                limit("header_timeout_seconds", "Wait for a whole head.", limits.headerTimeout()),
                limit("body_timeout_seconds", "Wait for 64 KiB of a body.", limits.bodyTimeout()),
                limit(
                        "min_body_rate",
                        "Bytes a second of a body beyond 1 MiB; 0 for no limit.",
                        (double) limits.minBodyRate()),
                limit(
                        "idle_timeout_seconds",
                        "Wait for a client's next request.",
                        limits.idleTimeout()),
                limit(
                        "write_timeout_seconds",
                        "Wait for a client to take 64 KiB.",
                        limits.writeTimeout()),
                limit("request_timeout_seconds", "Wait for a response.", limits.requestTimeout()),
                limit(
                        "stream_idle_timeout_seconds",
                        "Wait between two pieces of a response.",
                        limits.streamIdleTimeout()),
                limit(
                        "message_bytes",
                        "Message that comes by a WebSocket.",
                        limits.messageBytes()));
    }

    private static MetricFamilySamples limit(String name, String help, Duration value) {
        return limit(name, help, value.toNanos() / NANOS_PER_SECOND);
    }

    private static MetricFamilySamples limit(String name, String help, double value) {
        return new GaugeMetricFamily("handoff_limit_" + name, "Limit: " + help, value);
    }
}
