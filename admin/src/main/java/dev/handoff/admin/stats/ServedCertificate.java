package dev.handoff.admin.stats;

import java.time.Instant;
import java.util.List;

/**
 * A certificate that clients with TLS are shown.
 *
 * @param file that it was read from, as it is configured
 * @param names of hosts that it is for, in lower case
 */
public record ServedCertificate(
        String file, List<String> names, Instant validFrom, Instant expiresAt) {

    public ServedCertificate {
        names = List.copyOf(names);
    }
}
