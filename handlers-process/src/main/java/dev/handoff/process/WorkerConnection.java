package dev.handoff.process;

import dev.handoff.http.Body;
import dev.handoff.loop.CloseCause;
import dev.handoff.loop.StreamSocket;
import dev.handoff.loop.Timer;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.protocol.FrameDecoder;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.Peer;
import dev.handoff.process.protocol.ProtocolFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A worker that said hello, as its pool sees it.
 *
 * <pre>
 *     READY --drain, from either side--> DRAINING --nothing in flight--> LEAVING
 *                                                                           |
 *     READY, DRAINING --protocol fault--> LEAVING                           |
 *                                                                           |
 *     any --it closes, is lost or stuck--> CLOSED <--it closes, or grace----'
 * </pre>
 *
 * <p>Belongs to the thread of the pool's loop.
 */
public final class WorkerConnection implements StreamSocket.Owner, FrameIntake.Source {
    enum State {
        READY,
        DRAINING,
        /** It was told all there is to tell, and is not listened to any more. */
        LEAVING,
        CLOSED
    }

    /** However many a worker claims to take, it gets no more: it has to hold them. */
    private static final int MOST_WINDOW = 10_000;

    /**
     * A worker that leaves so much unread gets no further request: they wait in the queue, which
     * has a limit of bytes.
     */
    private static final int MOST_UNSENT_BYTES = 256 * 1024;

    private final WorkerPool pool;
    private final Dispatcher dispatcher;
    private final String id;
    private final String name;
    private final Message.Hello hello;
    private final @Nullable WorkerSlot slot;
    private final WorkerTally tally;
    private final Instant joinedAt;
    private final FrameDecoder decoder;
    private final StreamSocket socket;
    private final FrameIntake intake;
    private final Heartbeat heartbeat;
    private final Map<Long, PoolRequest> inFlight = new HashMap<>();

    private final CompletableFuture<Void> left = new CompletableFuture<>();

    private State state = State.READY;
    private LeaveReason leaveReason = LeaveReason.CLOSED;
    private String whyLeft = Departure.NOTHING_WRONG;
    private @Nullable Timer leaveTimer;
    private int window;

    /** What the worker says, as its process may be in a container where the core cannot look. */
    private long toldMemoryBytes;

    private long lastId;

    /**
     * @param slot who started the worker, or null if it came by itself
     */
    WorkerConnection(
            WorkerPool pool,
            String id,
            SocketChannel channel,
            Message.Hello hello,
            @Nullable WorkerSlot slot)
            throws IOException {
        this.pool = pool;
        this.dispatcher = pool.dispatcher();
        this.id = id;
        this.name = hello.name() == null ? id : Printable.of(hello.name());
        this.hello = hello;
        this.decoder = new FrameDecoder(pool.limits().fromWorker(), Peer.WORKER);
        this.slot = slot;
        this.tally = slot == null ? new WorkerTally() : slot.tally();
        this.joinedAt = Instant.ofEpochSecond(pool.loop().clock().epochSeconds());
        this.window = Math.min(hello.concurrency(), MOST_WINDOW);
        this.socket = new StreamSocket(pool.loop(), channel, pool.limits().writeStall(), this);
        this.intake =
                new FrameIntake(pool.loop(), pool.responseRoom(), decoder, this::isWanted, this);
        this.heartbeat = new Heartbeat(pool.loop(), this);
    }

    /** Unique among the workers of its core: what logs and metrics call it. */
    public String id() {
        return id;
    }

    /** What the worker calls itself, {@link Printable safe to show}, or its id. */
    public String name() {
        return name;
    }

    /**
     * The process id, which the core knows or the worker told; otherwise 0. A quick worker says
     * hello before the core hears that its process was started.
     */
    public long pid() {
        return slot == null || slot.pid() == 0 ? hello.pid() : slot.pid();
    }

    /** Where the process runs, as it told, {@link Printable safe to show}; empty if it did not. */
    public String host() {
        return hello.host() == null ? "" : Printable.of(hello.host());
    }

    /** How many requests it takes at once. */
    public int window() {
        return window;
    }

    public int inFlight() {
        return inFlight.size();
    }

    public boolean isDraining() {
        return state == State.DRAINING || state == State.LEAVING;
    }

    /** {@code ready} or {@code draining}, as operators read it. */
    String stateName() {
        return isDraining() ? "draining" : "ready";
    }

    /** As it is at this moment. */
    PoolSnapshot.Worker view() {
        return slot == null
                ? new PoolSnapshot.Worker(
                        id,
                        name(),
                        tally.serial,
                        pid(),
                        host(),
                        stateName(),
                        window,
                        inFlight.size(),
                        oldestNanos(),
                        tally.counts(),
                        joinedAt,
                        0,
                        toldMemoryBytes,
                        lastErrorOfName())
                : slot.view();
    }

    private String lastErrorOfName() {
        WorkerError error = pool.dismissals().of(name);
        return error == null ? "" : error.summary();
    }

    /** The requests it holds, cancelled ones included, in no order. */
    Collection<PoolRequest> held() {
        return Collections.unmodifiableCollection(inFlight.values());
    }

    /** Since the oldest request that it holds was here; 0 if it holds none. */
    long oldestNanos() {
        long now = pool.loop().nanoTime();
        long oldest = 0;
        for (PoolRequest request : inFlight.values()) {
            oldest = Math.max(oldest, now - request.arrivedNanos);
        }
        return oldest;
    }

    WorkerTally tally() {
        return tally;
    }

    /** Whether somebody may have halted it, in a debugger. */
    boolean isAttended() {
        return slot != null && slot.isAttended();
    }

    @Nullable WorkerSlot slot() {
        return slot;
    }

    /** How many more requests it takes now; not positive if none. */
    int room() {
        boolean reads = socket.pendingBytes() <= MOST_UNSENT_BYTES && !intake.isHeldBack();
        return state == State.READY && reads ? window - inFlight.size() : 0;
    }

    /** Compares what is in hand as a share of the window, which grows with a worker's speed. */
    boolean isLessFilledThan(WorkerConnection other) {
        return (long) inFlight.size() * other.window < (long) other.inFlight.size() * window;
    }

    /** Whether it takes requests at all, be it full at the moment. */
    boolean isOpen() {
        return state == State.READY && window > 0;
    }

    void dispatch(PoolRequest request, long nowNanos) {
        long id = ++lastId;
        request.handTo(this, id, nowNanos);
        long millisLeft =
                Math.max(1, TimeUnit.NANOSECONDS.toMillis(request.deadlineNanos - nowNanos));
        int headBytes = request.frame().headSizeBytes(id, millisLeft);
        ByteBuffer out = socket.reserve(headBytes);
        request.frame().writeHead(id, millisLeft, out);
        socket.written(headBytes);
        Body body = request.frame().body();
        if (!body.isEmpty()) {
            body.forEachPiece(socket::write);
        }
        request.frameEnd = socket.givenBytes();
        inFlight.put(id, request);
    }

    /** Whether the whole frame of {@code request} has left for the worker. */
    boolean hasReceived(PoolRequest request) {
        return socket.sentBytes() >= request.frameEnd;
    }

    void cancel(PoolRequest request, CancelReason reason) {
        send(new Message.Cancel(request.id, reason));
        intake.cancelled(request.id);
    }

    /** Whether it is not read for want of room: it may have said whatever is awaited of it. */
    boolean isHeldBack() {
        return intake.isHeldBack();
    }

    void ping() {
        send(new Message.Ping());
    }

    /** Gives it no new request, and closes it when it has answered those it holds. */
    void drain() {
        if (state == State.READY) {
            state = State.DRAINING;
            send(new Message.Drain());
            closeIfDrained();
            // What it gave back may have waited for others, and it was the last of them.
            dispatcher.dispatchQueued();
        }
    }

    /** Completes on the pool's loop when its connection is closed, and the pool knows. */
    CompletableFuture<Void> left() {
        return left;
    }

    /** Closes it at once; what it holds is lost. */
    void close(LeaveReason reason) {
        leaveReason = reason;
        socket.close();
    }

    /** Closes it at once, since it left undone what it had to do. */
    void closeAsStuck(String why) {
        whyLeft = why + symptoms();
        close(LeaveReason.STUCK);
    }

    /** What else may tell why it is stuck. */
    private String symptoms() {
        StringBuilder text = new StringBuilder();
        long unread = socket.givenBytes() - socket.sentBytes();
        if (unread > 0) {
            text.append("; it does not read: ").append(unread).append(" bytes for it wait");
        }
        if (decoder.inFrame()) {
            text.append("; the frame that it sends is unfinished");
        }
        return text.toString();
    }

    /** Whether a request of that id was ever handed to it. */
    public boolean wasHanded(long requestId) {
        return requestId >= 1 && requestId <= lastId;
    }

    void welcome(String server) {
        send(
                new Message.Welcome(
                        WorkerSocket.PROTOCOL,
                        id,
                        pool.limits().fromWorker().jsonBytes(),
                        pool.limits().fromWorker().bodyBytes(),
                        server));
    }

    @Override
    public void onBytes(byte[] bytes, int from, int to) {
        if (isHeard()) {
            heartbeat.heard();
        }
        int next = from;
        while (next < to && isHeard()) {
            Decoded decoded = decoder.decode(bytes, next, to);
            next = decoder.consumedTo();
            switch (decoded) {
                case Decoded.Incomplete incomplete -> {}
                case Decoded.Complete(Message message) -> {
                    receive(message);
                    intake.frameEnded();
                }
                case Decoded.Refused fault -> refuse(fault);
            }
        }
        if (isHeard()) {
            intake.settle();
        }
        closeIfDrained();
        dispatcher.dispatchQueued();
    }

    @Override
    public void pauseReading() {
        socket.pauseReading();
    }

    @Override
    public void resumeReading() {
        if (!socket.isClosed()) {
            heartbeat.heard();
            socket.resumeReading();
            dispatcher.dispatchQueued();
        }
    }

    @Override
    public boolean keepsOthersWaiting() {
        return dispatcher.othersWait() || wantedCount() > 1;
    }

    private long wantedCount() {
        return inFlight.keySet().stream().filter(this::isWanted).count();
    }

    @Override
    public void foundNoRoom(Message message, int bodyBytes) {
        pool.listener().onNoRoom(this, bodyBytes, pool.responseRoom().limitBytes());
        dropResponse(message);
    }

    @Override
    public void keptRoomTooLong(Message message, int bodyBytes) {
        pool.listener().onSlowResponse(this, bodyBytes);
        dropResponse(message);
    }

    private void dropResponse(Message message) {
        PoolRequest request =
                message instanceof Message.Response response ? inFlight.get(response.id()) : null;
        if (request != null) {
            dispatcher.dropResponse(request);
        }
    }

    @Override
    public void frameLate(String detail) {
        refuse(new Decoded.Refused(ProtocolFault.FRAME_TIMEOUT, detail));
    }

    @Override
    public boolean holdsPeerBack() {
        return intake.isHeldBack();
    }

    /** Answers that were given before the worker went away are as good as any. */
    @Override
    public boolean wantsLastInput() {
        return isHeard() && !intake.isHeldBack();
    }

    @Override
    public void onFlushed() {
        dispatcher.dispatchQueued();
    }

    @Override
    public void onEnd() {
        close(inFlight.isEmpty() && state == State.DRAINING ? LeaveReason.DRAINED : leaveReason);
    }

    @Override
    public void onClosed(CloseCause cause) {
        state = State.CLOSED;
        heartbeat.stop();
        intake.close();
        if (leaveTimer != null) {
            leaveTimer.cancel();
        }
        Departure departure =
                switch (cause) {
                    case LOCAL, FAILED, RESET -> new Departure(leaveReason, whyLeft);
                    case WRITE_TIMEOUT -> new Departure(LeaveReason.STUCK, whyStalled());
                    case LOOP_STOPPED ->
                            new Departure(LeaveReason.STOPPED, Departure.NOTHING_WRONG);
                };
        List<PoolRequest> held = new ArrayList<>(inFlight.values());
        held.sort(Comparator.comparingLong(request -> request.id));
        inFlight.clear();
        pool.left(this, departure, held);
        left.complete(null);
    }

    private String whyStalled() {
        return "it took less than 64 KiB in "
                + pool.limits().writeStall().toSeconds()
                + " s"
                + symptoms();
    }

    private void receive(Message message) {
        switch (message) {
            case Message.Response(long requestId, dev.handoff.http.Response response) -> {
                PoolRequest request = take(requestId);
                if (request != null) {
                    dispatcher.answered(this, request, response);
                }
            }
            case Message.Failure(long requestId, String why, boolean retry) -> {
                PoolRequest request = take(requestId);
                if (request != null) {
                    dispatcher.failed(this, request, why, retry);
                }
            }
            case Message.Capacity(int concurrency, long told) -> {
                if (told != 0) {
                    toldMemoryBytes = told;
                }
                window = Math.min(concurrency, MOST_WINDOW);
                if (window > 0) {
                    opened();
                }
            }
            case Message.Drain drain -> state = State.DRAINING;
            case Message.Pong pong -> {}
            case Message.Hello again ->
                    refuse(new Decoded.Refused(ProtocolFault.OUT_OF_ORDER, "a second hello"));
            case Message.Welcome m -> throw decoderLetPass(m);
            case Message.Refused m -> throw decoderLetPass(m);
            case Message.Request m -> throw decoderLetPass(m);
            case Message.Cancel m -> throw decoderLetPass(m);
            case Message.Ping m -> throw decoderLetPass(m);
        }
    }

    private void opened() {
        if (slot == null) {
            pool.dismissals().workerReady();
        } else {
            slot.opened();
        }
    }

    /** Takes the request out of the window, or tells that there is none of that id. */
    private @Nullable PoolRequest take(long requestId) {
        PoolRequest request = inFlight.remove(requestId);
        if (request == null) {
            dispatcher.unknownId(this, requestId);
        } else if (slot != null) {
            slot.answered();
        }
        return request;
    }

    private void refuse(Decoded.Refused fault) {
        pool.listener().onProtocolFault(this, fault);
        send(new Message.Refused(fault.fault().wireName(), fault.inWords()));
        whyLeft = "it broke the protocol (" + fault.fault().wireName() + "): " + fault.detail();
        leaveReason =
                fault.fault() == ProtocolFault.FRAME_TIMEOUT
                        ? LeaveReason.FRAME_TIMEOUT
                        : LeaveReason.PROTOCOL_FAULT;
        state = State.LEAVING;
        // The worker may well not read: it is told if its socket takes it, and closed either way.
        pool.loop().atEndOfTurn(socket::close);
    }

    /** The worker closes, as it sees the end of our output; one that does not is closed. */
    private void closeIfDrained() {
        if (state == State.DRAINING && inFlight.isEmpty()) {
            state = State.LEAVING;
            leaveReason = LeaveReason.DRAINED;
            heartbeat.stop();
            socket.endOutput();
            leaveTimer =
                    pool.loop()
                            .scheduleAfter(
                                    pool.limits().cancelGrace().toNanos(),
                                    () -> close(LeaveReason.DRAINED));
        }
    }

    private boolean isWanted(long requestId) {
        PoolRequest request = inFlight.get(requestId);
        return request != null && request.state == PoolRequest.State.IN_FLIGHT;
    }

    private boolean isHeard() {
        return state == State.READY || state == State.DRAINING;
    }

    private void send(Message message) {
        socket.write(ByteBuffer.wrap(pool.encode(message)));
    }

    private static IllegalStateException decoderLetPass(Message message) {
        return new IllegalStateException("a worker cannot send " + message);
    }
}
