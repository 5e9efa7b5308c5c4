package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.CountsBy;
import io.prometheus.client.CounterMetricFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Ways to make a counter's family. Names come without {@code _total}, which is added. */
final class Counter {
    private Counter() {}

    static CounterMetricFamily of(String name, String help, long value) {
        return new CounterMetricFamily(name, help, (double) value);
    }

    static CounterMetricFamily labelled(String name, String help, String... labels) {
        return new CounterMetricFamily(name, help, List.of(labels));
    }

    /** A counter with one sample for each constant of an enumeration. */
    static <E extends Enum<E>> CounterMetricFamily byReason(
            String name, String help, CountsBy<E> counts) {
        CounterMetricFamily family = labelled(name, help, "reason");
        addByReason(family, counts);
        return family;
    }

    /**
     * Adds such samples, where the family's last label is the reason.
     *
     * @param others values of the labels before it
     */
    static <E extends Enum<E>> void addByReason(
            CounterMetricFamily family, CountsBy<E> counts, String... others) {
        counts.counts()
                .forEach((reason, count) -> {
                    List<String> labels = new ArrayList<>(List.of(others));
                    labels.add(reason.name().toLowerCase(Locale.ROOT));
                    family.addMetric(labels, (double) count);
                });
    }
}
