package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.ContentFraming;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.RequestStart;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseEncoder;
import dev.handoff.http.ResponseFault;
import dev.handoff.http.ResponseRules;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.MovingDeadline;
import dev.handoff.loop.StreamSocket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection that are not answered, in the order in which they came, and their
 * responses, which leave in the same order. Hands the requests to the handler, takes the responses,
 * gives up requests that are late, and writes. What that means for the connection is {@link
 * Connection}'s.
 *
 * <p>Requests run in parallel only while all are safe methods (RFC 9112 section 9.3.2): an unsafe
 * one waits for those before it and holds up those behind it. Only the last may wait to start,
 * since nothing is read behind it. Nothing starts behind a response in pieces, which may take any
 * time. Belongs to the loop's thread.
 */
final class ResponsePipeline {
    private static final ErrorMessage CLIENT_LIMIT =
            new ErrorMessage(429, "client_limit", "This client has too many requests at once.");

    /** Up to here the body goes into the buffer of the head, to leave in the same write. */
    private static final int COPY_BODY_BYTES = 16 * 1024;

    private final LoopContext context;
    private final EventLoop loop;
    private final StreamSocket socket;
    private final MovingDeadline deadline;
    private final DepartureProbe departureProbe;
    private final ArrayDeque<PendingExchange> exchanges = new ArrayDeque<>(4);

    /** The last exchange while it waits to start. */
    private @Nullable PendingExchange parked;

    private int startedUnsafe;

    /** How many of them have begun a response in pieces. */
    private int streams;

    /** The response in pieces that is being written, if any. */
    private @Nullable StreamedResponse streaming;

    private boolean inputEnded;
    private long requestBytes;
    private long responseBytes;

    /** The response to the request that could not be read; leaves after all others. */
    private @Nullable Response refusal;

    private boolean refusalHasContent;

    /** The connection is closed: it takes no response any more. */
    private boolean over;

    /**
     * @param whenLate runs when a request is late; it calls {@link #expire}
     */
    ResponsePipeline(LoopContext context, StreamSocket socket, Runnable whenLate) {
        this.context = context;
        this.loop = context.loop();
        this.socket = socket;
        this.deadline = new MovingDeadline(loop, whenLate);
        this.departureProbe = new DepartureProbe(loop, socket);
    }

    boolean isEmpty() {
        return exchanges.isEmpty();
    }

    /** Whether one more request may be taken. */
    boolean hasRoom() {
        return parked == null && exchanges.size() < context.limits().pipelinedRequests();
    }

    /** The memory of the requests that are not answered, or whose response has to wait. */
    long requestBytes() {
        return requestBytes + (parked == null ? 0 : parked.unstoredBytes());
    }

    /** The memory of what the client has not taken, written or waiting for other responses. */
    long heldBytes() {
        return responseBytes + socket.heldBytes();
    }

    /** Whether no response waits for others: what is held is what the socket has not taken. */
    boolean areAllWritten() {
        return responseBytes == 0;
    }

    /** For how long what is held has made no headway. */
    long stuckNanos() {
        PendingExchange first = exchanges.peek();
        return first != null && socket.pendingBytes() == 0
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
        context.listener().onRequest(exchange);
    }

    /** Gives the request whose turn it is, if any, to the handler. */
    void startNext() {
        PendingExchange exchange = parked;
        if (exchange == null || !mayStart(exchange)) {
            return;
        }
        parked = null;
        if (!exchange.request().isSafe()) {
            startedUnsafe++;
        }
        ClientLimit limit = context.clientLimit();
        if (limit != null && !exchange.enter(limit)) {
            context.listener().onClientLimit(exchange.client());
            take(exchange, CLIENT_LIMIT.response(exchange.errorForm()));
            return;
        }
        try {
            context.handler().handle(exchange);
        } catch (Throwable failure) {
            fail(exchange, failure);
        }
    }

    /** The content of the request that waits to start cannot be kept. */
    void contentFailed() {
        PendingExchange exchange = parked;
        if (exchange != null && !exchange.isDone() && !exchange.isWhole()) {
            RequestStart start =
                    new RequestStart(exchange.request().method(), exchange.request().target());
            context.listener().onSpoolFull(exchange.client(), start, true);
            take(exchange, Failure.SPOOL_FULL.response(exchange.errorForm()));
        }
    }

    /** The first response counts, if it comes in time. Nothing is written yet. */
    void take(PendingExchange exchange, Response response) {
        if (over || exchange.isDone()) {
            context.listener().onDroppedResponse(exchange);
            return;
        }
        ResponseFault fault = ResponseRules.check(response);
        if (fault == null) {
            give(exchange, response);
        } else {
            context.listener().onBadResponse(exchange, fault);
            give(exchange, Failure.BAD_RESPONSE.response(exchange.errorForm()));
        }
    }

    /** Takes the head of a response in pieces, as {@link #take} does a whole one. */
    void begin(PendingExchange exchange, Response head, StreamedResponse stream) {
        if (over || exchange.isDone()) {
            stream.end(StreamEnd.CLIENT_GONE);
            context.listener().onDroppedResponse(exchange);
            return;
        }
        ResponseFault fault = ResponseRules.check(head);
        if (fault != null) {
            context.listener().onBadResponse(exchange, fault);
            replace(exchange, stream, Failure.BAD_RESPONSE.response(exchange.errorForm()));
            abandon(exchange, Abandonment.BAD_RESPONSE);
        } else if (!ResponseEncoder.hasContent(exchange.isHead(), head.status())) {
            replace(exchange, stream, withoutContent(head));
            abandon(exchange, Abandonment.NO_CONTENT);
        } else {
            exchange.stream(withoutContent(head), stream);
            streams++;
            exchange.moveDeadline(nextPieceDueNanos());
            add(exchange, stream, head.body());
        }
    }

    private static Response withoutContent(Response head) {
        return new Response(head.status(), head.reason(), head.headers(), Body.EMPTY);
    }

    /** Takes a piece, which is dropped if nobody wants it any more. */
    void add(PendingExchange exchange, StreamedResponse stream, Body piece) {
        if (!stream.awaitsPieces() || piece.isEmpty()) {
            return;
        }
        if (stream.take(piece)) {
            responseBytes += piece.sizeBytes();
            exchange.moveDeadline(nextPieceDueNanos());
        } else {
            breakRule(exchange, stream, ResponseFault.CONTENT_TOO_LONG);
        }
    }

    /** All of it has come. */
    void complete(PendingExchange exchange, StreamedResponse stream) {
        if (stream.awaitsPieces() && !stream.takeEnd()) {
            breakRule(exchange, stream, ResponseFault.CONTENT_TOO_SHORT);
        }
    }

    /** The rest of it will not come. */
    void breakOff(
            PendingExchange exchange, StreamedResponse stream, Failure failure, StreamEnd why) {
        if (stream.awaitsPieces()) {
            breakOffNow(exchange, stream, failure, why);
        }
    }

    private void breakRule(PendingExchange exchange, StreamedResponse stream, ResponseFault fault) {
        context.listener().onBadResponse(exchange, fault);
        breakOffNow(exchange, stream, Failure.BAD_RESPONSE, StreamEnd.BAD_LENGTH);
        abandon(exchange, Abandonment.BAD_RESPONSE);
    }

    private void breakOffNow(
            PendingExchange exchange, StreamedResponse stream, Failure failure, StreamEnd how) {
        if (stream.hasBegun()) {
            stream.breakOff(how);
        } else {
            streams--;
            responseBytes -= stream.waitingBytes();
            replace(exchange, stream, failure.response(exchange.errorForm()));
        }
    }

    /** A whole response takes the place of one in pieces, of which nothing has left. */
    private void replace(PendingExchange exchange, StreamedResponse stream, Response response) {
        stream.end(StreamEnd.FAILED);
        exchange.replaceStream(response);
        responseBytes += response.body().sizeBytes();
    }

    private long nextPieceDueNanos() {
        return loop.nanoTime() + context.limits().streamIdleTimeout().toNanos();
    }

    void fail(PendingExchange exchange, Throwable failure) {
        if (!exchange.isAbandoned()) {
            context.listener().onHandlerFailed(exchange, failure);
        }
        take(exchange, Failure.HANDLER_FAILED.response(exchange.errorForm()));
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
        return stream == null || stream.hasOutput() ? first : null;
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

    private void writeWhole(PendingExchange exchange, boolean close) {
        Response given = Objects.requireNonNull(exchange.response());
        responseBytes -= given.body().sizeBytes();
        remove(exchange);
        departureProbe.finish();
        Response response = context.withId(exchange.requestId(), given);
        int bodyBytes = encode(response, exchange.isHead(), close, exchange.isHttp10() && !close);
        exchange.releaseContent();
        context.listener().onResponse(exchange, response.status(), bodyBytes);
    }

    private void writePieces(PendingExchange exchange, StreamedResponse stream, boolean close) {
        if (!stream.hasBegun()) {
            writeHead(exchange, stream, close);
        }
        for (Body piece = stream.poll(); piece != null; piece = stream.poll()) {
            responseBytes -= piece.sizeBytes();
            writePiece(piece, stream.framing());
        }
        if (stream.isComplete()) {
            if (stream.framing() == ContentFraming.CHUNKED) {
                socket.write(ResponseEncoder.lastChunk());
            }
            endStream(exchange, stream);
        }
    }

    private void writeHead(PendingExchange exchange, StreamedResponse stream, boolean close) {
        departureProbe.finish();
        Response head =
                context.withId(exchange.requestId(), Objects.requireNonNull(exchange.response()));
        ByteBuffer out = socket.reserve(ResponseEncoder.headBoundBytes(head));
        int start = out.position();
        ResponseEncoder.encodeHead(
                head, stream.framing(), close, exchange.isHttp10() && !close, context.date(), out);
        socket.written(out.position() - start);
        if (stream.framing() == ContentFraming.CLOSE) {
            // A part of it would look whole.
            socket.resetUnlessEnded();
        }
        stream.begin(loop.nanoTime());
        streaming = stream;
        context.listener().onStreamBegun(exchange, head.status());
        if (inputEnded && stream.framing() == ContentFraming.CHUNKED) {
            departureProbe.startBetweenChunks();
        }
    }

    private void writePiece(Body piece, ContentFraming framing) {
        if (framing == ContentFraming.CHUNKED) {
            ByteBuffer out = socket.reserve(ResponseEncoder.CHUNK_HEAD_BYTES);
            int start = out.position();
            ResponseEncoder.beginChunk(piece.sizeBytes(), out);
            socket.written(out.position() - start);
            piece.forEachPiece(socket::write);
            socket.write(ResponseEncoder.endOfChunk());
        } else {
            piece.forEachPiece(socket::write);
        }
    }

    private void endStream(PendingExchange exchange, StreamedResponse stream) {
        departureProbe.cancel();
        remove(exchange);
        exchange.releaseContent();
        forget(exchange, stream, StreamEnd.COMPLETE);
        exchange.complete();
        if (stream.framing() == ContentFraming.CLOSE) {
            // Nothing can follow: the client would take it for a part of this response.
            dropAll(Abandonment.CLIENT_GONE);
        }
    }

    private void forget(PendingExchange exchange, StreamedResponse stream, StreamEnd how) {
        streaming = null;
        stream.end(how);
        context.listener()
                .onStreamEnded(
                        exchange,
                        stream.status(),
                        stream.writtenBytes(),
                        loop.nanoTime() - stream.begunNanos(),
                        how);
    }

    /** Why the response that is being written breaks off; null if it does not. */
    @Nullable StreamEnd broken() {
        return streaming == null ? null : streaming.broken();
    }

    /** Whether a part of a response has been written. */
    boolean isStreaming() {
        return streaming != null;
    }

    /** Some output has left: the handler of a response in pieces may give more. */
    void sent() {
        if (streaming != null) {
            streaming.sent(
                    socket.pendingBytes(),
                    context.budget().hasMuchRoomForResponses(),
                    loop.nanoTime());
        }
    }

    private void remove(PendingExchange first) {
        exchanges.remove();
        requestBytes -= first.heldBytes();
        if (first == parked) {
            parked = null;
        } else if (!first.request().isSafe()) {
            startedUnsafe--;
        }
        if (first.stream() != null) {
            streams--;
        }
        leaveLimit(first);
    }

    /** The last response: to a request that could not be read, behind which nothing is. */
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
            encode(refusal, !refusalHasContent, true, false);
            refusal = null;
        }
    }

    /** The client sends no more: begins to look whether it still waits for its responses. */
    void inputEnded() {
        inputEnded = true;
        PendingExchange first = exchanges.peek();
        if (streaming != null) {
            if (streaming.framing() == ContentFraming.CHUNKED) {
                departureProbe.startBetweenChunks();
            }
        } else if (first != null && !first.isHttp10()) {
            departureProbe.start();
        }
    }

    /** To be called whenever a request was taken, answered or given another deadline. */
    void updateDeadline() {
        PendingExchange mostUrgent = mostUrgent();
        if (mostUrgent == null) {
            deadline.clear();
        } else {
            deadline.set(mostUrgent.deadlineNanos());
        }
    }

    /** Answers 504 to all requests that are late, and breaks off responses that have ceased. */
    void expire() {
        for (PendingExchange exchange : exchanges) {
            if (exchange.awaitsHandler() && exchange.deadlineNanos() - loop.nanoTime() <= 0) {
                StreamedResponse stream = exchange.stream();
                if (stream == null) {
                    abandon(exchange, Abandonment.DEADLINE);
                    give(exchange, Failure.DEADLINE.response(exchange.errorForm()));
                } else if (stream.isWaiting() || socket.pendingBytes() > 0) {
                    exchange.moveDeadline(nextPieceDueNanos());
                } else {
                    stream.breakOff(StreamEnd.IDLE);
                    abandon(exchange, Abandonment.STREAM_IDLE);
                }
            }
        }
    }

    /** The connection is closed: nothing is owed any more, and all timers end. */
    void close(Abandonment reason) {
        deadline.cancel();
        departureProbe.cancel();
        over = true;
        StreamedResponse begun = streaming;
        if (begun != null) {
            StreamEnd broken = begun.broken();
            PendingExchange exchange = exchanges.element();
            remove(exchange);
            exchange.releaseContent();
            forget(exchange, begun, broken == null ? StreamEnd.of(reason) : broken);
            tellHandler(exchange, reason);
        }
        dropAll(reason);
    }

    private void dropAll(Abandonment reason) {
        exchanges.forEach(this::leaveLimit);
        for (PendingExchange exchange : exchanges) {
            StreamedResponse given = exchange.stream();
            if (given != null) {
                given.end(StreamEnd.of(reason));
            }
            abandon(exchange, reason);
            exchange.releaseContent();
        }
        exchanges.clear();
        parked = null;
        startedUnsafe = 0;
        streams = 0;
        requestBytes = 0;
        responseBytes = 0;
    }

    /**
     * The one place where responses become bytes of the socket.
     *
     * @param head whether it is the response to a HEAD request
     * @param close whether the server closes the connection afterwards
     * @param echoKeepAlive whether an HTTP/1.0 client has to be told that it stays open
     * @return the number of bytes of content
     */
    private int encode(Response response, boolean head, boolean close, boolean echoKeepAlive) {
        Body body =
                ResponseEncoder.hasContent(head, response.status()) ? response.body() : Body.EMPTY;
        boolean together = body.sizeBytes() <= COPY_BODY_BYTES;
        int room = ResponseEncoder.headBoundBytes(response) + (together ? body.sizeBytes() : 0);
        ByteBuffer out = socket.reserve(room);
        int start = out.position();
        ResponseEncoder.encodeHead(response, head, close, echoKeepAlive, context.date(), out);
        if (together) {
            body.copyTo(out);
        }
        socket.written(out.position() - start);
        if (!together) {
            body.forEachPiece(socket::write);
        }
        return body.sizeBytes();
    }

    private boolean mayStart(PendingExchange candidate) {
        if (candidate.isDone() || !candidate.isWhole()) {
            return false;
        }
        return exchanges.peek() == candidate
                || (candidate.request().isSafe() && startedUnsafe == 0 && streams == 0);
    }

    private void give(PendingExchange exchange, Response response) {
        exchange.response(response);
        responseBytes += response.body().sizeBytes();
    }

    /** The exchange whose handler is due first; null if nothing more has to come of any. */
    private @Nullable PendingExchange mostUrgent() {
        PendingExchange mostUrgent = null;
        for (PendingExchange exchange : exchanges) {
            if (exchange.awaitsHandler()
                    && (mostUrgent == null
                            || exchange.deadlineNanos() - mostUrgent.deadlineNanos() < 0)) {
                mostUrgent = exchange;
            }
        }
        return mostUrgent;
    }

    private void leaveLimit(PendingExchange exchange) {
        ClientLimit limit = context.clientLimit();
        if (limit != null) {
            exchange.leave(limit);
        }
    }

    private void abandon(PendingExchange exchange, Abandonment reason) {
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
