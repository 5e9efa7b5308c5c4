package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.HandedTotals;
import dev.handoff.admin.stats.Totals;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import java.util.List;
import java.util.function.ToLongFunction;

/** What came of the requests that were handed to workers, for each pool. */
final class HandlerMetrics extends Collector {
    private final Totals totals;

    HandlerMetrics(Totals totals) {
        this.totals = totals;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(
                duration(),
                counter(
                        "handoff_dispatched_requests",
                        "Requests that were handed to a worker, again ones as well.",
                        HandedTotals::dispatched),
                counter(
                        "handoff_given_back_requests",
                        "Of those, the ones that a worker did not take after all.",
                        HandedTotals::givenBack),
                counter(
                        "handoff_lost_requests",
                        "Of those, the ones that were lost with their worker.",
                        HandedTotals::lost),
                counter(
                        "handoff_handler_failures",
                        "Answers of workers that say that the handler could not answer.",
                        HandedTotals::failures),
                counter(
                        "handoff_late_responses",
                        "Answers of workers to requests that had been cancelled.",
                        HandedTotals::answeredLate),
                counter(
                        "handoff_unknown_responses",
                        "Answers of workers to what they were not asked, or had answered.",
                        HandedTotals::unknownIds),
                cancels());
    }

    private HistogramFamily duration() {
        HistogramFamily family =
                new HistogramFamily(
                        "handoff_handler_duration_seconds",
                        "From the moment a request was handed to a worker until its answer, be it"
                                + " too late.",
                        "pool");
        totals.pools().forEach((name, pool) -> family.add(pool.handling(), name));
        return family;
    }

    private CounterMetricFamily counter(
            String name, String help, ToLongFunction<HandedTotals> count) {
        CounterMetricFamily family = Counter.labelled(name, help, "pool");
        totals.pools()
                .forEach((pool, counts) ->
                        family.addMetric(
                                List.of(pool), (double) count.applyAsLong(counts.handed())));
        return family;
    }

    private CounterMetricFamily cancels() {
        CounterMetricFamily family =
                Counter.labelled(
                        "handoff_cancels",
                        "Requests that a worker was told to give up.",
                        "pool",
                        "reason");
        totals.pools()
                .forEach((name, pool) ->
                        Counter.addByReason(family, pool.handed().cancelled(), name));
        return family;
    }
}
