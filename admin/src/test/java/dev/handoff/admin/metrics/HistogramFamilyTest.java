package dev.handoff.admin.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.admin.stats.Durations;
import dev.handoff.admin.stats.RecordedDurations;
import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistogramFamilyTest {
    @Test
    void aBucketHasAllThatTookNoLongerThanItsEdge() {
        List<Sample> samples = samplesOf(RecordedDurations.ofMillis(1, 9, 10, 11, 2000, 90_000));

        assertEquals(0, bucket("5.0E-4", samples));
        assertEquals(1, bucket("0.005", samples));
        assertEquals(3, bucket("0.01", samples));
        assertEquals(4, bucket("0.025", samples));
        assertEquals(4, bucket("1.0", samples));
        assertEquals(5, bucket("2.5", samples));
        assertEquals(5, bucket("60.0", samples));
        assertEquals(6, bucket("+Inf", samples));
    }

    @Test
    void sumAndCountAreExact() {
        List<Sample> samples = samplesOf(RecordedDurations.ofMillis(1, 1234, 98_765));

        assertEquals(3, value("time_seconds_count", samples));
        assertEquals(100, value("time_seconds_sum", samples), 1e-9);
    }

    @Test
    void whatNeverHappenedHasAllItsBuckets() {
        List<Sample> samples = samplesOf(Durations.NONE);

        assertEquals(samplesOf(RecordedDurations.ofMillis(7)).size(), samples.size());
        assertTrue(samples.stream().allMatch(sample -> sample.value == 0));
    }

    private static List<Sample> samplesOf(Durations durations) {
        HistogramFamily family = new HistogramFamily("time_seconds", "Time.", "pool");
        family.add(durations, "site");
        assertEquals(Collector.Type.HISTOGRAM, family.type);
        return family.samples;
    }

    private static double bucket(String edge, List<Sample> samples) {
        return samples.stream()
                .filter(sample -> sample.labelValues.equals(List.of("site", edge)))
                .mapToDouble(sample -> sample.value)
                .findFirst()
                .orElseThrow();
    }

    private static double value(String name, List<Sample> samples) {
        return samples.stream()
                .filter(sample -> sample.name.equals(name))
                .mapToDouble(sample -> sample.value)
                .findFirst()
                .orElseThrow();
    }
}
