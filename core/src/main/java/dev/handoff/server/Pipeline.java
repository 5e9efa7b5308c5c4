package dev.handoff.server;

import dev.handoff.http.Response;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The unanswered requests of one connection, in the order they came, which is the order in which
 * their answers leave.
 *
 * <p>Requests are handled in parallel only while all are safe methods (RFC 9112 section 9.3.2): one
 * that is not waits for those before it and holds up those behind. Only the last may be waiting to
 * start, since nothing is read behind it. Belongs to the loop's thread.
 */
final class Pipeline implements Iterable<PendingExchange> {
    private final ArrayDeque<PendingExchange> exchanges = new ArrayDeque<>(4);
    private @Nullable PendingExchange parked;
    private int startedUnsafe;
    private long requestBytes;
    private long answerBytes;

    void add(PendingExchange exchange) {
        if (parked != null) {
            throw new IllegalStateException("a request was read behind one that has to wait");
        }
        exchanges.add(exchange);
        parked = exchange;
        requestBytes += exchange.heldBytes();
    }

    /** The request that may now be handed to the handler, or null. */
    @Nullable PendingExchange startNext() {
        PendingExchange next = parked;
        if (next == null || !mayStart(next)) {
            return null;
        }
        parked = null;
        if (!next.request().isSafe()) {
            startedUnsafe++;
        }
        return next;
    }

    /** Gives an exchange its answer, which leaves when it is the first. */
    void answer(PendingExchange exchange, Response answer) {
        exchange.answer(answer);
        answerBytes += answer.body().sizeBytes();
    }

    /** Takes out the first exchange if it has its answer. */
    @Nullable PendingExchange pollAnswered() {
        PendingExchange first = exchanges.peek();
        Response answer = first == null ? null : first.answer();
        if (first == null || answer == null) {
            return null;
        }
        exchanges.remove();
        requestBytes -= first.heldBytes();
        answerBytes -= answer.body().sizeBytes();
        if (first == parked) {
            parked = null;
        } else if (!first.request().isSafe()) {
            startedUnsafe--;
        }
        return first;
    }

    /** The unanswered exchange whose deadline comes first, or null if all are answered. */
    @Nullable PendingExchange mostUrgent() {
        PendingExchange mostUrgent = null;
        for (PendingExchange exchange : exchanges) {
            if (!exchange.isDone()
                    && (mostUrgent == null
                            || exchange.deadlineNanos() - mostUrgent.deadlineNanos() < 0)) {
                mostUrgent = exchange;
            }
        }
        return mostUrgent;
    }

    /** The memory of the requests that are not answered, or whose answer has to wait. */
    long requestBytes() {
        return requestBytes;
    }

    /** The content of the answers that wait for those before them. */
    long answerBytes() {
        return answerBytes;
    }

    @Nullable PendingExchange first() {
        return exchanges.peek();
    }

    boolean hasParked() {
        return parked != null;
    }

    boolean isEmpty() {
        return exchanges.isEmpty();
    }

    int size() {
        return exchanges.size();
    }

    void clear() {
        exchanges.clear();
        parked = null;
        startedUnsafe = 0;
        requestBytes = 0;
        answerBytes = 0;
    }

    @Override
    public Iterator<PendingExchange> iterator() {
        return exchanges.iterator();
    }

    private boolean mayStart(PendingExchange candidate) {
        return exchanges.peek() == candidate
                || (candidate.request().isSafe() && startedUnsafe == 0);
    }
}
