package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.Durations;
import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples;
import java.util.ArrayList;
import java.util.List;

/**
 * A histogram of Prometheus, made of {@link Durations}. Sum and count are exact; a bucket may hold
 * lengths up to 1 % beyond its edge.
 */
final class HistogramFamily extends MetricFamilySamples {
    /** From the time of a trivial response to one that hardly any client waits for. */
    private static final double[] EDGES_SECONDS = {
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
    };

    private final List<String> labels;

    /**
     * @param name with its unit, seconds
     */
    HistogramFamily(String name, String help, String... labels) {
        super(name, Collector.Type.HISTOGRAM, help, new ArrayList<>());
        this.labels = List.of(labels);
    }

    void add(Durations durations, String... values) {
        for (double edge : EDGES_SECONDS) {
            addBucket(durations.countUpTo(edge), edge, values);
        }
        addBucket(durations.count(), Double.POSITIVE_INFINITY, values);
        addSample("_count", labels, List.of(values), (double) durations.count());
        addSample("_sum", labels, List.of(values), durations.totalSeconds());
    }

    private void addBucket(long count, double edge, String... values) {
        List<String> names = new ArrayList<>(labels);
        names.add("le");
        List<String> allValues = new ArrayList<>(List.of(values));
        allValues.add(Collector.doubleToGoString(edge));
        addSample("_bucket", names, allValues, (double) count);
    }

    private void addSample(String suffix, List<String> names, List<String> values, double value) {
        samples.add(new Sample(name + suffix, names, values, value));
    }
}
