package dev.handoff.admin.stats;

import dev.handoff.server.ConnectionEnd;
import java.util.function.LongBinaryOperator;

/**
 * Clients' connections.
 *
 * @param overClientLimit connections and proxied requests refused, as their client had enough
 * @param acceptPauses how often the limit of connections was reached
 * @param acceptFailures how often the system gave none, as without free descriptors
 */
public record ConnectionTotals(
        long accepted,
        long overClientLimit,
        long acceptPauses,
        long acceptFailures,
        CountsBy<ConnectionEnd> closed) {

    /** Of totals since the start: how many are open. */
    public long open() {
        return accepted - closed.total();
    }

    ConnectionTotals withAcceptFailures(long value) {
        return new ConnectionTotals(accepted, overClientLimit, acceptPauses, value, closed);
    }

    ConnectionTotals combine(ConnectionTotals other, LongBinaryOperator operator) {
        return new ConnectionTotals(
                operator.applyAsLong(accepted, other.accepted),
                operator.applyAsLong(overClientLimit, other.overClientLimit),
                operator.applyAsLong(acceptPauses, other.acceptPauses),
                operator.applyAsLong(acceptFailures, other.acceptFailures),
                closed.combine(other.closed, operator));
    }
}
