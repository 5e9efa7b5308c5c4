package dev.handoff.admin.stats;

import dev.handoff.process.protocol.CancelReason;
import java.util.function.LongBinaryOperator;

/**
 * What came of the requests that a pool handed to its workers: {@code dispatched} is the sum of
 * those answered, answered late, given back, lost, and in flight.
 *
 * @param answeredLate after they were cancelled
 * @param givenBack not taken after all: they went back to the queue
 * @param lost with a worker that went away
 * @param failures of those answered: the handler could not
 * @param cancelled of those dispatched, however they ended
 * @param unknownIds answers to what was never asked, or had been answered already
 */
public record HandedTotals(
        long dispatched,
        long answered,
        long answeredLate,
        long givenBack,
        long lost,
        long failures,
        CountsBy<CancelReason> cancelled,
        long unknownIds) {

    /** Of totals since the start: how many the workers hold. */
    public long inFlight() {
        return dispatched - answered - answeredLate - givenBack - lost;
    }

    HandedTotals combine(HandedTotals other, LongBinaryOperator operator) {
        return new HandedTotals(
                operator.applyAsLong(dispatched, other.dispatched),
                operator.applyAsLong(answered, other.answered),
                operator.applyAsLong(answeredLate, other.answeredLate),
                operator.applyAsLong(givenBack, other.givenBack),
                operator.applyAsLong(lost, other.lost),
                operator.applyAsLong(failures, other.failures),
                cancelled.combine(other.cancelled, operator),
                operator.applyAsLong(unknownIds, other.unknownIds));
    }
}
