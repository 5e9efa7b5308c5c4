package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.ResponseKind;
import dev.handoff.admin.stats.ResponseTotals;
import dev.handoff.admin.stats.Totals;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;

/** Requests of clients, and their responses. */
final class RequestMetrics extends Collector {
    /** The pool of requests that no pool got: for Prometheus, an empty label is none. */
    private static final String NO_POOL = "";

    /**
     * Responses that every pool shows, with 0 at first: else the first error would be no increase.
     */
    private static final List<String> EXPECTED_METHODS = List.of("GET", "POST");

    private static final int[] EXPECTED_STATUSES = {200, 500, 502, 503, 504};

    private final Totals totals;

    RequestMetrics(Totals totals) {
        this.totals = totals;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(
                responses(),
                durations(),
                new GaugeMetricFamily(
                        "handoff_http_requests_in_flight",
                        "Whole requests that have no response yet.",
                        totals.requestsInFlight()),
                Counter.byReason(
                        "handoff_http_requests_abandoned",
                        "Requests whose response was no longer wanted; after a deadline, 504.",
                        totals.abandoned()),
                new GaugeMetricFamily(
                        "handoff_streams_open",
                        "Responses in pieces that are under way.",
                        totals.openStreams()),
                Counter.byReason(
                        "handoff_streams_ended",
                        "Responses in pieces that ended, by how.",
                        totals.streamEnds()),
                streamDurations(),
                new GaugeMetricFamily(
                        "handoff_websockets_open",
                        "WebSockets that are open.",
                        totals.openWebSockets()),
                webSocketsClosed(),
                webSocketDurations());
    }

    private CounterMetricFamily webSocketsClosed() {
        CounterMetricFamily family =
                Counter.labelled(
                        "handoff_websockets_closed",
                        "WebSockets that ended, by the code that closed them.",
                        "code");
        totals.closeCodes()
                .counts()
                .forEach((code, count) -> family.addMetric(List.of(code), (double) count));
        return family;
    }

    private HistogramFamily webSocketDurations() {
        HistogramFamily family =
                new HistogramFamily(
                        "handoff_websocket_duration_seconds", "From a handshake to the end.");
        family.add(totals.webSocketDurations());
        return family;
    }

    private CounterMetricFamily responses() {
        CounterMetricFamily family =
                Counter.labelled(
                        "handoff_http_requests",
                        "Requests that were answered. Without a pool: by the server itself.",
                        "pool",
                        "method",
                        "code");
        addResponses(family, NO_POOL, totals.unrouted());
        totals.pools()
                .forEach((name, pool) -> {
                    addExpected(family, name, pool.responses());
                    addResponses(family, name, pool.responses());
                });
        return family;
    }

    private static void addResponses(
            CounterMetricFamily family, String pool, ResponseTotals responses) {
        responses
                .byKind()
                .counts()
                .forEach((kind, count) -> family.addMetric(labels(pool, kind), (double) count));
    }

    private static void addExpected(
            CounterMetricFamily family, String pool, ResponseTotals responses) {
        for (String method : EXPECTED_METHODS) {
            for (int status : EXPECTED_STATUSES) {
                ResponseKind kind = new ResponseKind(method, status);
                if (!responses.byKind().counts().containsKey(kind)) {
                    family.addMetric(labels(pool, kind), 0);
                }
            }
        }
    }

    private static List<String> labels(String pool, ResponseKind kind) {
        return List.of(pool, kind.method(), Integer.toString(kind.status()));
    }

    private HistogramFamily streamDurations() {
        HistogramFamily family =
                new HistogramFamily(
                        "handoff_stream_duration_seconds",
                        "From the head of a response in pieces to its end.");
        family.add(totals.streamDurations());
        return family;
    }

    private HistogramFamily durations() {
        HistogramFamily family =
                new HistogramFamily(
                        "handoff_http_request_duration_seconds",
                        "From the whole request to the response given to the client's socket.",
                        "pool");
        family.add(totals.unrouted().latency(), NO_POOL);
        totals.pools().forEach((name, pool) -> family.add(pool.responses().latency(), name));
        return family;
    }
}
