package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.ConnectionTotals;
import dev.handoff.admin.stats.ServerSnapshot;
import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;

/** Clients' connections, what they hold, and what came on them that is not served. */
final class ConnectionMetrics extends Collector {
    private final ServerSnapshot snapshot;

    ConnectionMetrics(ServerSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        ConnectionTotals connections = snapshot.totals().connections();
        return List.of(
                new GaugeMetricFamily(
                        "handoff_connections_open", "Connections of clients.", connections.open()),
                new GaugeMetricFamily(
                        "handoff_connections_active",
                        "Of those, the ones that are sending a request or owed an answer.",
                        snapshot.activeConnections()),
                Counter.of(
                        "handoff_connections_accepted",
                        "Connections that were opened.",
                        connections.accepted()),
                Counter.byReason(
                        "handoff_connections_closed",
                        "Connections that ended.",
                        connections.closed()),
                Counter.of(
                        "handoff_client_limit_refusals",
                        "Connections, or requests of trusted proxies, that were one too many of"
                                + " their client.",
                        connections.overClientLimit()),
                new GaugeMetricFamily(
                        "handoff_connections_accept_paused",
                        "Whether as many are open as may be, and none is idle, so that others wait.",
                        snapshot.acceptPaused() ? 1 : 0),
                Counter.of(
                        "handoff_connections_accept_pauses",
                        "How often others had to wait.",
                        connections.acceptPauses()),
                Counter.of(
                        "handoff_connections_accept_failures",
                        "How often the system gave none, as without free file descriptors.",
                        connections.acceptFailures()),
                new GaugeMetricFamily(
                        "handoff_buffered_bytes",
                        "Memory held for requests in hand and answers on their way.",
                        snapshot.bufferedBytes()),
                Counter.of(
                        "handoff_buffers_full",
                        "Requests that got 503 buffers_full.",
                        snapshot.totals().requests().buffersFull()),
                Counter.of(
                        "handoff_requests_evicted",
                        "Requests that got 503 request_evicted: they came slowly, and others"
                                + " needed their room.",
                        snapshot.totals().requests().evicted()),
                Counter.byReason(
                        "handoff_parse_errors",
                        "Refused requests, by the rule that they broke.",
                        snapshot.totals().refused()));
    }
}
