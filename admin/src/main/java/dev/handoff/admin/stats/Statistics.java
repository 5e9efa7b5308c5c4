package dev.handoff.admin.stats;

import dev.handoff.admin.api.LastResult;
import dev.handoff.loop.EventLoop;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a running server counts. Public methods may be called from any thread; the state
 * belongs to the loop that reads, which is not one of the server's.
 *
 * <p>Each call asks all loops anew, but calls that come meanwhile share the next snapshot, so that
 * many readers cost the loops no more than one. A reset writes nothing on the loops, so it disturbs
 * no other reader and loses no count: the next window begins with the snapshot that ended this one.
 */
public final class Statistics {
    /** How often a snapshot is put aside for {@code recent}. */
    static final Duration RECENT_STEP = Duration.ofSeconds(5);

    /** The oldest of them is 10 to 15 s old. */
    private static final int RECENT_READINGS = 3;

    private final SnapshotReader reader;
    private final EventLoop readingLoop;

    /** As many as the admin server has requests in hand. */
    private List<CompletableFuture<ServerSnapshot>> asking = new ArrayList<>();

    private boolean reading;
    private final ArrayDeque<ServerSnapshot> recent = new ArrayDeque<>();

    /** The snapshot that the window began with. */
    private ServerSnapshot base;

    /** The open window, up to the newest snapshot. */
    private LastResult<ServerSnapshot, Window> current = new LastResult<>(this::between);

    private int peak;
    private int resets;
    private volatile @Nullable Window previous;

    /**
     * @param readingLoop the loop that reads
     * @param wall what time it is for people
     */
    public Statistics(ObservedServer observed, EventLoop readingLoop, InstantSource wall) {
        this.reader = new SnapshotReader(observed, readingLoop, wall);
        this.readingLoop = readingLoop;
        this.base = reader.newest(List.of(), List.of());
        this.recent.add(base);
        readingLoop.execute(this::lookAgainLater);
    }

    /** What was counted since the start, and how things are. */
    public CompletionStage<ServerSnapshot> snapshot() {
        return ask(newest -> newest);
    }

    /** What was counted since the last reset. */
    public CompletionStage<Window> window() {
        return ask(newest -> current.of(newest));
    }

    /** Begins another window, and returns the one that this closed. */
    public CompletionStage<Window> reset() {
        return ask(newest -> {
            Window closed =
                    Window.between(resets, base, newest, newest.takenAt(), peak, recent.getFirst());
            previous = closed;
            base = newest;
            resets++;
            current = new LastResult<>(this::between);
            peak = Math.toIntExact(newest.totals().openConnections());
            return closed;
        });
    }

    /** The window that the last reset closed; null if there was none. */
    public @Nullable Window previous() {
        return previous;
    }

    private Window between(ServerSnapshot newest) {
        return Window.between(resets, base, newest, null, peak, recent.getFirst());
    }

    private <T> CompletableFuture<T> ask(Function<ServerSnapshot, T> question) {
        CompletableFuture<ServerSnapshot> asked = new CompletableFuture<>();
        CompletableFuture<T> answer = asked.thenApply(question);
        readingLoop.execute(() -> {
            asking.add(asked);
            readUnlessReading();
        });
        return answer;
    }

    private void readUnlessReading() {
        if (reading || asking.isEmpty()) {
            return;
        }
        CompletableFuture<ServerSnapshot> read = reader.read();
        List<CompletableFuture<ServerSnapshot>> askers = asking;
        asking = new ArrayList<>();
        reading = true;
        var _ =
                read.whenCompleteAsync(
                        (newest, failure) -> answer(askers, newest, failure), readingLoop);
    }

    /**
     * Callers are served in the order in which they asked: those behind a reset get the next
     * window.
     */
    private void answer(
            List<CompletableFuture<ServerSnapshot>> askers,
            @Nullable ServerSnapshot newest,
            @Nullable Throwable failure) {
        reading = false;
        if (newest != null) {
            peak = Math.max(peak, newest.peakConnections());
        }
        for (CompletableFuture<ServerSnapshot> asker : askers) {
            if (failure == null) {
                asker.complete(newest);
            } else {
                asker.completeExceptionally(failure);
            }
        }
        readUnlessReading();
    }

    private void lookAgainLater() {
        readingLoop.scheduleAfter(
                RECENT_STEP.toNanos(),
                () -> {
                    lookAgainLater();
                    var _ = ask(this::putAside);
                });
    }

    private boolean putAside(ServerSnapshot newest) {
        if (recent.size() == RECENT_READINGS) {
            recent.removeFirst();
        }
        return recent.add(newest);
    }
}
