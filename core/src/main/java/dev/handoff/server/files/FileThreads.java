package dev.handoff.server.files;

import dev.handoff.loop.EventLoop;
import dev.handoff.server.ServerLimits;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The threads that wait for the disk in place of the event loops, for all folders of a server. They
 * start when the first file is asked for, and end when none is. Any thread.
 *
 * <p>Requests wait in a queue that has a bound. A response that has begun waits in the same queue
 * beyond it: of these there are no more than files that may be open. A request whose turn has come
 * begins when there is {@linkplain HandoverRoom room} for what it reads.
 */
public final class FileThreads implements AutoCloseable {
    /** More of them help where a disk is slow, and cost little where it is not. */
    private static final int FEWEST = 4;

    /** So many requests wait for a thread. */
    public static final int MOST_WAITING = 1000;

    private static final int IDLE_SECONDS = 30;

    /** What is on its way to the loops may take such a part of the memory for responses. */
    private static final int HANDOVER_SHARE = 4;

    private final ThreadPoolExecutor threads;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final LongAdder refused = new LongAdder();
    private final Limits limits;
    private final HandoverRoom handover;

    /**
     * @param threads that read
     * @param waiting requests that wait for one of them
     * @param open files that are open for clients that take them slowly
     * @param handover requests whose responses their loops have not taken
     */
    record Limits(int threads, int waiting, int open, int handover) {}

    /** For a server with the usual limits. */
    public FileThreads(int mostOpen) {
        this(mostOpen, ServerLimits.DEFAULT.bufferedBytes());
    }

    /**
     * @param mostOpen how many files may be open for clients that take them slowly
     * @param bufferedBytes the server's {@link ServerLimits#bufferedBytes}
     */
    public FileThreads(int mostOpen, long bufferedBytes) {
        this(
                new Limits(mostThreads(), MOST_WAITING, mostOpen, mostHandedOver(bufferedBytes)),
                Thread.ofPlatform().daemon().name("handoff-files-", 1).factory());
    }

    FileThreads(Limits limits, ThreadFactory factory) {
        this.limits = limits;
        this.handover = new HandoverRoom(limits.handover());
        threads =
                new ThreadPoolExecutor(
                        limits.threads(),
                        limits.threads(),
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        factory);
        threads.allowCoreThreadTimeOut(true);
    }

    /** How many threads there may be. */
    public static int mostThreads() {
        return Math.max(FEWEST, Runtime.getRuntime().availableProcessors());
    }

    /** Each thread may always read one. */
    private static int mostHandedOver(long bufferedBytes) {
        long shareBytes = bufferedBytes / 2 / HANDOVER_SHARE;
        return Math.clamp(shareBytes / DiskCall.MOST_BYTES, mostThreads(), Integer.MAX_VALUE);
    }

    /** Begins to answer a request, or refuses it if too many wait. */
    void begin(DiskCall call) {
        if (waiting.incrementAndGet() > limits.waiting() || !goOn(() -> enter(call))) {
            waiting.decrementAndGet();
            refuse(call);
        }
    }

    private void enter(DiskCall call) {
        waiting.decrementAndGet();
        if (handover.enter(call)) {
            answer(call);
        }
    }

    private void answer(DiskCall call) {
        try {
            call.run();
        } finally {
            // Behind what the call gave to its loop, and not before the loop has gone through all
            // of its turn: else a turn could take any number of responses before it sends one.
            EventLoop loop = call.loop();
            if (!loop.tryExecute(() -> loop.atEndOfTurn(this::leave))) {
                leave();
            }
        }
    }

    /** There is room for one more. */
    private void leave() {
        DiskCall next = handover.leave();
        while (next != null) {
            DiskCall call = next;
            if (goOn(() -> answer(call))) {
                return;
            }
            refuse(call);
            next = handover.leave();
        }
    }

    private void refuse(DiskCall call) {
        refused.increment();
        call.refuse();
    }

    /** Nobody wants the response to a request any more, which says so itself from now on. */
    void forget(DiskCall call) {
        handover.forget(call);
    }

    /**
     * Has a thread run this, as for a response that has begun. Returns false if there is none, as
     * the system lets this process start no more; then it never runs.
     */
    boolean goOn(Runnable task) {
        threads.getQueue().add(task);
        try {
            threads.prestartCoreThread();
            return true;
        } catch (OutOfMemoryError noThread) {
            // Where there are others they take it, and may have done so.
            return threads.getPoolSize() > 0 || !threads.remove(task);
        }
    }

    /** Lets a file stay open until {@link #release}; returns false if too many are. */
    boolean keepOpen() {
        if (open.incrementAndGet() > limits.open()) {
            open.decrementAndGet();
            refused.increment();
            return false;
        }
        return true;
    }

    void release() {
        open.decrementAndGet();
    }

    /** How many requests wait for a thread. */
    public int waiting() {
        return waiting.get();
    }

    /** How many files are open for responses that their clients have not taken yet. */
    public int open() {
        return open.get();
    }

    /** The room for what was read and not sent, for tests. */
    HandoverRoom handover() {
        return handover;
    }

    /** How many requests got 503, as too many waited or too many files were open. */
    public long refused() {
        return refused.sum();
    }

    public int mostWaiting() {
        return limits.waiting();
    }

    public int mostOpen() {
        return limits.open();
    }

    /** Ends the threads; what waits is dropped. The event loops have stopped before. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
