package dev.handoff.admin.api;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Asks other loops. Each question is open at most once: callers who ask the same meanwhile share
 * the answer, so a loop that does not turn collects no tasks. Belongs to the thread of the admin
 * server's loop.
 */
final class OpenQuestions<K, V> {
    /** A loop that takes longer for one turn is not serving anybody. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record Open<V>(CompletableFuture<V> answer, long sinceNanos) {}

    private final Map<K, Open<V>> questions = new HashMap<>();

    /** Completes with a {@link TimeoutException} if there is no answer in time. */
    CompletableFuture<V> ask(K key, Supplier<CompletableFuture<V>> question) {
        long now = System.nanoTime();
        questions.values().removeIf(open -> open.answer.isDone());
        Open<V> open = questions.computeIfAbsent(key, absent -> new Open<>(question.get(), now));
        long left = PATIENCE_NANOS - (now - open.sinceNanos);
        if (left <= 0) {
            return CompletableFuture.failedFuture(new TimeoutException());
        }
        return open.answer.copy().orTimeout(left, TimeUnit.NANOSECONDS);
    }
}
