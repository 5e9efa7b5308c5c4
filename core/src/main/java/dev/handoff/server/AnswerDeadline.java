package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.MovingDeadline;
import java.util.function.Consumer;

/**
 * Watches that every request of a connection's pipeline is answered in time. Belongs to the loop's
 * thread.
 */
final class AnswerDeadline {
    private final EventLoop loop;
    private final Pipeline pipeline;
    private final MovingDeadline deadline;

    /**
     * @param action runs when some requests are late; it asks {@link #forEachLate} for them
     */
    AnswerDeadline(EventLoop loop, Pipeline pipeline, Runnable action) {
        this.loop = loop;
        this.pipeline = pipeline;
        this.deadline = new MovingDeadline(loop, action);
    }

    /** To be called whenever the pipeline, or a deadline in it, may have changed. */
    void settle() {
        PendingExchange mostUrgent = pipeline.mostUrgent();
        if (mostUrgent == null) {
            deadline.clear();
        } else {
            deadline.set(mostUrgent.deadlineNanos());
        }
    }

    void forEachLate(Consumer<PendingExchange> action) {
        for (PendingExchange exchange : pipeline) {
            if (!exchange.isDone() && exchange.deadlineNanos() - loop.nanoTime() <= 0) {
                action.accept(exchange);
            }
        }
    }

    void cancel() {
        deadline.cancel();
    }
}
