package dev.handoff.admin.metrics;

import dev.handoff.server.files.FileThreads;
import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;

/** The files that are sent without a worker. */
final class FileMetrics extends Collector {
    private final FileThreads files;

    FileMetrics(FileThreads files) {
        this.files = files;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(
                new GaugeMetricFamily(
                        "handoff_files_waiting",
                        "Requests for files that wait for the disk.",
                        files.waiting()),
                new GaugeMetricFamily(
                        "handoff_limit_files_waiting",
                        "Requests for files that may wait for the disk.",
                        files.mostWaiting()),
                new GaugeMetricFamily(
                        "handoff_files_open",
                        "Large files that are open until their clients have taken them.",
                        files.open()),
                new GaugeMetricFamily(
                        "handoff_limit_files_open",
                        "Large files that may be open for clients.",
                        files.mostOpen()),
                Counter.of(
                        "handoff_files_refused",
                        "Requests that got 503 files_busy or files_open.",
                        files.refused()));
    }
}
