package dev.handoff.server;

import dev.handoff.http.Request;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.loop.CloseCause;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import dev.handoff.server.forwarding.Origin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection: its socket, what is spoken on it, and how it ends. It is in one {@link
 * ConnectionState} at a time. Belongs to the loop's thread.
 *
 * <p>Bytes that come are read at once, and a request that is whole goes to its handler at once.
 * What a handler gives is only noted; the {@link #step} at the end of the loop's turn goes on with
 * it. So a handler, whatever it is called from, never calls back into the connection's work.
 */
final class Connection implements StreamSocket.Owner, HttpConversation.Owner, OpenWebSocket.Owner {
    /** Has all connections of a loop, and hears what concerns others too. */
    interface Owner {
        /** Its request takes too much memory. The owner ends requests of others, or this one. */
        void makeRoomFor(Connection crowded);

        /** The responses of all connections take too much memory. */
        void responsesFull();

        /** It is closed. Called once. */
        void closed(Connection connection, ConnectionEnd end);
    }

    /**
     * What is read at once while requests take much of the memory: what comes with a head is held
     * before anybody knows whose it is. And what is read of a WebSocket whose client sends more
     * than a turn can take: the rest is held.
     */
    private static final int FEW_READ_BYTES = 16 * 1024;

    /** What is read at once of content that is much work: others shall not wait for all of it. */
    private static final int LABORIOUS_READ_BYTES = 4 * 1024;

    /**
     * The order in which connections give up their places to others. Those that are owed a
     * response, or have not taken one whole, go last.
     */
    static final Comparator<Connection> LONGEST_UNUSED_FIRST =
            (one, other) -> {
                int owed = Boolean.compare(one.phase.isOwed(), other.phase.isOwed());
                return owed != 0 ? owed : Long.signum(one.usedNanos - other.usedNanos);
            };

    /** A server that drains closes its WebSockets, and ends responses, within so long. */
    private static final long MOST_DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Responses in pieces are ended within such a part of the drain, its last one. */
    private static final int DRAIN_PART = 6;

    private final LoopContext context;
    private final Owner owner;
    private final EventLoop loop;
    private final StreamSocket socket;
    private final Ending ending;
    private final HttpConversation http;
    private final ConnectionPhase phase;
    private final ConnectionBuffers buffers;
    private final TurnShare turnShare;
    private final Runnable endOfTurn = this::endOfTurn;
    private final @Nullable InetAddress counted;

    /** The time at which its last request was whole, or it was opened. */
    private long usedNanos;

    /** Whether another turn will go on with what this one had to leave. */
    private boolean goesOn;

    /** Whether a response, or another deadline, has come that no step has looked at. */
    private boolean stepDue;

    /** Once the connection has become one. */
    private @Nullable OpenWebSocket webSocket;

    /** Whether another connection waits for its place: then it ends without lingering. */
    private boolean evicted;

    /**
     * @param place where it was accepted
     * @param counted the client that it counts for; null where no client has a limit
     */
    Connection(
            LoopContext context,
            Owner owner,
            SocketChannel channel,
            Listening place,
            @Nullable InetAddress counted)
            throws IOException {
        this.context = context;
        this.owner = owner;
        this.loop = context.loop();
        this.usedNanos = loop.nanoTime();
        this.counted = counted;
        this.turnShare = new TurnShare(context.turnShares());
        SocketAddress address = channel.getRemoteAddress();
        SSLEngine engine = place.newEngine();
        Origin origin =
                Origin.of(address, engine == null ? Origin.HTTP : Origin.HTTPS, place.name());
        Peer peer = new Peer(origin, engine, context.forwarding(address, origin));
        if (address instanceof InetSocketAddress) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        this.socket =
                new StreamSocket(loop, channel, context.limits().writeTimeout(), this, engine);
        this.ending = new Ending(socket);
        this.http = new HttpConversation(context, this, peer, socket, ending);
        this.phase = http.phase();
        this.buffers = http.buffers();
    }

    Peer peer() {
        return http.peer();
    }

    /**
     * Lets the requests in hand finish, and at most one that is on its way.
     *
     * @param limitNanos when the server stops
     */
    void drain(long limitNanos) {
        ending.drain();
        http.drain();
        drainWebSocket();
        if (phase.isOwed()) {
            long partNanos = Math.min(MOST_DRAIN_NANOS, Math.max(1, limitNanos / DRAIN_PART));
            long earlierNanos = ThreadLocalRandom.current().nextLong(partNanos);
            loop.scheduleAfter(limitNanos - earlierNanos, () -> guarded(this::stopStream));
        }
    }

    /** Not all in the same moment, as for WebSockets. */
    private void stopStream() {
        if (!phase.is(ConnectionState.CLOSED) && http.isStreaming()) {
            stop();
        }
    }

    /** Not all in the same moment: their clients come back, and would do that together, too. */
    private void drainWebSocket() {
        OpenWebSocket leaving = webSocket;
        if (leaving != null) {
            long nanos = ThreadLocalRandom.current().nextLong(MOST_DRAIN_NANOS);
            Runnable close = () -> leaving.closeByServer(CloseCode.GOING_AWAY, "the server leaves");
            loop.scheduleAfter(nanos, () -> runThenStep(0, close));
        }
    }

    /** Closes it at once, since the server stops. */
    void stop() {
        if (http.isStreaming() || webSocket != null) {
            // A response that may last for ever need not reach its end.
            ending.because(ConnectionEnd.STOPPED);
        } else {
            ending.becauseStopped();
        }
        socket.close();
    }

    /** Closes it at once. */
    void close(ConnectionEnd why) {
        ending.because(why);
        socket.close();
    }

    /** Takes the request that may have come with the connection. */
    void readNow() {
        guarded(socket::readNow);
    }

    /** The client that it counts for; null where no client has a limit. */
    @Nullable InetAddress counted() {
        return counted;
    }

    ConnectionBuffers buffers() {
        return buffers;
    }

    ConnectionSpool spool() {
        return http.spool();
    }

    @Override
    public void onSent(long bytes) {
        context.listener().onSent(bytes);
        if (socket.pendingBytes() > 0) {
            // Others may wait for the room that this output had. At the end of the turn it is
            // counted anyway.
            buffers.recount();
        }
        phase.someLeft();
        http.sent();
        if (webSocket != null) {
            webSocket.sent();
        }
    }

    @Override
    public int mostReadBytes() {
        if (http.hasSmallChunks()) {
            return LABORIOUS_READ_BYTES;
        }
        boolean keepsRest = webSocket != null && webSocket.fallsBehind();
        return keepsRest || context.budget().isTightForRequests()
                ? FEW_READ_BYTES
                : StreamSocket.Owner.super.mostReadBytes();
    }

    @Override
    public void onBytes(byte[] bytes, int from, int to) {
        context.listener().onReceived(to - from);
        if (webSocket != null) {
            webSocket.read(bytes, from, to);
            seeToMemory();
            return;
        }
        if (!phase.takesRequests()) {
            return;
        }
        http.read(bytes, from, to);
        if (stepDue) {
            step();
        } else {
            http.endEvent();
        }
    }

    @Override
    public void onEnd() {
        if (webSocket == null) {
            http.inputEnded();
        } else {
            webSocket.inputEnded();
            seeToMemory();
        }
    }

    @Override
    public void onFlushed() {
        if (evicted) {
            socket.close();
            return;
        }
        phase.flushed();
        if (http.hasUnread()) {
            step();
        } else {
            buffers.recount();
        }
    }

    @Override
    public void onClosed(CloseCause cause) {
        ending.closed(cause, phase.state());
        phase.enter(ConnectionState.CLOSED);
        try {
            http.close();
        } finally {
            buffers.release();
            owner.closed(this, ending.reason());
        }
        http.clear();
    }

    /**
     * Runs an action that is no event of the socket. Here, too, an exception closes the connection,
     * which would be left in the middle of a step.
     */
    @Override
    public void guarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            socket.onFailure();
            throw failure;
        }
    }

    @Override
    public void runThenStep(int bytes, Runnable action) {
        guarded(action);
        if (bytes > ResponseRoom.SMALL_BYTES) {
            // The giver stops counting it when this returns.
            buffers.recount();
        }
        stepSoon();
    }

    @Override
    public boolean mayGoOn() {
        if (turnShare.isUsedUp()) {
            goOnInNextTurn();
            return false;
        }
        return true;
    }

    @Override
    public void began(Request request) {
        turnShare.countRequest(request.target().length());
        usedNanos = loop.nanoTime();
    }

    @Override
    public void wentOn(int bytes) {
        turnShare.countMessage(bytes);
        usedNanos = loop.nanoTime();
    }

    private void goOnInNextTurn() {
        if (!goesOn) {
            goesOn = true;
            loop.inNextTurn(() -> {
                goesOn = false;
                guarded(this::step);
            });
        }
    }

    /** Ends it, since others want its place and its client has kept it waiting. */
    @Override
    public void evict() {
        if (phase.is(ConnectionState.IDLE) || phase.isUnseen() || phase.hasToTake()) {
            close(ConnectionEnd.EVICTED);
        } else {
            evicted = true;
            guarded(this::evictRequest);
            ending.because(ConnectionEnd.EVICTED);
        }
    }

    /** Ends what comes so slowly, or waits for so long, that others get its room. */
    void evictRequest() {
        if (webSocket == null) {
            http.refusals().evict();
        } else {
            webSocket.giveUp();
            buffers.recount();
            stepSoon();
        }
    }

    /** Whether it has use for room that others make. */
    boolean wantsRoom() {
        return phase.takesRequests() || (webSocket != null && webSocket.isOpen());
    }

    /** Has a step follow at the end of this turn, unless one comes before. */
    @Override
    public void stepSoon() {
        if (!stepDue) {
            stepDue = true;
            loop.atEndOfTurn(endOfTurn);
        }
    }

    private void endOfTurn() {
        if (stepDue) {
            guarded(this::step);
        }
    }

    @Override
    public void step() {
        if (phase.is(ConnectionState.CLOSED)) {
            return;
        }
        stepDue = false;
        if (webSocket == null) {
            http.step();
        } else {
            webSocket.step();
            seeToMemory();
        }
    }

    @Override
    public void becomeWebSocket(ConnectionWebSocket accepted, UnreadBytes early) {
        OpenWebSocket opened = accepted.open(this, socket);
        webSocket = opened;
        buffers.holdInstead(opened.held());
        opened.read(early.array(), early.from(), early.to());
        if (http.hasInputEnded()) {
            opened.inputEnded();
        }
        if (ending.isDraining()) {
            drainWebSocket();
        }
        stepSoon();
    }

    @Override
    public void webSocketOver(int code) {
        ending.inOrder(
                code == CloseCode.ABNORMAL
                        ? ConnectionEnd.CLIENT_CLOSED
                        : ConnectionEnd.WEBSOCKET_CLOSED);
        socket.endOutput();
        socket.resumeReading();
        phase.enter(ConnectionState.LINGERING);
    }

    @Override
    public void cutWebSocket(ConnectionEnd why) {
        ending.inOrder(why);
        socket.close();
    }

    @Override
    public void makeRoom() {
        owner.makeRoomFor(this);
    }

    /** Counts the memory that it holds, and has others make room, or gives up what finds none. */
    @Override
    public void seeToMemory() {
        buffers.recount();
        if (wantsRoom() && buffers.holdTooMuch()) {
            owner.makeRoomFor(this);
        }
        if (wantsRoom() && buffers.holdTooMuch()) {
            if (webSocket == null) {
                http.refusals().refuseForWantOfRoom();
            } else {
                webSocket.giveUp();
                buffers.recount();
            }
        }
        if (context.budget().areResponsesFull()) {
            owner.responsesFull();
        }
    }
}
