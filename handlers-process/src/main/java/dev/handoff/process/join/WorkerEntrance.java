package dev.handoff.process.join;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.dispatch.DispatchListener;
import dev.handoff.process.dispatch.PoolDispatch;
import dev.handoff.process.dispatch.WorkerPlace;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.SafeText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where workers enter one pool: decides whether one that said hello is welcomed or turned away.
 * Belongs to the pool's loop; callers that no pool lets in are turned away on any thread.
 */
public final class WorkerEntrance {
    /** Knows which workers belong to the pool. */
    public interface Places {
        /**
         * Finds the place of a worker that says hello.
         *
         * @param token that the worker shows, or null
         * @param isLast whether no other pool of that name is asked after this one
         * @return null if the worker does not belong to the pool
         */
        @Nullable WorkerPlace claim(@Nullable String token, boolean isLast);

        /** How many workers the pool has at most, if it has that many now; otherwise 0. */
        int fullAt();
    }

    /** Knows whose process has called. */
    interface Caller {
        /** Why it is none of such processes; null if it is. */
        @Nullable String isNo(WorkerAccount account);
    }

    private final String pool;
    private final WorkerAccount account;
    private final EventLoop loop;
    private final PoolDispatch dispatch;
    private final DispatchListener listener;
    private final Places places;
    private boolean closed;
    private String lastTurnedAway = "";

    /**
     * @param pool its name
     * @param account whose processes may be its workers
     * @param dispatch which those that are welcomed join
     */
    public WorkerEntrance(
            String pool,
            WorkerAccount account,
            EventLoop loop,
            PoolDispatch dispatch,
            DispatchListener listener,
            Places places) {
        this.pool = pool;
        this.account = account;
        this.loop = loop;
        this.dispatch = dispatch;
        this.listener = listener;
        this.places = places;
    }

    /** The name of the pool. */
    String pool() {
        return pool;
    }

    WorkerAccount account() {
        return account;
    }

    /** The loop of the pool. */
    EventLoop loop() {
        return loop;
    }

    /** Turns every worker away from now on. */
    public void close() {
        closed = true;
    }

    /**
     * Welcomes a worker that said hello, or turns it away.
     *
     * @param caller whose process it is
     * @param early what it sent behind its hello
     * @param others of the same name, which this one is about to replace or to be replaced by: one
     *     of them may be the one that started it
     */
    void admit(
            SocketChannel channel,
            Caller caller,
            Message.Hello hello,
            byte[] early,
            List<WorkerEntrance> others) {
        String stranger = caller.isNo(account);
        WorkerPlace place =
                closed || stranger != null ? null : places.claim(hello.token(), others.isEmpty());
        if (place == null && !others.isEmpty()) {
            WorkerEntrance next = others.getFirst();
            List<WorkerEntrance> rest = others.subList(1, others.size());
            if (!next.loop.tryRun(() -> next.admit(channel, caller, hello, early, rest))) {
                next.turnAway(channel, "draining", "the core is shutting down");
            }
        } else if (closed) {
            turnAway(
                    channel,
                    "draining",
                    "pool %s ends: the core stops, or a reload has replaced it".formatted(pool));
        } else if (stranger != null) {
            turnAway(channel, "bad_user", "pool %s: %s".formatted(pool, stranger));
        } else if (place == null) {
            turnAway(
                    channel,
                    "bad_token",
                    "pool "
                            + pool
                            + " takes only the workers that the core starts; 'handoff serve' lets in others where the pool has no command");
        } else if (places.fullAt() > 0) {
            turnAway(
                    channel,
                    "too_many_workers",
                    "pool " + pool + " has " + places.fullAt() + " workers, and takes no more");
        } else {
            join(channel, hello, early, place);
        }
    }

    private void join(SocketChannel channel, Message.Hello hello, byte[] early, WorkerPlace place) {
        try {
            dispatch.join(channel, hello, early, place);
            lastTurnedAway = "";
        } catch (IOException failure) {
            turnAway(channel, "lost", String.valueOf(failure));
        }
    }

    /** As {@link #refuse}; the pool's listener hears it too. */
    void turnAway(SocketChannel channel, String code, String message) {
        refuse(channel, code, message);
        tellTurnedAway(code, message);
    }

    /** Says why and closes: what the worker's log then shows. */
    static void refuse(SocketChannel channel, String code, String message) {
        byte[] frame = new FrameEncoder().encode(new Message.Refused(code, message));
        try (channel) {
            channel.write(ByteBuffer.wrap(frame));
        } catch (IOException gone) {
            // It left before it was told; the listener hears the reason all the same.
        }
    }

    /** Tells the pool's listener of a caller that was turned away. On any thread. */
    void tellTurnedAway(String code, String message) {
        loop.tryRun(() -> {
            remember(code, message);
            listener.onTurnedAway(code, message);
        });
    }

    /** Another pool's listener hears of a caller which may have been meant for this one. */
    void rememberTurnedAway(String code, String message) {
        loop.tryRun(() -> remember(code, message));
    }

    private void remember(String code, String message) {
        lastTurnedAway = SafeText.of("turned away (%s): %s".formatted(code, message));
    }

    /** Why the last caller was turned away; empty if none was since a worker has joined. */
    public String lastTurnedAway() {
        return lastTurnedAway;
    }
}
