package dev.handoff.loop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A fixed number of loops that start and stop together. May be used from any thread. */
public final class EventLoops {
    private final List<EventLoop> loops;

    private EventLoops(List<EventLoop> loops) {
        this.loops = List.copyOf(loops);
    }

    /** Half of the cores, at least one: the other half is for the handlers. */
    public static int defaultCount() {
        return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    /**
     * Opens and starts {@code count} loops, whose threads are named {@code prefix-0} and so on.
     *
     * @throws IOException if the system gives no selector
     */
    public static EventLoops start(String prefix, int count, Clock clock, LoopListener listener)
            throws IOException {
        List<EventLoop> loops = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            loops.add(new EventLoop(prefix + "-" + i, clock, listener.ofLoop(i)));
        }
        loops.forEach(EventLoop::start);
        return new EventLoops(loops);
    }

    public int count() {
        return loops.size();
    }

    public EventLoop get(int index) {
        return loops.get(index);
    }

    /** Stops all loops and waits until their threads have ended. */
    public void stop() throws InterruptedException {
        loops.forEach(EventLoop::stop);
        for (EventLoop loop : loops) {
            loop.join();
        }
    }
}
