package dev.handoff.admin.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.admin.api.CallListener;
import dev.handoff.admin.api.RefusedCalls;
import dev.handoff.admin.stats.CountsBy;
import dev.handoff.admin.stats.Durations;
import dev.handoff.admin.stats.LoopState;
import dev.handoff.admin.stats.LoopTotals;
import dev.handoff.admin.stats.PoolCount;
import dev.handoff.admin.stats.PoolTotals;
import dev.handoff.admin.stats.ResponseKind;
import dev.handoff.admin.stats.ResponseTotals;
import dev.handoff.admin.stats.ServedCertificate;
import dev.handoff.admin.stats.ServerCount;
import dev.handoff.admin.stats.ServerSnapshot;
import dev.handoff.admin.stats.Totals;
import dev.handoff.admin.stats.WorkerEnd;
import dev.handoff.http.Refusal;
import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.dispatch.Rejection;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.server.Abandonment;
import dev.handoff.server.ConnectionEnd;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.StreamEnd;
import dev.handoff.server.files.FileThreads;
import io.prometheus.client.exporter.common.TextFormat;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ExpositionTest {
    private static final ServerLimits LIMITS = ServerLimits.DEFAULT.withConnections(7);

    private final Exposition exposition =
            new Exposition(
                    () -> LIMITS,
                    LIMITS.newResponseRoom(),
                    null,
                    new FileThreads(11),
                    () ->
                            List.of(
                                    new ServedCertificate(
                                            "/etc/tls/a.pem",
                                            List.of("a.example"),
                                            Instant.ofEpochSecond(1_900_000_000),
                                            Instant.ofEpochSecond(1_907_776_000))),
                    Map.of("access", () -> 7),
                    new RefusedCalls(new CallListener() {}),
                    "1.2.3");

    @Test
    void filesHaveTheirLimits() {
        Set<String> lines = lines(responses(Map.of(), Map.of()));
        assertHas("handoff_files_open 0.0", lines);
        assertHas("handoff_limit_files_open 11.0", lines);
        assertHas("handoff_files_waiting 0.0", lines);
        assertHas("handoff_limit_files_waiting " + (double) FileThreads.MOST_WAITING, lines);
        assertHas("handoff_files_refused_total 0.0", lines);
    }

    @Test
    void certificatesTellWhenTheyAreValid() {
        Set<String> lines = lines(responses(Map.of(), Map.of()));
        assertHas(
                "handoff_certificate_not_before_timestamp_seconds{file=\"/etc/tls/a.pem\",} 1.9E9",
                lines);
        assertHas(
                "handoff_certificate_not_after_timestamp_seconds{file=\"/etc/tls/a.pem\",} 1.907776E9",
                lines);
    }

    @Test
    void responsesAreCountedByPoolMethodAndStatus() {
        ResponseKind created = new ResponseKind("PUT", 201);

        Set<String> lines = lines(responses(Map.of(created, 5L), Map.of()));

        assertHas(
                "handoff_http_requests_total{pool=\"site\",method=\"PUT\",code=\"201\",} 5.0",
                lines);
    }

    @Test
    void responsesWithoutAPoolHaveNone() {
        ResponseKind notFound = new ResponseKind("GET", 404);

        Set<String> lines = lines(responses(Map.of(), Map.of(notFound, 2L)));

        assertHas("handoff_http_requests_total{pool=\"\",method=\"GET\",code=\"404\",} 2.0", lines);
    }

    @Test
    void theFirstErrorOfAPoolIsAnIncrease() {
        Set<String> before = lines(responses(Map.of(), Map.of()));
        Set<String> after = lines(responses(Map.of(new ResponseKind("GET", 502), 1L), Map.of()));

        String error = "handoff_http_requests_total{pool=\"site\",method=\"GET\",code=\"502\",} ";
        assertHas(error + "0.0", before);
        assertHas(error + "1.0", after);
        assertEquals(1, after.stream().filter(line -> line.startsWith(error)).count());
    }

    @Test
    void everyReasonIsThereFromTheStart() {
        Set<String> lines = lines(responses(Map.of(), Map.of()));

        for (Rejection reason : Rejection.values()) {
            assertHas(
                    "handoff_queue_rejected_total{pool=\"site\",reason=\"%s\",} 0.0"
                            .formatted(reason.code()),
                    lines);
        }
        for (Refusal reason : Refusal.values()) {
            assertHas(
                    "handoff_refused_requests_total{reason=\"%s\",} 0.0".formatted(reason.code()),
                    lines);
        }
        assertHas("handoff_connections_closed_total{reason=\"idle_timeout\",} 0.0", lines);
        assertHas("handoff_worker_exits_total{pool=\"site\",reason=\"stuck\",} 0.0", lines);
        assertHas("handoff_workers_turned_away_total{pool=\"site\",} 0.0", lines);
        assertHas("handoff_response_room_bytes 0.0", lines);
        assertHas("handoff_response_room_waiting 0.0", lines);
        assertHas("handoff_responses_full_total 0.0", lines);
        assertHas("handoff_cancels_total{pool=\"site\",reason=\"client_gone\",} 0.0", lines);
        assertHas("handoff_workers{pool=\"site\",state=\"ready\",} 0.0", lines);
    }

    @Test
    void limitsStandBesideWhatTheyLimit() {
        Set<String> lines = lines(responses(Map.of(), Map.of()));

        assertHas("handoff_limit_connections 7.0", lines);
        assertHas("handoff_limit_idle_timeout_seconds 60.0", lines);
        assertHas("handoff_queue_limit{pool=\"site\",} 100.0", lines);
        assertHas("handoff_queue_oldest_age_seconds{pool=\"site\",} 1.5", lines);
    }

    @Test
    void aLoopThatDoesNotAnswerSaysSo() {
        assertHas(
                "handoff_event_loop_responsive{loop=\"0\",} 0.0",
                lines(responses(Map.of(), Map.of())));
    }

    @Test
    void linesThatALogDroppedAreCounted() {
        assertHas(
                "handoff_log_lines_dropped_total{log=\"access\",} 7.0",
                lines(responses(Map.of(), Map.of())));
    }

    @Test
    void saysWhichVersionItIs() {
        assertHas(
                "handoff_build_info{version=\"1.2.3\",} 1.0", lines(responses(Map.of(), Map.of())));
    }

    private Set<String> lines(ServerSnapshot snapshot) {
        String text = exposition.text(TextFormat.CONTENT_TYPE_004, snapshot);
        return new TreeSet<>(Arrays.asList(text.split("\n", -1)));
    }

    private static void assertHas(String line, Set<String> lines) {
        String metric = line.substring(0, line.indexOf(line.contains("{") ? '{' : ' '));
        assertTrue(
                lines.contains(line),
                () ->
                        line
                                + " is not in "
                                + lines.stream().filter(each -> each.startsWith(metric)).toList());
    }

    /** Of one pool and one loop, which does not answer. */
    private static ServerSnapshot responses(
            Map<ResponseKind, Long> byPool, Map<ResponseKind, Long> unrouted) {
        Totals totals =
                new Totals(
                        zeros(ServerCount.values()),
                        zeros(ConnectionEnd.values()),
                        zeros(Abandonment.values()),
                        zeros(StreamEnd.values()),
                        Durations.NONE,
                        new CountsBy<String>(new TreeMap<>()),
                        Durations.NONE,
                        zeros(Refusal.values()),
                        responses(unrouted),
                        new TreeMap<>(Map.of("site", pool(responses(byPool)))),
                        List.of(new LoopTotals(0, 0, 0, 0, Durations.NONE)));
        PoolSnapshot pool =
                new PoolSnapshot(
                        "site",
                        0,
                        0,
                        0,
                        1,
                        10,
                        100,
                        1000,
                        1_500_000_000,
                        false,
                        false,
                        false,
                        "",
                        List.of());
        return new ServerSnapshot(
                Instant.EPOCH,
                0,
                totals,
                false,
                0,
                List.of(new LoopState(0, false, 0, 0)),
                List.of(pool),
                List.of());
    }

    private static PoolTotals pool(ResponseTotals responses) {
        return new PoolTotals(
                zeros(PoolCount.values()),
                zeros(CancelReason.values()),
                zeros(Rejection.values()),
                zeros(WorkerEnd.values()),
                responses,
                Durations.NONE,
                Durations.NONE);
    }

    private static ResponseTotals responses(Map<ResponseKind, Long> counts) {
        return new ResponseTotals(new CountsBy<>(new TreeMap<>(counts)), Durations.NONE);
    }

    private static <E extends Enum<E>> CountsBy<E> zeros(E[] reasons) {
        SortedMap<E, Long> counts = new TreeMap<>();
        for (E reason : reasons) {
            counts.put(reason, 0L);
        }
        return new CountsBy<>(counts);
    }
}
