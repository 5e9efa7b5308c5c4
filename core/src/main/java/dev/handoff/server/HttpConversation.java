package dev.handoff.server;

import dev.handoff.http.Refusal;
import dev.handoff.http.Request;
import dev.handoff.http.ResponseEncoder;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import dev.handoff.server.forwarding.Forwarding;

/**
 * The requests and responses of one connection: reads the bytes that come, hands over what is
 * whole, and writes what is due, until the connection ends or becomes a WebSocket. Belongs to the
 * loop's thread.
 *
 * <p>A response is only noted when it is given. The {@link #step} behind it writes it, and goes on
 * with what had to wait.
 */
final class HttpConversation implements RequestInput.Owner, ConnectionRefusals.Owner {
    /** The connection. */
    interface Owner extends SilentClients.Client, Pipeline.Owner {
        /** Runs an action that is no event of the socket, so that what it throws ends this. */
        void guarded(Runnable action);

        /** Whether another request may begin in this turn; if not, a later turn goes on. */
        boolean mayGoOn();

        void began(Request request);

        /** Does at once what has become possible. */
        void step();

        /** Counts the memory that is held, and gives up what finds none. */
        void seeToMemory();

        /** Ends what comes slowly on other connections, for what this one holds. */
        void makeRoom();

        /**
         * The 101 is written.
         *
         * @param early what came behind the request
         */
        void becomeWebSocket(ConnectionWebSocket accepted, UnreadBytes early);
    }

    private final LoopContext context;
    private final Owner owner;
    private final EventLoop loop;
    private final Peer peer;
    private final StreamSocket socket;
    private final Ending ending;
    private final ConnectionContent content;
    private final RequestInput input;
    private final Pipeline pipeline;
    private final ReadDeadline readDeadline;
    private final ConnectionBuffers buffers;
    private final ConnectionPhase phase;
    private final ConnectionRefusals refusals;
    private final ConnectionSpool spool;

    private boolean inputEnded;

    /** Whether no request follows the one that was begun last. */
    private boolean isLastRequest;

    /** Whether the response that is being written breaks off, and the connection with it. */
    private boolean cut;

    HttpConversation(
            LoopContext context, Owner owner, Peer peer, StreamSocket socket, Ending ending) {
        this.context = context;
        this.owner = owner;
        this.loop = context.loop();
        this.peer = peer;
        this.socket = socket;
        this.ending = ending;
        this.content =
                new ConnectionContent(
                        context,
                        peer,
                        () -> owner.guarded(this::contentMoved),
                        () -> owner.guarded(this::contentTooSlow));
        this.input =
                new RequestInput(context.limits().request(), peer.mayAskForHttps(), content, this);
        Runnable handlerLate = () -> owner.guarded(this::requestsAreLate);
        this.pipeline = new Pipeline(context, socket, owner, handlerLate);
        Runnable clientLate = () -> owner.guarded(this::readDeadlinePassed);
        this.readDeadline = new ReadDeadline(loop, context.limits(), input, socket, clientLate);
        this.buffers =
                new ConnectionBuffers(input, pipeline, readDeadline, context.budget().new Share());
        this.phase =
                new ConnectionPhase(
                        context,
                        socket,
                        readDeadline,
                        () -> !pipeline.isEmpty(),
                        this::isOnlyContentDue,
                        this::mayClientHaveLeft,
                        owner);
        this.refusals = new ConnectionRefusals(context, peer, input, pipeline, this);
        this.spool = new ConnectionSpool(phase, content, pipeline, buffers, refusals);
    }

    Peer peer() {
        return peer;
    }

    ConnectionPhase phase() {
        return phase;
    }

    ConnectionBuffers buffers() {
        return buffers;
    }

    ConnectionRefusals refusals() {
        return refusals;
    }

    ConnectionSpool spool() {
        return spool;
    }

    /** Whether bytes wait to be read that belong to later requests. */
    boolean hasUnread() {
        return input.hasUnread();
    }

    /** Whether the latest bytes were more work than content is. */
    boolean hasSmallChunks() {
        return input.hasSmallChunks();
    }

    /** Whether a part of a response has been written. */
    boolean isStreaming() {
        return pipeline.isStreaming();
    }

    /** From now on there is little time for another request. */
    void drain() {
        readDeadline.drain();
    }

    void read(byte[] bytes, int from, int to) {
        phase.came(to - from);
        input.read(bytes, from, to);
        if (buffers.holdEnough()) {
            socket.pauseReading();
            phase.standStill();
        }
    }

    /** Whether the client sends no more. */
    boolean hasInputEnded() {
        return inputEnded;
    }

    /** The client sends no more, but may still read. */
    void inputEnded() {
        inputEnded = true;
        endEvent();
        phase.lookForSilence();
        pipeline.inputEnded();
    }

    /** Some output has left. */
    void sent() {
        if (mayClientHaveLeft()) {
            phase.clientTook();
        }
        pipeline.sent();
    }

    /** The connection is closed: tells the handlers that nobody waits. */
    void close() {
        if (!inputEnded && ending.reason() == ConnectionEnd.RESET) {
            refusals.clientLeft();
        }
        pipeline.close(ending.abandonment());
    }

    /** Lets go of what was being read. */
    void clear() {
        input.clear();
    }

    @Override
    public boolean takesRequests() {
        return phase.takesRequests();
    }

    @Override
    public boolean mayBegin() {
        return buffers.allowAnother() && pipeline.hasRoom() && owner.mayGoOn();
    }

    @Override
    public void onRequest(Request request, boolean persistent) {
        phase.enter(ConnectionState.ANSWERING);
        owner.began(request);
        PendingExchange exchange = exchangeOf(context.withId(request));
        if (context.budget().isFullForRequests() && !findsRoom(exchange)) {
            refusals.refuseForWantOfRoom(exchange);
            return;
        }
        pipeline.owe(exchange);
        if (!persistent) {
            ending.because(ConnectionEnd.NOT_PERSISTENT);
            isLastRequest = true;
            if (!pipeline.contentArrives()) {
                phase.enter(ConnectionState.FINISHING);
            }
        }
        pipeline.startNext();
        if (!pipeline.isAccepted()) {
            writeReady();
        }
        // Else what came behind the request has yet to be kept, and the step writes the 101.
    }

    /**
     * Whether there is room for a request that was never seen unfinished. For one whose content is
     * in a file, or comes while it is handled, there was while it came.
     */
    private boolean findsRoom(PendingExchange exchange) {
        if (exchange.isContentElsewhere()) {
            return true;
        }
        long bytes = exchange.heldBytes();
        if (buffers.lackRoomFor(bytes)) {
            owner.makeRoom();
        }
        return !buffers.lackRoomFor(bytes);
    }

    private PendingExchange exchangeOf(Request request) {
        long deadlineNanos = loop.nanoTime() + context.limits().requestTimeout().toNanos();
        Forwarding.Judged judged = peer.judge(request);
        return new PendingExchange(
                context,
                pipeline,
                judged == null ? request : judged.request(),
                peer.origin(judged),
                judged == null ? null : judged.counted(),
                deadlineNanos);
    }

    @Override
    public void onContentEnd() {
        pipeline.contentEnded();
        phase.enter(isLastRequest ? ConnectionState.FINISHING : ConnectionState.ANSWERING);
        owner.stepSoon();
    }

    /** Whether the handler waits for the client, which has not sent all content of the request. */
    private boolean isContentDue() {
        return pipeline.contentArrives() && !input.awaitsContinue() && !input.isAheadOfStore();
    }

    private boolean isOnlyContentDue() {
        return isContentDue() && pipeline.isAlone() && !pipeline.isStreaming();
    }

    /**
     * Whether the client has ended its sending, which looks like leaving; or is not read, since a
     * handler that has begun to respond does not take its content.
     */
    private boolean mayClientHaveLeft() {
        return !pipeline.isEmpty()
                && (inputEnded || (pipeline.contentArrives() && pipeline.isStreaming()));
    }

    @Override
    public void refuse(Refusal refused) {
        refusals.refuse(refused);
    }

    @Override
    public void refused() {
        resumeReading();
        buffers.recount();
        ending.because(ConnectionEnd.REFUSED);
        phase.enter(ConnectionState.FINISHING);
        writeReady();
    }

    /** Does all that has become possible: writes, starts a request, reads input that was kept. */
    void step() {
        writeReady();
        pipeline.startNext();
        writeReady();
        input.readKept();
        if (!input.hasUnread() && !input.isAheadOfStore()) {
            resumeReading();
        }
        endEvent();
    }

    private void resumeReading() {
        socket.resumeReading();
        phase.goOn();
    }

    /**
     * Called when more content of a large request is in its file, or cannot get there; and when the
     * handler has begun to read it, or made room for more.
     */
    private void contentMoved() {
        if (phase.is(ConnectionState.CLOSED)) {
            return;
        }
        pipeline.contentTaken();
        if (content.pollFailure()) {
            if (phase.is(ConnectionState.READING_BODY)) {
                refusals.refuseForWantOfSpace();
            } else {
                pipeline.contentFailed();
            }
        }
        owner.step();
    }

    /** Others wait for the handler that waits for the content. */
    private void contentTooSlow() {
        refusals.refuse(Refusal.BODY_TOO_SLOW);
    }

    private void writeReady() {
        PendingExchange exchange = pipeline.ready();
        while (exchange != null && !cut) {
            writeResponse(exchange);
            exchange = pipeline.ready();
        }
        if (phase.is(ConnectionState.FINISHING) && pipeline.isEmpty()) {
            pipeline.writeRefusal();
            socket.endOutput();
            phase.enter(ConnectionState.LINGERING);
        }
    }

    private void writeResponse(PendingExchange exchange) {
        ConnectionWebSocket accepted = pipeline.webSocketOf(exchange);
        if (accepted != null) {
            switchTo(accepted, exchange);
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
        } else if (last && ending.isDraining() && takesRequests() && input.isAtEnd()) {
            ending.because(ConnectionEnd.DRAINED);
            phase.enter(ConnectionState.FINISHING);
        } else if (exchange.endsWithConnection() && takesRequests()) {
            ending.because(ConnectionEnd.NOT_PERSISTENT);
            phase.enter(ConnectionState.FINISHING);
            last = true;
        }
        pipeline.write(exchange, early || (last && phase.is(ConnectionState.FINISHING)));
        if (pipeline.broken() != null) {
            cutOff(ConnectionEnd.RESPONSE_CUT);
        }
    }

    private void switchTo(ConnectionWebSocket accepted, PendingExchange exchange) {
        if (takesRequests()) {
            pipeline.writeSwitch(exchange);
            phase.enter(ConnectionState.WEBSOCKET);
            owner.becomeWebSocket(accepted, input.takeUnread());
        } else {
            // The client sends no more, so it is of no use to it.
            cutOff(ConnectionEnd.CLIENT_CLOSED);
        }
    }

    /** The response has come before the whole request. Nobody wants the rest of that. */
    private void dropContent() {
        input.clear();
        resumeReading();
        if (takesRequests()) {
            ending.because(ConnectionEnd.NOT_PERSISTENT);
            phase.enter(ConnectionState.FINISHING);
        }
    }

    /** The client must see that what it has, if it has a part of a response, is not the whole. */
    private void cutOff(ConnectionEnd why) {
        cut = true;
        ending.because(why);
        // The client gets what is already written first, if it takes it.
        loop.atEndOfTurn(socket::close);
    }

    /** Brings the state, the deadlines, 100 (Continue) and the counted memory up to date. */
    void endEvent() {
        input.endEvent();
        if (takesRequests()) {
            followInput();
        }
        pipeline.updateDeadline();
        owner.seeToMemory();
    }

    private void followInput() {
        if (inputEnded && !input.hasUnread()) {
            refusals.clientLeft();
            if (pipeline.contentCut(null)) {
                input.clear();
            }
            phase.enter(ConnectionState.FINISHING);
            writeReady();
            return;
        }
        switch (input.phase()) {
            case HEAD -> phase.enter(ConnectionState.READING_HEAD);
            case BODY -> phase.enter(ConnectionState.READING_BODY);
            case IDLE -> {
                if (pipeline.isEmpty() && !input.hasUnread()) {
                    phase.enter(ConnectionState.IDLE);
                }
            }
        }
        if (input.awaitsContinue() && (pipeline.isEmpty() || pipeline.isContentWanted())) {
            input.continueGiven();
            socket.write(ResponseEncoder.continueResponse());
            readDeadline.restartBody();
        }
        if (pipeline.contentArrives()) {
            phase.lookForSilence();
        }
    }

    /**
     * The connection has not been read for long, since its client has sent more ahead than is kept.
     * Without that it is read again, so that a client that has left is noticed.
     */
    private void tooMuchAhead() {
        if (!buffers.holdEnough()) {
            // Others have left the room that it did not have.
            resumeReading();
        } else if (buffers.readNanos() >= ReadDeadline.AHEAD_NANOS) {
            refusals.refuse(Refusal.SENT_AHEAD);
        } else {
            readDeadline.restartAhead();
        }
    }

    private void requestsAreLate() {
        pipeline.expire(isContentDue());
        owner.step();
    }

    private void readDeadlinePassed() {
        switch (phase.state()) {
            case READING_HEAD -> refusals.refuse(Refusal.HEAD_TIMEOUT);
            case READING_BODY -> refusals.refuse(Refusal.BODY_TIMEOUT);
            case IDLE -> {
                ending.inOrder(ConnectionEnd.IDLE_TIMEOUT);
                socket.close();
            }
            case ANSWERING -> tooMuchAhead();
            case LINGERING -> socket.close();
            case FINISHING, WEBSOCKET, CLOSED ->
                    throw new IllegalStateException("no read deadline in " + phase.state());
        }
    }
}
