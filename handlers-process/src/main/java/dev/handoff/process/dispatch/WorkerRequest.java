package dev.handoff.process.dispatch;

import dev.handoff.http.ArrivingContent;
import dev.handoff.http.Body;
import dev.handoff.http.StoredContent;
import dev.handoff.http.TraceParent;
import dev.handoff.loop.Timer;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.EncodedRequest;
import dev.handoff.process.protocol.SafeText;
import dev.handoff.server.Exchange;
import dev.handoff.server.Failure;
import dev.handoff.server.StreamEnd;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through a pool. Belongs to the thread of the pool's loop; the exchange it
 * answers belongs to the client's.
 */
final class WorkerRequest implements RequestProgress {
    enum State {
        /** Only its maker knows it. */
        NEW,
        QUEUED,
        IN_FLIGHT,
        /** In flight, but the response will be dropped. */
        CANCELLED,
        DONE
    }

    /** The worker that has a request, as far as the request has to do with it. */
    interface Holder extends Worker {
        /** Tells the worker that no client waits for the response. */
        void cancel(WorkerRequest request, CancelReason reason);

        /** Lets the worker send so much more of the response. */
        void grant(WorkerRequest request, long bytes);

        /** Gives the worker a message of a WebSocket, as its credit allows. */
        void giveMessage(WorkerRequest request, boolean text, Body message);

        /** Tells the worker that a WebSocket is over. It answers that. */
        void closeWebSocket(WorkerRequest request, int code, String reason);

        /** Whether it is not read for want of room: it may have said whatever is awaited of it. */
        boolean isHeldBack();

        /** For how long that has been so, all in all. */
        long heldBackNanos();

        /** Whether a frame of it has begun to come, and is not whole. */
        boolean isInFrame();

        /** How many bytes have come of it. */
        long heardBytes();

        /** It was given all of the content of a request whose content came as it was handled. */
        void contentEnded();

        /** Closes it at once, since it left undone what it had to do. */
        void closeAsStuck(String why);
    }

    /**
     * Requests that wait, in the order they came. They are linked through themselves, so that any
     * one can leave at once.
     */
    static final class Lane {
        private final @Nullable Holder avoided;
        private @Nullable WorkerRequest oldest;
        private @Nullable WorkerRequest newest;
        private int size;
        private long bytes;

        Lane(@Nullable Holder avoided) {
            this.avoided = avoided;
        }

        /** The worker that gave these back: it gets them again only if no other is there. */
        @Nullable Holder avoided() {
            return avoided;
        }

        @Nullable WorkerRequest oldest() {
            return oldest;
        }

        @Nullable WorkerRequest newest() {
            return newest;
        }

        int size() {
            return size;
        }

        long bytes() {
            return bytes;
        }

        boolean isEmpty() {
            return oldest == null;
        }

        void forEach(Consumer<WorkerRequest> action) {
            for (WorkerRequest each = oldest; each != null; each = each.newer) {
                action.accept(each);
            }
        }

        void add(WorkerRequest request) {
            request.lane = this;
            request.older = newest;
            if (newest == null) {
                oldest = request;
            } else {
                newest.newer = request;
            }
            newest = request;
            size++;
            bytes += request.queuedBytes;
        }

        void remove(WorkerRequest request) {
            WorkerRequest older = request.older;
            WorkerRequest newer = request.newer;
            if (older == null) {
                oldest = newer;
            } else {
                older.newer = newer;
            }
            if (newer == null) {
                newest = older;
            } else {
                newer.older = older;
            }
            request.lane = null;
            request.older = null;
            request.newer = null;
            size--;
            bytes -= request.queuedBytes;
        }
    }

    /** For {@link #frameEnd}: not all of the frame was given to the socket yet. */
    static final long FRAME_HAS_NO_END = Long.MAX_VALUE;

    /** For a time that is not over yet. */
    private static final long UNKNOWN_NANOS = -1;

    private static final int LONGEST_PATH_SHOWN = 64;

    /** What comes with a head, and is read before its client is held back. */
    private static final long ARRIVING_BYTES = 80 * 1024;

    /** Most requests without content take less. */
    private static final int LITTLE_BYTES = 2048;

    final String method;
    final String target;

    /** Its client's address and port, and its own id if it has one. */
    final String client;

    final @Nullable String requestId;

    private final int bodyBytes;

    /** How much memory it counts for while it waits: as much as for its client. */
    final long queuedBytes;

    /** Null where all of the content was there before the request was handed over. */
    private final @Nullable ArrivingContent arriving;

    /**
     * Null when no client waits for the response any more. The frame is also null once the response
     * has begun.
     */
    private @Nullable Exchange exchange;

    private @Nullable EncodedRequest frame;

    /** The content in its file, while the pool needs it; otherwise null. */
    private @Nullable StoredContent content;

    /** Whether its worker was given all of the content. */
    private boolean contentSent;

    /**
     * When the pool could have it, in the time of its client's loop: {@link Exchange#arrivedNanos}.
     */
    final long arrivedNanos;

    /** Whether it is worth giving back while its response goes on. */
    private final boolean takesMemory;

    /** The deadline that it had when it came to the pool, in the time of every loop. */
    private final long deadlineNanos;

    State state = State.NEW;

    /** While queued: its lane, its neighbours there, and since when. */
    private @Nullable Lane lane;

    private @Nullable WorkerRequest older;
    private @Nullable WorkerRequest newer;
    long queuedNanos;

    /** Whether it may be done twice: handed over once more though a worker had all of it. */
    boolean replayable;

    /** Whether it was handed over once more for that reason. */
    private boolean replayed;

    /** Whether a worker had it already, and it waits, or waited, for another one. */
    private boolean returned;

    /** How often a worker gave it back, since one did so that had answered others meanwhile. */
    int retries;

    /** While in flight: how many responses its worker had begun before it got this. */
    long responsesBefore;

    /** The worker that gave it back last. */
    @Nullable Holder gaveBack;

    /** While in flight: the worker that has it, under which id, and since when. */
    @Nullable Holder worker;

    long id;
    long dispatchedNanos;

    /** Its response in pieces, or its WebSocket; null before that begins. */
    private @Nullable BegunResponse begun;

    /** Whether it asks for a WebSocket. */
    final boolean asksForWebSocket;

    /** The next in a chain of {@link HeldRequests}. */
    @Nullable WorkerRequest nextHeld;

    /** While in flight: how much the worker's socket has sent once the whole frame has left. */
    long frameEnd;

    /** Whether a worker has gone away in the middle of its frame. */
    private boolean frameCut;

    /** While cancelled: how long the worker may keep it. */
    @Nullable Timer timer;

    /** Kept when the exchange is gone. */
    private @Nullable String traceId;

    private final String pool;
    private final PoolLoad load;

    /** Whether it takes one of the places of its pool. */
    private boolean takesPlace = true;

    private long waitedNanos = UNKNOWN_NANOS;
    private long handledNanos = UNKNOWN_NANOS;

    /** Written after {@link #dispatchedNanos}, which the client's loop then sees as well. */
    private volatile @Nullable String workerId;

    /**
     * @param load which counts it from now on, until it takes no place any more
     */
    WorkerRequest(
            String pool,
            PoolLoad load,
            Exchange exchange,
            EncodedRequest frame,
            boolean asksForWebSocket,
            long arrivedNanos,
            long deadlineNanos) {
        this.pool = pool;
        this.load = load;
        this.asksForWebSocket = asksForWebSocket;
        this.method = exchange.request().method();
        this.target = exchange.request().target();
        this.client = exchange.client();
        this.requestId = exchange.requestId();
        this.bodyBytes = exchange.request().body().sizeBytes();
        this.arriving = exchange.request().body().arriving();
        this.queuedBytes =
                exchange.request().headBytes()
                        + frame.body().heldBytes()
                        + (arriving == null ? 0 : arrivingBytes(exchange));
        this.takesMemory = bodyBytes > 0 || frame.sizeBytes() > LITTLE_BYTES;
        this.exchange = exchange;
        this.frame = frame;
        this.arrivedNanos = arrivedNanos;
        this.deadlineNanos = deadlineNanos;
        load.entered();
    }

    /** The most of its content that is held before a worker takes any. */
    private static long arrivingBytes(Exchange exchange) {
        String length = exchange.request().headers().first("content-length");
        return length == null ? ARRIVING_BYTES : Math.min(ARRIVING_BYTES, Long.parseLong(length));
    }

    /**
     * Notes that its worker went away, and had not got all of its frame. Returns whether another
     * one may get it: not if a second one did so in the middle, since the request may be the cause.
     */
    boolean noteLossInFrame() {
        boolean inTheMiddle = frameEnd == FRAME_HAS_NO_END;
        boolean again = inTheMiddle && frameCut;
        frameCut |= inTheMiddle;
        return !again;
    }

    /** Whether its content comes while it is handled. */
    boolean arrives() {
        return arriving != null;
    }

    /** Whether content has yet to come from its client. */
    boolean isToCome() {
        return arriving != null && !arriving.isComplete();
    }

    /** Calls once no content is to come any more; on any thread. */
    void whenContentHasCome(Runnable action) {
        if (arriving != null) {
            arriving.whenComplete(action);
        }
    }

    /** Whether content is to come that no worker has. */
    boolean isContentDue() {
        return arriving != null && !contentSent;
    }

    /** How long its client takes for each 64 KiB of the content that it has yet to send. */
    long slownessNanos() {
        return arriving == null ? 0 : arriving.slownessNanos();
    }

    /** Lets its client begin to send, which shows whether it sends slowly. */
    void letBegin() {
        if (arriving != null) {
            arriving.letBegin();
        }
    }

    /** Ends it for others, since its content comes too slowly. */
    void giveWay() {
        if (arriving != null) {
            arriving.giveWay();
        }
    }

    /**
     * How long its handler still has. For content as it comes that is all of the request's time,
     * which begins anew when the content has ended.
     */
    long nanosLeft(long nowNanos) {
        return deadlineNanos - (arrives() ? arrivedNanos : nowNanos);
    }

    /** The size of its content, as far as that has come. */
    int bodyBytes() {
        return arriving == null ? bodyBytes : arriving.cameBytes();
    }

    /**
     * Begins again with its content, for another worker; the one that has it gets no more. Returns
     * false if a part of the content is gone.
     */
    boolean rewindForAnother() {
        return arriving == null || arriving.rewind();
    }

    /** Keeps its content, if that is in a file, until the request {@linkplain #end ends}. */
    void retainContent() {
        StoredContent stored = frame().body().stored();
        if (stored != null && stored.retain()) {
            content = stored;
        }
    }

    /** Lets go of its content, which the pool does not need any more. */
    void releaseContent() {
        StoredContent stored = content;
        if (stored != null) {
            content = null;
            stored.release();
        }
    }

    /** Where it waits; null while it does not. */
    @Nullable Lane lane() {
        return lane;
    }

    Exchange exchange() {
        return Objects.requireNonNull(exchange);
    }

    EncodedRequest frame() {
        return Objects.requireNonNull(frame);
    }

    void handTo(Holder taker, long newId, long nowNanos) {
        state = State.IN_FLIGHT;
        worker = taker;
        id = newId;
        dispatchedNanos = nowNanos;
        waitedNanos = waitedUntil(nowNanos);
        workerId = taker.id();
    }

    /** The response that goes on; null if none has begun. */
    @Nullable BegunResponse begun() {
        return begun;
    }

    /** The WebSocket that it has become; null if it has not. */
    @Nullable WorkerWebSocket webSocket() {
        return begun instanceof WorkerWebSocket webSocket ? webSocket : null;
    }

    /** The bytes that have come of a response that goes on. */
    long streamedBytes() {
        return begun == null ? 0 : begun.cameBytes();
    }

    /** Its response has begun, and goes on. No other worker can have the request any more. */
    void begin(BegunResponse response) {
        begun = response;
        leavePlace();
        frame = null;
        if (arriving != null) {
            arriving.forgetTaken();
        }
        releaseUselessRequest();
    }

    /**
     * Its client has room for more of a response that goes on: the worker may send so much more.
     */
    void clientMadeRoom(long bytes) {
        if (begun != null && worker != null && state == State.IN_FLIGHT) {
            begun.grant(bytes);
            worker.grant(this, bytes);
        }
    }

    /** Its client gets no response, or no more of it. */
    void failClient(Failure failure) {
        if (begun == null) {
            exchange().fail(failure);
        } else {
            begun.fail(failure, StreamEnd.FAILED);
        }
    }

    /** Its server seems to have closed a connection that had idled, so it may be done twice. */
    void noteLossBehindIdle() {
        replayable = true;
    }

    /** Takes the permission to do it twice, of which there is one: it may end whatever has it. */
    boolean takeReplay() {
        boolean granted = replayable && !replayed;
        replayed |= granted;
        return granted;
    }

    /** Its worker was given all of the content. */
    void contentSent() {
        contentSent = true;
        if (arriving != null && worker != null) {
            worker.contentEnded();
        }
        releaseUselessRequest();
    }

    /**
     * Releases a request that nobody needs any more, since a response in pieces may last for hours.
     */
    private void releaseUselessRequest() {
        if (contentSent && begun != null && takesMemory && exchange != null) {
            releaseContent();
            exchange.releaseRequest();
        }
    }

    /** It waits for another worker. */
    void returnToQueue() {
        state = State.QUEUED;
        returned = true;
        contentSent = false;
        worker = null;
        workerId = null;
        waitedNanos = UNKNOWN_NANOS;
    }

    /** No worker has it any more. */
    void end(long nowNanos) {
        if (worker == null) {
            waitedNanos = waitedUntil(nowNanos);
        } else {
            handledNanos = nowNanos - dispatchedNanos;
        }
        cancelTimer();
        releaseContent();
        state = State.DONE;
        worker = null;
        leavePlace();
    }

    private void leavePlace() {
        if (takesPlace) {
            takesPlace = false;
            load.left();
        }
    }

    @Override
    public String pool() {
        return pool;
    }

    @Override
    public @Nullable String worker() {
        return workerId;
    }

    @Override
    public long waitNanos(long nowNanos) {
        // Read once: the pool's loop may take the request back meanwhile.
        long waited = waitedNanos;
        return waited == UNKNOWN_NANOS ? waitedUntil(nowNanos) : waited;
    }

    /**
     * How long it waited for the worker that has it now: since it came or, if another worker had
     * it, since that one left it.
     */
    long lastWaitNanos() {
        return returned ? Math.max(0, dispatchedNanos - queuedNanos) : waitedUntil(dispatchedNanos);
    }

    @Override
    public long handlerNanos(long nowNanos) {
        if (workerId == null) {
            return 0;
        }
        long handled = handledNanos;
        return handled == UNKNOWN_NANOS ? Math.max(0, nowNanos - dispatchedNanos) : handled;
    }

    /** Loops read their clocks apart: one may be a little behind. */
    private long waitedUntil(long nowNanos) {
        return Math.max(0, nowNanos - arrivedNanos);
    }

    /** The trace that it is part of. Hardly anybody asks, so it is looked for only then. */
    @Nullable String traceId() {
        return exchange == null ? traceId : TraceParent.traceId(exchange.request().headers());
    }

    /**
     * Its name in the log while a worker has it, without the query, which may hold what no log
     * should.
     */
    String inWords() {
        int query = target.indexOf('?');
        int end = Math.min(query < 0 ? target.length() : query, LONGEST_PATH_SHOWN);
        String rest = end < target.length() ? "..." : "";
        return "id %d (%s %s%s)".formatted(id, method, SafeText.of(target.substring(0, end)), rest);
    }

    /** Lets go of the exchange and the frame, whose memory no client's budget counts any more. */
    void forget() {
        releaseContent();
        traceId = traceId();
        exchange = null;
        frame = null;
    }

    void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
