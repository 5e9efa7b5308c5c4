package dev.handoff.loop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread that serves many channels: it waits for events, runs tasks that other threads gave it,
 * runs timers that are due, and at the end of each turn lets everybody flush.
 *
 * <p>Every event, task and timer runs inside one catch: what throws costs its own channel, never
 * the loop. Methods belong to the loop's thread unless they say {@code From any thread}; {@link
 * #name}, {@link #inLoop}, {@link #start} and {@link #join} may be called from any thread, too.
 */
public final class EventLoop implements Executor {
    /** One read takes at most this many bytes. */
    static final int READ_BYTES = 64 * 1024;

    /** Limits the tasks of one turn, so that tasks which add tasks cannot starve the channels. */
    private static final int TASKS_PER_TURN = 4096;

    private static final long FOREVER_NANOS = TimeUnit.HOURS.toNanos(1);

    private final String name;
    private final Clock clock;
    private final LoopListener listener;
    private final Selector selector;
    private final Consumer<SelectionKey> dispatch = this::dispatch;

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** True while the loop sleeps or is about to: then a new task has to wake it, once. */
    private final AtomicBoolean sleeping = new AtomicBoolean();

    private final Timers timers = new Timers();
    private final ByteBuffer readBuffer = ByteBuffer.allocate(READ_BYTES);
    private final SpareBuffers spareBuffers = new SpareBuffers();

    /** Made for the first connection with TLS. */
    private @Nullable TlsBuffers tlsBuffers;

    private List<Runnable> endOfTurn = new ArrayList<>();
    private List<Runnable> spareEndOfTurn = new ArrayList<>();
    private List<Runnable> nextTurn = new ArrayList<>();
    private List<Runnable> spareNextTurn = new ArrayList<>();
    private long turn;

    private volatile @Nullable Thread thread;
    private volatile boolean stopping;

    /** Set when the loop refuses further tasks. */
    private volatile boolean stopped;

    private long nowNanos;

    /** How long it slept before this turn; negative before the first. */
    private long waitedNanos = -1;

    /** Like {@link #sleeping}, for the loop's own thread: the time of this turn is not read yet. */
    private boolean asleep;

    public EventLoop(String name, Clock clock, LoopListener listener) throws IOException {
        this.name = name;
        this.clock = clock;
        this.listener = listener;
        this.selector = Selector.open();
        this.nowNanos = clock.nanoTime();
    }

    /** Starts the loop's thread. */
    public void start() {
        Thread started = new Thread(this::turnUntilStopped, name);
        thread = started;
        started.start();
    }

    public String name() {
        return name;
    }

    public boolean inLoop() {
        return Thread.currentThread().equals(thread);
    }

    /**
     * Runs {@code task} on the loop, soon: behind the tasks that it was given before. From any
     * thread.
     *
     * @throws RejectedExecutionException if the loop has stopped; then the task never runs
     */
    @Override
    public void execute(Runnable task) {
        if (!tryExecute(task)) {
            throw refusal();
        }
    }

    /**
     * Like {@link #execute}, for a task that means nothing once the loop has stopped.
     *
     * @return false if the loop has stopped; then the task never runs
     */
    public boolean tryExecute(Runnable task) {
        if (stopped) {
            return false;
        }
        tasks.add(task);
        if (stopped && tasks.remove(task)) {
            return false;
        }
        if (sleeping.get() && sleeping.compareAndSet(true, false)) {
            selector.wakeup();
        }
        return true;
    }

    /**
     * Runs {@code task} on the loop: at once when called there, else by {@link #execute}.
     *
     * @throws RejectedExecutionException if the loop has stopped; then the task never runs
     */
    public void run(Runnable task) {
        if (!tryRun(task)) {
            throw refusal();
        }
    }

    /**
     * Like {@link #run}, for a task that means nothing once the loop has stopped.
     *
     * @return false if the loop has stopped; then the task never runs
     */
    public boolean tryRun(Runnable task) {
        if (inLoop()) {
            task.run();
            return true;
        }
        return tryExecute(task);
    }

    /**
     * Asks something that only the loop's thread may read. From any thread.
     *
     * @return completes on the loop; fails with a {@link RejectedExecutionException} if it has
     *     stopped
     */
    public <T> CompletableFuture<T> ask(Supplier<T> question) {
        CompletableFuture<T> response = new CompletableFuture<>();
        boolean willRun =
                tryExecute(() -> {
                    try {
                        response.complete(question.get());
                    } catch (Throwable failure) {
                        response.completeExceptionally(failure);
                    }
                });
        if (!willRun) {
            response.completeExceptionally(refusal());
        }
        return response;
    }

    private RejectedExecutionException refusal() {
        return new RejectedExecutionException("the event loop " + name + " has stopped");
    }

    /** The time of this turn: read once when the loop woke, so that asking costs nothing. */
    public long nanoTime() {
        return nowNanos;
    }

    public Clock clock() {
        return clock;
    }

    /** Runs {@code action} when {@code deadlineNanos} of {@link #nanoTime()} has come. */
    public Timer scheduleAt(long deadlineNanos, Runnable action) {
        return timers.add(deadlineNanos, action);
    }

    public Timer scheduleAfter(long delayNanos, Runnable action) {
        return scheduleAt(nowNanos + delayNanos, action);
    }

    /** Runs {@code action} once, when the events, tasks and timers of this turn are done. */
    public void atEndOfTurn(Runnable action) {
        endOfTurn.add(action);
    }

    /** The number of the turn: it counts up. On the loop's thread. */
    public long turn() {
        return turn;
    }

    /**
     * Runs {@code action} in the next turn, so that other channels have theirs before. Dropped if
     * the loop stops before that. On the loop's thread.
     */
    public void inNextTurn(Runnable action) {
        nextTurn.add(action);
    }

    /**
     * Ends the loop after its current turn: closes its channels, runs the tasks that it has with
     * what these want done at the end of a turn, and refuses all others from then on. From any
     * thread; does nothing the second time.
     */
    public void stop() {
        stopping = true;
        selector.wakeup();
    }

    /** Waits for the thread to end. Interrupting the wait leaves the loop as it is. */
    public void join() throws InterruptedException {
        Thread running = thread;
        if (running != null) {
            running.join();
        }
    }

    int timerCount() {
        return timers.size();
    }

    SelectionKey register(SelectableChannel channel, int interestOps, ChannelEvents events)
            throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, interestOps, events);
    }

    /** The read buffer of all channels, empty: a channel uses what it read before the next read. */
    ByteBuffer readBuffer() {
        return readBuffer.clear();
    }

    /** The loop's spare buffers, for output that waits. */
    SpareBuffers spareBuffers() {
        return spareBuffers;
    }

    /** What the loop's TLS connections share. */
    TlsBuffers tlsBuffers() {
        TlsBuffers shared = tlsBuffers;
        if (shared == null) {
            shared = new TlsBuffers();
            tlsBuffers = shared;
        }
        return shared;
    }

    void tellAcceptFailed(IOException failure) {
        listener.onAcceptFailed(failure);
    }

    private void turnUntilStopped() {
        try {
            while (!stopping) {
                turn(FOREVER_NANOS);
            }
        } finally {
            end();
        }
    }

    /** Waits for something to do, but no longer than {@code maxWaitNanos}, and does it all. */
    void turn(long maxWaitNanos) {
        turn++;
        List<Runnable> postponed = takePostponed();
        select(postponed.isEmpty() ? maxWaitNanos : 0);
        runTasks();
        runAll(postponed);
        runDueTimers();
        runEndOfTurn();
    }

    private void select(long maxWaitNanos) {
        long doneNanos = clock.nanoTime();
        tellTurn(doneNanos);
        long waitNanos = maxWaitNanos;
        if (!timers.isEmpty()) {
            waitNanos = Math.min(waitNanos, timers.nanosUntilNext(doneNanos));
        }
        asleep = true;
        sleeping.set(true);
        try {
            if (waitNanos > 0 && tasks.isEmpty() && !stopping) {
                selector.select(dispatch, toMillisRoundedUp(waitNanos));
            } else {
                selector.selectNow(dispatch);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("the selector of " + name + " failed", failure);
        }
        wakeUp();
        waitedNanos = nowNanos - doneNanos;
    }

    private void tellTurn(long doneNanos) {
        if (waitedNanos < 0) {
            return;
        }
        try {
            listener.onTurn(waitedNanos, doneNanos - nowNanos);
        } catch (Throwable failure) {
            tellFailed(failure);
        }
    }

    /** Once a turn, before its first event, or after the wait when no event came. */
    private void wakeUp() {
        if (asleep) {
            asleep = false;
            sleeping.set(false);
            nowNanos = clock.nanoTime();
        }
    }

    private static long toMillisRoundedUp(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos + 999_999);
    }

    private void dispatch(SelectionKey key) {
        wakeUp();
        ChannelEvents events = (ChannelEvents) key.attachment();
        try {
            if (key.isValid()) {
                events.onReady(key.readyOps());
            }
        } catch (Throwable failure) {
            tellFailed(failure);
            runGuarded(events::onFailure);
        }
    }

    private void runTasks() {
        for (int i = 0; i < TASKS_PER_TURN; i++) {
            Runnable task = tasks.poll();
            if (task == null) {
                return;
            }
            runGuarded(task);
        }
    }

    private void runDueTimers() {
        Timer due = timers.pollDue(nowNanos);
        while (due != null) {
            runGuarded(due.action);
            due = timers.pollDue(nowNanos);
        }
    }

    /**
     * Until nothing is left: the step of a connection writes, and that is flushed in the same turn;
     * a flush may close a channel, whose owner then writes to another.
     */
    private void runEndOfTurn() {
        while (!endOfTurn.isEmpty()) {
            List<Runnable> actions = endOfTurn;
            endOfTurn = spareEndOfTurn;
            runAll(actions);
            spareEndOfTurn = actions;
        }
    }

    private List<Runnable> takePostponed() {
        List<Runnable> postponed = nextTurn;
        nextTurn = spareNextTurn;
        spareNextTurn = postponed;
        return postponed;
    }

    /** Several times a turn, thousands of times a second: without an iterator. */
    private void runAll(List<Runnable> actions) {
        for (int i = 0; i < actions.size(); i++) {
            runGuarded(actions.get(i));
        }
        actions.clear();
    }

    private void runGuarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            tellFailed(failure);
        }
    }

    /**
     * A listener that throws costs nothing either: the thread's handler of last resort hears it.
     */
    private void tellFailed(Throwable failure) {
        try {
            listener.onFailure(failure);
        } catch (Throwable listenersOwn) {
            tellLastResort(listenersOwn);
        }
    }

    private static void tellLastResort(Throwable failure) {
        Thread current = Thread.currentThread();
        try {
            current.getUncaughtExceptionHandler().uncaughtException(current, failure);
        } catch (Throwable nobodyCanBeTold) {
            // As when memory ran out for telling of it. The loop goes on for those who need none.
        }
    }

    private void end() {
        closeChannels();
        runTasks();
        // Tasks may have opened others.
        closeChannels();
        stopped = true;
        // Tasks that came before were seen by those who gave them.
        while (!tasks.isEmpty()) {
            runTasks();
        }
        runEndOfTurn();
        try {
            selector.close();
        } catch (IOException failure) {
            tellFailed(failure);
        }
    }

    private void closeChannels() {
        for (SelectionKey key : selector.keys()) {
            if (key.isValid()) {
                runGuarded(((ChannelEvents) key.attachment())::onLoopStopped);
            }
        }
    }
}
