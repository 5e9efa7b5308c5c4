package dev.handoff.process.supervise;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Tells when one process has come to the end of its {@link RecycleLimits}: it has answered so many
 * requests, has served for so long or holds so much memory. Belongs to the pool's loop.
 */
final class Recycling {
    private final EventLoop loop;
    private final Consumer<ReplaceCause> whenDue;

    /** The limits of this process; none until it takes requests. */
    private RecycleLimits limits = RecycleLimits.NONE;

    private @Nullable Timer age;
    private long answered;
    private long memoryBytes;

    /**
     * @param whenDue is told the reason, each time that a limit is found to be reached
     */
    Recycling(EventLoop loop, Consumer<ReplaceCause> whenDue) {
        this.loop = loop;
        this.whenDue = whenDue;
    }

    /** The process takes requests from now on. */
    void begin(RecycleLimits around, RandomGenerator random) {
        limits = around.jittered(random);
        if (!limits.age().isZero()) {
            age =
                    loop.scheduleAfter(
                            limits.age().toNanos(), () -> whenDue.accept(ReplaceCause.AGE));
        }
    }

    /** The process has answered one more request. */
    void answered() {
        answered++;
        if (answered == limits.requests()) {
            whenDue.accept(ReplaceCause.REQUESTS);
        }
    }

    /** The process was found to hold this much memory. */
    void holds(long bytes) {
        memoryBytes = bytes;
        if (limits.memoryBytes() > 0 && bytes > limits.memoryBytes()) {
            whenDue.accept(ReplaceCause.MEMORY);
        }
    }

    /** The memory that it held at the last look; 0 if that is not known. */
    long memoryBytes() {
        return memoryBytes;
    }

    /** The process has ended: it grows no older. */
    void end() {
        if (age != null) {
            age.cancel();
            age = null;
        }
    }
}
