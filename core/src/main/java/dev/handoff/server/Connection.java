package dev.handoff.server;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.Refusal;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseEncoder;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.loop.CloseCause;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection: joins the bytes that come, the requests in them and the responses that
 * leave, and is in one {@link ConnectionState} at a time. Belongs to the loop's thread.
 *
 * <p>Bytes that come are read at once, and a request that is whole goes to its handler at once. A
 * response is only noted when it is given; the {@link #step} at the end of the loop's turn writes
 * it and goes on with what had to wait. So a handler, whatever it is called from, never calls back
 * into the connection's work.
 */
final class Connection
        implements StreamSocket.Owner,
                RequestInput.Owner,
                Pipeline.Owner,
                ConnectionWebSocket.Owner,
                SilentClients.Client {
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
     * The order in which connections give up their places to others. Those that are owed a
     * response, or have not taken one whole, go last.
     */
    static final Comparator<Connection> LONGEST_UNUSED_FIRST =
            Comparator.comparing(Connection::isOwed)
                    .thenComparing((one, other) -> Long.signum(one.usedNanos - other.usedNanos));

    /** A server that drains closes its WebSockets, and ends responses, within so long. */
    private static final long MOST_DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Responses in pieces are ended within such a part of the drain, its last one. */
    private static final int DRAIN_PART = 6;

    private final LoopContext context;
    private final Owner owner;
    private final EventLoop loop;
    private final Peer peer;
    private final StreamSocket socket;
    private final ConnectionContent content;
    private final RequestInput input;
    private final Pipeline pipeline;
    private final Ending ending;
    private final ReadDeadline readDeadline;
    private final ConnectionBuffers buffers;
    private final SilentClients.Place silence = new SilentClients.Place(this);
    private final TurnShare turnShare;
    private final Runnable endOfTurn = this::endOfTurn;
    private final @Nullable InetAddress counted;

    /** The time at which its last request was whole, or it was opened. */
    private long usedNanos;

    private ConnectionState state = ConnectionState.IDLE;

    /** Whether another turn will go on with what this one had to leave. */
    private boolean goesOn;

    /** Whether a response, or another deadline, has come that no step has looked at. */
    private boolean stepDue;

    /** Once the connection has become one. */
    private @Nullable ConnectionWebSocket webSocket;

    private boolean draining;
    private boolean inputEnded;

    /** Whether no request follows the one that was begun last. */
    private boolean isLastRequest;

    /** Whether the response that is being written breaks off, and the connection with it. */
    private boolean cut;

    /** Whether another connection waits for its place: then it ends without lingering. */
    private boolean evicted;

    /**
     * @param counted the client that it counts for; null where no client has a limit
     */
    Connection(
            LoopContext context, Owner owner, SocketChannel channel, @Nullable InetAddress counted)
            throws IOException {
        this.context = context;
        this.owner = owner;
        this.loop = context.loop();
        this.usedNanos = loop.nanoTime();
        this.counted = counted;
        this.turnShare = new TurnShare(context.turnShares());
        SocketAddress address = channel.getRemoteAddress();
        this.peer = new Peer(address, context.forwarding(address));
        this.content = new ConnectionContent(context, () -> guarded(this::contentMoved));
        this.input =
                new RequestInput(context.limits().request(), peer.isTrustedProxy(), content, this);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.socket = new StreamSocket(loop, channel, context.limits().writeTimeout(), this);
        this.readDeadline =
                new ReadDeadline(
                        loop,
                        context.limits(),
                        input,
                        socket,
                        () -> guarded(this::readDeadlinePassed));
        this.pipeline = new Pipeline(context, socket, this);
        this.ending = new Ending(socket);
        this.buffers =
                new ConnectionBuffers(input, pipeline, readDeadline, context.budget().new Share());
        readDeadline.entered(state);
        updateSilence();
    }

    /**
     * Lets the requests in hand finish, and at most one that is on its way.
     *
     * @param limitNanos when the server stops
     */
    void drain(long limitNanos) {
        draining = true;
        readDeadline.drain();
        drainWebSocket();
        if (!pipeline.isEmpty()) {
            long partNanos = Math.min(MOST_DRAIN_NANOS, Math.max(1, limitNanos / DRAIN_PART));
            long earlierNanos = ThreadLocalRandom.current().nextLong(partNanos);
            loop.scheduleAfter(limitNanos - earlierNanos, () -> guarded(this::stopStream));
        }
    }

    /** Not all in the same moment, as for WebSockets. */
    private void stopStream() {
        if (state != ConnectionState.CLOSED && pipeline.isStreaming()) {
            stop();
        }
    }

    /** Not all in the same moment: their clients come back, and would do that together, too. */
    private void drainWebSocket() {
        ConnectionWebSocket leaving = webSocket;
        if (leaving != null) {
            long nanos = ThreadLocalRandom.current().nextLong(MOST_DRAIN_NANOS);
            loop.scheduleAfter(
                    nanos,
                    () ->
                            guarded(() ->
                                    leaving.closeNow(CloseCode.GOING_AWAY, "the server leaves")));
        }
    }

    /** Closes it at once, since the server stops. */
    void stop() {
        if (pipeline.isStreaming() || webSocket != null) {
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

    private boolean isOwed() {
        return !pipeline.isEmpty() || socket.pendingBytes() > 0;
    }

    @Override
    public void onSent(long bytes) {
        context.listener().onSent(bytes);
        if (socket.pendingBytes() > 0) {
            // Others may wait for the room that this output had. At the end of the turn it is
            // counted anyway.
            buffers.recount();
        }
        pipeline.sent();
        if (webSocket != null) {
            webSocket.sent();
        }
    }

    @Override
    public void onBytes(byte[] bytes, int from, int to) {
        context.listener().onReceived(to - from);
        if (state == ConnectionState.WEBSOCKET && webSocket != null) {
            webSocket.read(bytes, from, to);
            endWebSocketEvent(webSocket);
            return;
        }
        if (!isOpen()) {
            return;
        }
        if (state == ConnectionState.READING_BODY && readDeadline.bodyCame(to - from)) {
            updateSilence();
        }
        input.read(bytes, from, to);
        if (buffers.holdEnough()) {
            socket.pauseReading();
        }
        if (stepDue) {
            step();
        } else {
            endEvent();
        }
    }

    @Override
    public void onEnd() {
        inputEnded = true;
        if (state == ConnectionState.WEBSOCKET) {
            // It ends with a close, not with the input (RFC 6455 section 7.1.1).
            socket.close();
            return;
        }
        endEvent();
        pipeline.inputEnded();
    }

    @Override
    public void onFlushed() {
        if (evicted) {
            socket.close();
            return;
        }
        if (state == ConnectionState.IDLE) {
            readDeadline.entered(state);
        }
        updateSilence();
        if (input.hasUnread()) {
            step();
        } else {
            buffers.recount();
        }
    }

    @Override
    public void onClosed(CloseCause cause) {
        ending.closed(cause, state);
        enter(ConnectionState.CLOSED);
        try {
            pipeline.close(ending.abandonment());
        } finally {
            buffers.release();
            owner.closed(this, ending.reason());
        }
        input.clear();
    }

    /**
     * Runs an action that is no event of the socket. Here, too, an exception closes the connection,
     * which would be left in the middle of a step.
     */
    void guarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            socket.onFailure();
            throw failure;
        }
    }

    @Override
    public void change(int bytes, Runnable change) {
        guarded(change);
        if (bytes > ResponseRoom.SMALL_BYTES) {
            // The giver stops counting it when this returns.
            buffers.recount();
        }
        stepSoon();
    }

    @Override
    public void deadlineMoved() {
        stepSoon();
    }

    @Override
    public void requestsAreLate() {
        guarded(() -> {
            pipeline.expire(isContentDue());
            step();
        });
    }

    @Override
    public boolean isOpen() {
        return state.isOpen();
    }

    @Override
    public boolean mayBegin() {
        if (!buffers.allowAnother() || !pipeline.hasRoom()) {
            return false;
        }
        if (turnShare.isUsedUp()) {
            goOnInNextTurn();
            return false;
        }
        return true;
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

    @Override
    public void onRequest(Request request, boolean persistent) {
        enter(ConnectionState.ANSWERING);
        turnShare.count();
        usedNanos = loop.nanoTime();
        long deadlineNanos = loop.nanoTime() + context.limits().requestTimeout().toNanos();
        pipeline.owe(peer.exchange(context, pipeline, context.withId(request), deadlineNanos));
        if (!persistent) {
            ending.because(ConnectionEnd.NOT_PERSISTENT);
            isLastRequest = true;
            if (!pipeline.contentArrives()) {
                enter(ConnectionState.FINISHING);
            }
        }
        pipeline.startNext();
        writeReady();
    }

    @Override
    public void onContentEnd() {
        pipeline.contentEnded();
        enter(isLastRequest ? ConnectionState.FINISHING : ConnectionState.ANSWERING);
        stepSoon();
    }

    /** Whether the handler waits for the client, which has not sent all content of the request. */
    private boolean isContentDue() {
        return pipeline.contentArrives() && !input.awaitsContinue() && !input.isAheadOfStore();
    }

    @Override
    public void refuse(Refusal refused) {
        context.listener().onRefused(refused, peer.address(), input.requestStart());
        ErrorForm form = input.errorForm();
        refuse(refused.error().naming(context.limitName(refused)).response(form), form);
    }

    /** Refuses a client when the requests of others use up the buffer budget. */
    private void refuseForWantOfRoom() {
        context.listener().onBuffersFull(peer.address(), input.requestStart());
        refuse(Failure.BUFFERS_FULL);
    }

    /**
     * The bytes in the file of the request that is being read. While a response leaves in pieces:
     * the bytes of its request that the handler has not read.
     */
    long spooledBytes() {
        if (isSpooling()) {
            return content.incompleteBytes();
        }
        SpooledContent unread = pipeline.fileOfStream();
        return unread == null ? 0 : unread.bytes();
    }

    /** For how long its client has sent each 64 KiB of that, or its handler has not read it. */
    long spooledNanos() {
        return isSpooling() ? buffers.readNanos() : pipeline.streamNanos();
    }

    private boolean isSpooling() {
        return state == ConnectionState.READING_BODY && content.incompleteBytes() > 0;
    }

    /** Gives the space to others. A handler that reads content which is gone loses its request. */
    void giveUpSpooled() {
        SpooledContent unread = pipeline.fileOfStream();
        if (isSpooling()) {
            refuseForWantOfSpace();
        } else if (unread != null) {
            unread.giveUp();
        }
    }

    /** Refuses a client when large requests use up the space for their files. */
    private void refuseForWantOfSpace() {
        context.listener().onSpoolFull(peer.address(), input.requestStart(), false);
        refuse(Failure.SPOOL_FULL);
    }

    /** Ends it, since others want its place and its client has kept it waiting. */
    @Override
    public void evict() {
        if (state == ConnectionState.IDLE) {
            close(ConnectionEnd.EVICTED);
        } else {
            evicted = true;
            guarded(this::evictRequest);
            ending.because(ConnectionEnd.EVICTED);
        }
    }

    /** Ends it, since the request that is being read comes so slowly that others get its room. */
    void evictRequest() {
        context.listener().onRequestEvicted(peer.address(), input.requestStart());
        refuse(Failure.REQUEST_EVICTED);
    }

    private void refuse(Failure failure) {
        ErrorForm form = input.errorForm();
        refuse(failure.response(form), form);
    }

    private void refuse(Response response, ErrorForm form) {
        if (!pipeline.contentCut(response)) {
            pipeline.refuse(response, form.withContent());
        }
        input.clear();
        socket.resumeReading();
        buffers.recount();
        ending.because(ConnectionEnd.REFUSED);
        enter(ConnectionState.FINISHING);
        writeReady();
    }

    /** Has a step follow at the end of this turn, unless one comes before. */
    private void stepSoon() {
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

    /** Does all that has become possible: writes, starts a request, reads input that was kept. */
    private void step() {
        if (state == ConnectionState.CLOSED) {
            return;
        }
        stepDue = false;
        if (state == ConnectionState.WEBSOCKET && webSocket != null) {
            webSocket.readKept();
            endWebSocketEvent(webSocket);
            return;
        }
        writeReady();
        pipeline.startNext();
        writeReady();
        input.readKept();
        if (!input.hasUnread() && !input.isAheadOfStore()) {
            socket.resumeReading();
        }
        endEvent();
    }

    /**
     * Called when more content of a large request is in its file, or cannot get there; and when the
     * handler has begun to read it, or made room for more.
     */
    private void contentMoved() {
        if (state == ConnectionState.CLOSED) {
            return;
        }
        pipeline.contentTaken();
        if (content.pollFailure()) {
            if (state == ConnectionState.READING_BODY) {
                refuseForWantOfSpace();
            } else {
                pipeline.contentFailed();
            }
        }
        step();
    }

    private void writeReady() {
        PendingExchange exchange = pipeline.ready();
        while (exchange != null && !cut) {
            write(exchange);
            exchange = pipeline.ready();
        }
        if (state == ConnectionState.FINISHING && pipeline.isEmpty()) {
            pipeline.writeRefusal();
            socket.endOutput();
            enter(ConnectionState.LINGERING);
        }
    }

    private void write(PendingExchange exchange) {
        ConnectionWebSocket accepted = exchange.webSocket();
        if (accepted != null) {
            open(exchange, accepted);
            return;
        }
        boolean last = pipeline.isLast(exchange) && !pipeline.endsWithRefusal();
        // Whether the connection ends with this request: the response may end before the content
        // does, and nothing behind the content is read.
        boolean early = exchange.contentArrives();
        if (early) {
            StreamedResponse stream = exchange.stream();
            if (stream == null || stream.isComplete()) {
                dropContent();
            }
        } else if (last && draining && isOpen() && input.isAtEnd()) {
            ending.because(ConnectionEnd.DRAINED);
            enter(ConnectionState.FINISHING);
        } else if (exchange.endsWithConnection() && isOpen()) {
            ending.because(ConnectionEnd.NOT_PERSISTENT);
            enter(ConnectionState.FINISHING);
            last = true;
        }
        pipeline.write(exchange, early || (last && state == ConnectionState.FINISHING));
        if (pipeline.broken() != null) {
            cutOff();
        }
    }

    /** From here on the connection is a WebSocket. */
    private void open(PendingExchange exchange, ConnectionWebSocket accepted) {
        if (!isOpen()) {
            cut = true;
            loop.atEndOfTurn(socket::close);
            return;
        }
        pipeline.writeSwitch(exchange);
        webSocket = accepted;
        enter(ConnectionState.WEBSOCKET);
        accepted.open(this, socket);
        UnreadBytes early = input.takeUnread();
        accepted.read(early.array(), early.from(), early.to());
        if (draining) {
            drainWebSocket();
        }
        stepSoon();
    }

    @Override
    public boolean mayTakeMessage() {
        if (turnShare.isUsedUp()) {
            goOnInNextTurn();
            return false;
        }
        return true;
    }

    @Override
    public void messageTaken() {
        turnShare.count();
        usedNanos = loop.nanoTime();
    }

    @Override
    public void webSocketOver() {
        ending.because(draining ? ConnectionEnd.DRAINED : ConnectionEnd.WEBSOCKET_CLOSED);
        if (state == ConnectionState.WEBSOCKET) {
            socket.endOutput();
            socket.resumeReading();
            enter(ConnectionState.LINGERING);
        }
    }

    @Override
    public void cutWebSocket() {
        ending.because(ConnectionEnd.IDLE_TIMEOUT);
        socket.close();
    }

    private void endWebSocketEvent(ConnectionWebSocket read) {
        if (state != ConnectionState.WEBSOCKET) {
            return;
        }
        if (read.hasUnread()) {
            socket.pauseReading();
        } else {
            socket.resumeReading();
        }
        buffers.recount();
        if (read.isLarge() && buffers.areCrowded()) {
            context.listener().onBuffersFull(peer.address(), input.requestStart());
            read.closeNow(CloseCode.TRY_AGAIN_LATER, "the server has no memory for more");
        }
        if (context.budget().areResponsesFull()) {
            owner.responsesFull();
        }
    }

    /** The response has come before the whole request. Nobody wants the rest of that. */
    private void dropContent() {
        input.clear();
        socket.resumeReading();
        if (isOpen()) {
            ending.because(ConnectionEnd.NOT_PERSISTENT);
            enter(ConnectionState.FINISHING);
        }
    }

    /** The client has a part of a response, and must see that it is not the whole. */
    private void cutOff() {
        cut = true;
        ending.because(ConnectionEnd.RESPONSE_CUT);
        // The client gets what is already written first, if it takes it.
        loop.atEndOfTurn(socket::close);
    }

    /** Brings the state, the deadlines, 100 (Continue) and the counted memory up to date. */
    private void endEvent() {
        input.endEvent();
        if (isOpen()) {
            followInput();
        }
        pipeline.updateDeadline();
        buffers.recount();
        if (isOpen() && buffers.holdTooMuch()) {
            owner.makeRoomFor(this);
        }
        if (isOpen() && buffers.holdTooMuch()) {
            refuseForWantOfRoom();
        }
        if (context.budget().areResponsesFull()) {
            owner.responsesFull();
        }
    }

    private void followInput() {
        if (inputEnded && !input.hasUnread()) {
            if (pipeline.contentCut(null)) {
                input.clear();
            }
            enter(ConnectionState.FINISHING);
            writeReady();
            return;
        }
        switch (input.phase()) {
            case HEAD -> enter(ConnectionState.READING_HEAD);
            case BODY -> enter(ConnectionState.READING_BODY);
            case IDLE -> {
                if (pipeline.isEmpty() && !input.hasUnread()) {
                    enter(ConnectionState.IDLE);
                }
            }
        }
        if (input.awaitsContinue() && (pipeline.isEmpty() || pipeline.isContentWanted())) {
            input.continueGiven();
            socket.write(ResponseEncoder.continueResponse());
            readDeadline.restartBody();
        }
    }

    /** The one way to another state. */
    private void enter(ConnectionState next) {
        if (next == state) {
            return;
        }
        state.requireMayBecome(next);
        if (next.isActive() != state.isActive()) {
            context.activeChanged(next.isActive() ? 1 : -1);
        }
        state = next;
        readDeadline.entered(next);
        updateSilence();
    }

    /** Notes whether it waits for its client from now on. */
    private void updateSilence() {
        if (waitsForClient()) {
            context.silentClients().enter(silence, loop.nanoTime());
        } else {
            context.silentClients().leave(silence);
        }
    }

    private boolean waitsForClient() {
        return switch (state) {
            case IDLE -> socket.pendingBytes() == 0;
            case READING_HEAD, READING_BODY -> !isOwed();
            case ANSWERING, FINISHING, WEBSOCKET, LINGERING, CLOSED -> false;
        };
    }

    private void readDeadlinePassed() {
        switch (state) {
            case READING_HEAD -> refuse(Refusal.HEAD_TIMEOUT);
            case READING_BODY -> refuse(Refusal.BODY_TIMEOUT);
            case IDLE -> close(draining ? ConnectionEnd.DRAINED : ConnectionEnd.IDLE_TIMEOUT);
            case LINGERING -> socket.close();
            case ANSWERING, FINISHING, WEBSOCKET, CLOSED ->
                    throw new IllegalStateException("no read deadline in " + state);
        }
    }
}
