package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.ServedCertificate;
import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/** How long the certificates last that clients with TLS are shown. */
final class CertificateMetrics extends Collector {
    private final List<ServedCertificate> certificates;

    CertificateMetrics(List<ServedCertificate> certificates) {
        this.certificates = certificates;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(
                family(
                        "handoff_certificate_not_before_timestamp_seconds",
                        "When a certificate that clients are shown begins to be valid, in Unix time.",
                        ServedCertificate::validFrom),
                family(
                        "handoff_certificate_not_after_timestamp_seconds",
                        "When a certificate that clients are shown expires, in Unix time.",
                        ServedCertificate::expiresAt));
    }

    private MetricFamilySamples family(
            String name, String help, Function<ServedCertificate, Instant> time) {
        GaugeMetricFamily family = new GaugeMetricFamily(name, help, List.of("file"));
        for (ServedCertificate each : certificates) {
            family.addMetric(List.of(each.file()), (double) time.apply(each).getEpochSecond());
        }
        return family;
    }
}
