package dev.handoff.admin.stats;

import dev.handoff.server.Abandonment;
import java.util.function.LongBinaryOperator;

/**
 * Whole requests, and what went over the clients' connections.
 *
 * @param answered of them, whoever answered
 * @param abandoned by reason; those whose deadline passed are answered as well
 * @param droppedResponses dropped: another came first, or nobody wanted it any more
 * @param badResponses of handlers, replaced by 502
 * @param handlerFailures exceptions of handlers, or for want of a pool's code
 * @param buffersFull clients answered 503 in the middle of a request
 * @param evicted clients answered 503 since their request came slowly and others needed its room
 * @param bytesIn on the wire, like {@code bytesOut}
 * @param bodyBytesIn content of whole requests, chunks put together
 * @param bodyBytesOut content of answers
 */
public record RequestTotals(
        long received,
        long answered,
        CountsBy<Abandonment> abandoned,
        long droppedResponses,
        long badResponses,
        long handlerFailures,
        long buffersFull,
        long evicted,
        long bytesIn,
        long bytesOut,
        long bodyBytesIn,
        long bodyBytesOut) {

    /** Of totals since the start: how many have no answer yet. */
    public long inFlight() {
        long unanswered = abandoned.totalOf(reason -> reason != Abandonment.DEADLINE);
        return received - answered - unanswered;
    }

    RequestTotals combine(RequestTotals other, LongBinaryOperator operator) {
        return new RequestTotals(
                operator.applyAsLong(received, other.received),
                operator.applyAsLong(answered, other.answered),
                abandoned.combine(other.abandoned, operator),
                operator.applyAsLong(droppedResponses, other.droppedResponses),
                operator.applyAsLong(badResponses, other.badResponses),
                operator.applyAsLong(handlerFailures, other.handlerFailures),
                operator.applyAsLong(buffersFull, other.buffersFull),
                operator.applyAsLong(evicted, other.evicted),
                operator.applyAsLong(bytesIn, other.bytesIn),
                operator.applyAsLong(bytesOut, other.bytesOut),
                operator.applyAsLong(bodyBytesIn, other.bodyBytesIn),
                operator.applyAsLong(bodyBytesOut, other.bodyBytesOut));
    }
}
