package dev.handoff.server;

import dev.handoff.http.ErrorMessage;
import dev.handoff.http.RequestStart;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseFault;
import dev.handoff.http.websocket.Handshake;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection that are not answered, in the order in which they came, and their
 * responses, which leave in the same order. Hands the requests to the handler, takes the responses,
 * gives up requests that are late, and writes. {@link HttpConversation} decides what that means for
 * the connection.
 *
 * <p>Requests run in parallel only while all are safe methods (RFC 9112 section 9.3.2): an unsafe
 * one waits for those before it and holds up those behind it, as does any that {@linkplain
 * Exchange#runAlone runs alone}. Only the last may wait to start, since nothing is read behind it.
 * Nothing starts behind a response in pieces, which may take any time. Belongs to the loop's
 * thread.
 */
final class Pipeline
        implements PendingExchange.Owner, ConnectionStreams.Owner, RequestDeadlines.Owner {
    /** The connection. */
    interface Owner {
        /**
         * Runs an action that gives a response, or a piece of one, or says that none comes. Then
         * looks what has become possible.
         *
         * @param bytes of content that it gives
         */
        void runThenStep(int bytes, Runnable action);

        /** Does at the end of this turn what has become possible. */
        void stepSoon();
    }

    private static final ErrorMessage CLIENT_LIMIT =
            new ErrorMessage(429, "client_limit", "This client has too many requests at once.");

    private final LoopContext context;
    private final EventLoop loop;
    private final StreamSocket socket;
    private final RequestDeadlines deadlines;
    private final DepartureProbe departureProbe;
    private final ResponseWriter writer;
    private final ConnectionStreams streams;
    private final Owner owner;
    private final ArrayDeque<PendingExchange> exchanges = new ArrayDeque<>(4);

    /** The last exchange while it waits to start. */
    private @Nullable PendingExchange parked;

    /** The last exchange while its content comes, or its handler has not taken all of it. */
    private @Nullable PendingExchange arriving;

    /** What the last exchange becomes, if its handler has accepted that. */
    private @Nullable ConnectionWebSocket webSocket;

    /** How many have begun behind which no other may. */
    private int startedAlone;

    private boolean inputEnded;
    private long requestBytes;
    private long responseBytes;

    /** The response to a request that could not be read. It leaves after all others. */
    private @Nullable Response refusal;

    private boolean refusalHasContent;

    /** Whether the connection is closed, and takes no more responses. */
    private boolean over;

    /**
     * @param whenLate runs when a handler is late; calls {@link #expire}
     */
    Pipeline(LoopContext context, StreamSocket socket, Owner owner, Runnable whenLate) {
        this.context = context;
        this.loop = context.loop();
        this.socket = socket;
        this.owner = owner;
        this.departureProbe = new DepartureProbe(loop, socket);
        this.writer = new ResponseWriter(context, socket);
        this.streams = new ConnectionStreams(context, socket, writer, this);
        this.deadlines = new RequestDeadlines(loop, exchanges, streams, this, whenLate);
    }

    @Override
    public ConnectionStreams streams() {
        return streams;
    }

    @Override
    public void runThenStep(int bytes, Runnable action) {
        owner.runThenStep(bytes, action);
    }

    @Override
    public void deadlineMoved() {
        owner.stepSoon();
    }

    @Override
    public boolean isOver() {
        return over;
    }

    @Override
    public boolean isNext(PendingExchange exchange) {
        return exchanges.peek() == exchange;
    }

    @Override
    public void replaceStream(PendingExchange exchange, Response response) {
        exchange.replaceStream(response);
        count(exchange, response);
    }

    @Override
    public void count(PendingExchange exchange, Response response) {
        boolean waits = exchanges.peek() != exchange;
        responseBytes -= exchange.responseBytes();
        // One that is written at once is not looked at.
        exchange.responseBytes(waits ? response.heldBytes() : response.body().sizeBytes());
        boolean isAnswered = exchange.stream() == null && !exchange.isContentElsewhere();
        if (waits && isAnswered && exchange.heldBytes() > 0) {
            requestBytes -= exchange.giveBackAnsweredRequest();
        }
        responseBytes += exchange.responseBytes();
    }

    private void countNoMore(PendingExchange exchange) {
        responseBytes -= exchange.responseBytes();
        exchange.responseBytes(0);
    }

    boolean isEmpty() {
        return exchanges.isEmpty();
    }

    /** Whether one request waits for its response, and no other. */
    boolean isAlone() {
        return exchanges.size() == 1;
    }

    /** Whether one more request may be taken. */
    boolean hasRoom() {
        PendingExchange last = exchanges.peekLast();
        return parked == null
                && exchanges.size() < context.limits().pipelinedRequests()
                && (last == null || !last.isHandshake());
    }

    /** How long ago the last of them came that is not answered; 0 if all are. */
    long nanosSinceLast() {
        PendingExchange last = exchanges.peekLast();
        return last == null ? 0 : loop.nanoTime() - last.arrivedNanos();
    }

    /** The memory of requests that are not answered, or whose response must wait. */
    long requestBytes() {
        // While the content of the last request arrives, the parser counts its memory.
        int arrived = arriving == null || arriving.contentArrives() ? 0 : arriving.arrivedBytes();
        return requestBytes + arrived + (parked == null ? 0 : parked.unstoredBytes());
    }

    /**
     * The memory of output that the client has not taken, and of responses that wait for others.
     */
    long heldBytes() {
        long unopenedBytes = webSocket == null ? 0 : webSocket.waitingBytes();
        return waitingBytes() + unopenedBytes + socket.heldBytes();
    }

    /** The part of that which waits for other responses. */
    long waitingBytes() {
        return responseBytes + streams.waitingBytes();
    }

    /** Whether no response waits for others: all that is held, the socket has not taken. */
    boolean areAllWritten() {
        return waitingBytes() == 0;
    }

    /** For how long nothing of the held output has left. */
    long stuckNanos() {
        PendingExchange first = exchanges.peek();
        boolean waitsForHandler = first != null && first.response() == null;
        return waitsForHandler && socket.pendingBytes() == 0
                ? loop.nanoTime() - first.arrivedNanos()
                : socket.stalledNanos();
    }

    /** From now on the request is owed a response; {@link #startNext} when its turn has come. */
    void owe(PendingExchange exchange) {
        if (parked != null) {
            throw new IllegalStateException("a request was read behind one that has to wait");
        }
        exchanges.add(exchange);
        parked = exchange;
        requestBytes += exchange.heldBytes();
        if (exchange.contentArrives()) {
            arriving = exchange;
        }
        context.listener().onRequest(exchange);
    }

    /**
     * Gives the request whose turn it is, if any, to the server's handler: a {@code Router} where
     * there are routes.
     */
    void startNext() {
        PendingExchange exchange = parked;
        if (exchange == null || !mayStart(exchange)) {
            return;
        }
        parked = null;
        started(exchange);
        startedAlone += exchange.runsAlone() ? 1 : 0;
    }

    private void started(PendingExchange exchange) {
        ClientLimit limit = context.clientLimit();
        if (limit != null && !exchange.enter(limit)) {
            context.listener().onClientLimit(exchange.client());
            respond(exchange, CLIENT_LIMIT.response(exchange.errorForm()));
            return;
        }
        try {
            context.handler().handle(exchange);
        } catch (Throwable failure) {
            handlerFailed(exchange, failure);
        }
    }

    /** All content has come of the request that was handed over before. */
    void contentEnded() {
        PendingExchange exchange = arriving;
        if (exchange != null) {
            exchange.contentEnded();
            exchange.restartDeadline();
            context.listener().onContentArrived(exchange);
        }
    }

    /** Whether the last request has been handed over, and the rest of its content is to come. */
    boolean contentArrives() {
        return arriving != null && arriving.contentArrives();
    }

    /** Whether the handler of that request has begun to read. */
    boolean isContentWanted() {
        return arriving != null && arriving.isContentWanted();
    }

    /** The handler has made room for more content, so its time begins anew. */
    void contentTaken() {
        if (contentArrives()) {
            Objects.requireNonNull(arriving).restartDeadline();
        }
    }

    /**
     * The rest of the content does not come. The handler hears of it, and the client gets {@code
     * instead} if it has got nothing yet.
     *
     * @param instead the refusal, which the listener knows of; null if the client has left
     * @return whether content was to come
     */
    boolean contentCut(@Nullable Response instead) {
        PendingExchange exchange = arriving;
        if (exchange == null || !exchange.contentArrives()) {
            return false;
        }
        exchange.contentEnded();
        StreamedResponse stream = exchange.stream();
        if (exchange.response() == null && instead == null) {
            abandon(exchange, Abandonment.CLIENT_GONE);
            remove(exchange);
        } else if (exchange.response() == null) {
            abandon(exchange, Abandonment.CONTENT_CUT);
            exchange.contentRefused();
            give(exchange, Objects.requireNonNull(instead));
        } else if (stream != null && stream.awaitsPieces()) {
            stream.breakOff(StreamEnd.CLIENT_GONE);
            tellHandler(exchange, Abandonment.CLIENT_GONE);
        }
        return true;
    }

    /** The content of the request that waits to start cannot be kept. */
    void contentFailed() {
        PendingExchange exchange = parked;
        if (exchange != null && !exchange.isDone() && !exchange.isWhole()) {
            refuseForWantOfSpace(exchange);
        }
    }

    /**
     * The file of the request that waits for the responses to those before it; null if it has none.
     */
    @Nullable SpooledContent fileOfWaiting() {
        PendingExchange exchange = parked;
        if (exchange == null || isNext(exchange) || !exchange.isWhole() || exchange.isDone()) {
            return null;
        }
        return exchange.file();
    }

    /** Others need that file. */
    void refuseWaiting() {
        PendingExchange exchange = Objects.requireNonNull(parked);
        refuseForWantOfSpace(exchange);
        exchange.dropContent();
    }

    private void refuseForWantOfSpace(PendingExchange exchange) {
        RequestStart start =
                new RequestStart(exchange.request().method(), exchange.request().target());
        Response response = Failure.SPOOL_FULL.response(exchange.errorForm());
        int bytes = exchange.isHead() ? 0 : response.body().sizeBytes();
        context.listener().onSpoolFull(exchange.client(), start, true, bytes);
        respond(exchange, response);
    }

    /** The first response counts, if it comes in time. Nothing is written yet. */
    @Override
    public void respond(PendingExchange exchange, Response response) {
        if (over || exchange.isDone()) {
            context.listener().onDroppedResponse(exchange);
            return;
        }
        ResponseFault fault = ResponseFault.of(response);
        if (fault == null) {
            give(exchange, response);
        } else {
            context.listener().onBadResponse(exchange, fault);
            give(exchange, Failure.BAD_RESPONSE.response(exchange.errorForm()));
        }
    }

    @Override
    public void handlerFailed(PendingExchange exchange, Throwable failure) {
        if (!exchange.isAbandoned()) {
            context.listener().onHandlerFailed(exchange, failure);
        }
        respond(exchange, Failure.HANDLER_FAILED.response(exchange.errorForm()));
    }

    @Override
    public void accept(PendingExchange exchange, Response head, ConnectionWebSocket accepted) {
        if (over || exchange.isDone()) {
            context.listener().onDroppedResponse(exchange);
            accepted.connectionClosed();
            return;
        }
        ResponseFault fault = ResponseFault.ofText(head);
        if (fault == null && !isChoiceOffered(exchange, head)) {
            fault = ResponseFault.BAD_SUBPROTOCOL;
        }
        if (fault == null) {
            exchange.accepted(head);
            webSocket = accepted;
        } else {
            context.listener().onBadResponse(exchange, fault);
            give(exchange, Failure.BAD_RESPONSE.response(exchange.errorForm()));
            accepted.connectionClosed();
        }
    }

    private static boolean isChoiceOffered(PendingExchange exchange, Response head) {
        return exchange.handshake() instanceof Handshake.Offer offer
                && WebSocketResponse.isChoiceOffered(offer, head);
    }

    /**
     * The exchange whose response may be written now, or more of it; null if there is nothing to
     * write.
     */
    @Nullable PendingExchange ready() {
        PendingExchange first = exchanges.peek();
        if (first == null || first.response() == null) {
            return null;
        }
        StreamedResponse stream = first.stream();
        boolean waits =
                (stream != null && !stream.hasOutput())
                        || (webSocket != null && webSocket.hasBegun());
        return waits ? null : first;
    }

    /** Whether the last request becomes a WebSocket. */
    boolean isAccepted() {
        return webSocket != null;
    }

    /** What becomes of the connection instead of a response; null if that is not its turn. */
    @Nullable ConnectionWebSocket webSocketOf(PendingExchange ready) {
        return ready.isAccepted() ? webSocket : null;
    }

    /** Whether no other request is behind that one. */
    boolean isLast(PendingExchange exchange) {
        return exchanges.peekLast() == exchange;
    }

    /**
     * Writes the response of the exchange that is {@link #ready}, or what has come of it.
     *
     * @param close whether the connection closes behind this response
     */
    void write(PendingExchange exchange, boolean close) {
        StreamedResponse stream = exchange.stream();
        if (stream == null) {
            writeWhole(exchange, close);
        } else {
            writePieces(exchange, stream, close);
        }
    }

    /** Writes the head that makes a WebSocket of the connection. */
    void writeSwitch(PendingExchange exchange) {
        departureProbe.finish();
        writer.writeSwitch(
                context.withId(exchange.requestId(), Objects.requireNonNull(exchange.response())));
        releaseRequest(exchange);
    }

    private void writeWhole(PendingExchange exchange, boolean close) {
        Response given = Objects.requireNonNull(exchange.response());
        countNoMore(exchange);
        remove(exchange);
        departureProbe.finish();
        Response response = context.withId(exchange.requestId(), given);
        int bodyBytes =
                writer.writeWhole(
                        response, exchange.isHead(), close, exchange.isHttp10() && !close);
        exchange.dropContent();
        if (!exchange.isRefused()) {
            context.listener().onResponse(exchange, response.status(), bodyBytes);
        }
    }

    private void writePieces(PendingExchange exchange, StreamedResponse stream, boolean close) {
        boolean begins = !stream.hasBegun();
        if (begins) {
            countNoMore(exchange);
            departureProbe.finish();
            if (close) {
                exchange.saidClose();
            }
        }
        streams.write(exchange, stream, close);
        if (stream.isComplete()) {
            endStream(exchange, stream);
        } else if (begins && inputEnded && streams.isWritingChunks()) {
            departureProbe.startBetweenChunks();
        }
    }

    private void endStream(PendingExchange exchange, StreamedResponse stream) {
        departureProbe.cancel();
        remove(exchange);
        exchange.dropContent();
        streams.writingEnded(exchange, stream, StreamEnd.COMPLETE);
        exchange.complete();
        if (exchange.endsWithConnection()) {
            // Nothing can follow, since the client would take it for a part of this response.
            dropAll(Abandonment.CLIENT_GONE);
        }
    }

    /** Why the response that is being written breaks off; null if it does not. */
    @Nullable StreamEnd broken() {
        StreamedResponse writing = streams.writing();
        return writing == null ? null : writing.broken();
    }

    /** Whether a part of a response has been written. */
    boolean isStreaming() {
        return streams.writing() != null;
    }

    /** Some output has left: the handler of a response in pieces may give more. */
    void sent() {
        streams.sent();
    }

    @Override
    public void releaseRequest(PendingExchange exchange) {
        if (exchanges.contains(exchange)) {
            requestBytes -= exchange.giveBackRequest();
        }
    }

    /** The file of the request whose response is being written in pieces; null if it has none. */
    @Nullable SpooledContent fileOfStream() {
        return isStreaming() ? exchanges.element().file() : null;
    }

    /** For how long that response has been written. */
    long streamNanos() {
        StreamedResponse writing = streams.writing();
        return writing == null ? 0 : loop.nanoTime() - writing.begunNanos();
    }

    /**
     * @param exchange the first or the last
     */
    private void remove(PendingExchange exchange) {
        if (exchanges.peek() == exchange) {
            exchanges.removeFirst();
        } else {
            exchanges.removeLast();
        }
        requestBytes -= exchange.heldBytes();
        if (exchange == arriving) {
            arriving = null;
        }
        if (exchange == parked) {
            parked = null;
        } else if (exchange.runsAlone()) {
            startedAlone--;
        }
        leaveLimit(exchange);
    }

    /** The last response, to a request that could not be read. Nothing follows it. */
    void refuse(Response response, boolean withContent) {
        refusal = response;
        refusalHasContent = withContent;
    }

    boolean endsWithRefusal() {
        return refusal != null;
    }

    /** To be called when all others are written. */
    void writeRefusal() {
        if (refusal != null) {
            writer.writeWhole(refusal, !refusalHasContent, true, false);
            refusal = null;
        }
    }

    /** Begins to look whether a client that sends no more still waits for its responses. */
    void inputEnded() {
        inputEnded = true;
        PendingExchange first = exchanges.peek();
        if (isStreaming()) {
            if (streams.isWritingChunks()) {
                departureProbe.startBetweenChunks();
            }
        } else if (first != null && !first.isHttp10()) {
            departureProbe.start();
        }
    }

    /** Call it whenever a request was taken, answered or given another deadline. */
    void updateDeadline() {
        deadlines.update();
    }

    /**
     * Answers 504 to all requests that are late, and breaks off responses of which nothing more
     * comes.
     *
     * @param contentIsDue whether it is the client that keeps the last of them waiting
     */
    void expire(boolean contentIsDue) {
        deadlines.expire(contentIsDue);
    }

    @Override
    public void answerLate(PendingExchange exchange) {
        abandon(exchange, Abandonment.DEADLINE);
        give(exchange, Failure.DEADLINE.response(exchange.errorForm()));
    }

    /** The connection is closed: ends all timers, and tells the handlers that nobody waits. */
    void close(Abandonment reason) {
        deadlines.cancel();
        departureProbe.cancel();
        over = true;
        closeWebSocket();
        StreamedResponse begun = streams.writing();
        if (begun != null) {
            StreamEnd broken = begun.broken();
            PendingExchange exchange = exchanges.element();
            remove(exchange);
            exchange.dropContent();
            streams.writingEnded(exchange, begun, broken == null ? StreamEnd.of(reason) : broken);
            tellHandler(exchange, reason);
        }
        dropAll(reason);
    }

    private void closeWebSocket() {
        ConnectionWebSocket closed = webSocket;
        if (closed != null) {
            webSocket = null;
            if (closed.hasBegun()) {
                PendingExchange exchange = exchanges.element();
                remove(exchange);
                exchange.dropContent();
            }
            closed.connectionClosed();
        }
    }

    private void dropAll(Abandonment reason) {
        exchanges.forEach(this::leaveLimit);
        for (PendingExchange exchange : exchanges) {
            StreamedResponse given = exchange.stream();
            if (given != null) {
                streams.dropped(given, reason);
            }
            // The handler of a refused one knows already that nobody waits.
            if (!exchange.isRefused()) {
                abandon(exchange, reason);
            }
            exchange.dropContent();
        }
        exchanges.clear();
        parked = null;
        arriving = null;
        startedAlone = 0;
        requestBytes = 0;
        responseBytes = 0;
    }

    private boolean mayStart(PendingExchange candidate) {
        if (candidate.isDone() || !candidate.isWhole()) {
            return false;
        }
        return exchanges.peek() == candidate
                || (candidate.request().isSafe() && startedAlone == 0 && streams.isEmpty());
    }

    private void give(PendingExchange exchange, Response response) {
        exchange.response(response);
        count(exchange, response);
    }

    private void leaveLimit(PendingExchange exchange) {
        ClientLimit limit = context.clientLimit();
        if (limit != null) {
            exchange.leave(limit);
        }
    }

    @Override
    public void abandon(PendingExchange exchange, Abandonment reason) {
        context.listener().onAbandoned(exchange, reason);
        tellHandler(exchange, reason);
    }

    private void tellHandler(PendingExchange exchange, Abandonment reason) {
        try {
            exchange.abandon(reason);
        } catch (Throwable failure) {
            context.listener().onHandlerFailed(exchange, failure);
        }
    }
}
