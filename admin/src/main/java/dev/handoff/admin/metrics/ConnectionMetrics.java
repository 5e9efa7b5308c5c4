package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.ServerSnapshot;
import dev.handoff.admin.stats.Totals;
import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;

/** Clients' connections, what they hold, and the requests on them that were refused. */
final class ConnectionMetrics extends Collector {
    private final ServerSnapshot snapshot;

    ConnectionMetrics(ServerSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        Totals totals = snapshot.totals();
        return List.of(
                new GaugeMetricFamily(
                        "handoff_connections_open",
                        "Connections of clients.",
                        totals.openConnections()),
                new GaugeMetricFamily(
                        "handoff_connections_active",
                        "Connections that are sending a request or are owed a response.",
                        snapshot.activeConnections()),
                Counter.byReason(
                        "handoff_connections_closed", "Connections that ended.", totals.closed()),
                new GaugeMetricFamily(
                        "handoff_connections_accept_paused",
                        "1 while all connections are taken and none is idle, so that others wait.",
                        snapshot.acceptPaused() ? 1 : 0),
                new GaugeMetricFamily(
                        "handoff_buffered_bytes",
                        "Memory held for requests in hand and responses on their way.",
                        snapshot.bufferedBytes()),
                Counter.byReason(
                        "handoff_refused_requests",
                        "Refused requests, by the rule that they broke.",
                        totals.refused()));
    }
}
