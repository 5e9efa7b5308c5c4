package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.ErrorMessage;
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
 * since nothing is read behind it. Belongs to the loop's thread.
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
        return requestBytes;
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

    void fail(PendingExchange exchange, Throwable failure) {
        if (!exchange.isAbandoned()) {
            context.listener().onHandlerFailed(exchange, failure);
        }
        take(exchange, Failure.HANDLER_FAILED.response(exchange.errorForm()));
    }

    /** Takes out the exchange whose response may be written now; null if none may. */
    @Nullable PendingExchange pollReady() {
        PendingExchange first = exchanges.peek();
        Response response = first == null ? null : first.response();
        if (first == null || response == null) {
            return null;
        }
        exchanges.remove();
        requestBytes -= first.heldBytes();
        responseBytes -= response.body().sizeBytes();
        if (first == parked) {
            parked = null;
        } else if (!first.request().isSafe()) {
            startedUnsafe--;
        }
        return first;
    }

    /**
     * Writes the response of an exchange that was {@link #pollReady taken out}.
     *
     * @param close whether the connection closes behind this response
     */
    void write(PendingExchange exchange, boolean close) {
        departureProbe.finish();
        leaveLimit(exchange);
        Response response =
                context.withId(exchange.requestId(), Objects.requireNonNull(exchange.response()));
        int bodyBytes = encode(response, exchange.isHead(), close, exchange.isHttp10() && !close);
        context.listener().onResponse(exchange, response.status(), bodyBytes);
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
        PendingExchange first = exchanges.peek();
        if (first != null && !first.isHttp10()) {
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

    /** Answers 504 to all requests that are late. */
    void expire() {
        for (PendingExchange exchange : exchanges) {
            if (!exchange.isDone() && exchange.deadlineNanos() - loop.nanoTime() <= 0) {
                abandon(exchange, Abandonment.DEADLINE);
                give(exchange, Failure.DEADLINE.response(exchange.errorForm()));
            }
        }
    }

    /** The connection is closed: nothing is owed any more, and all timers end. */
    void close(Abandonment reason) {
        deadline.cancel();
        departureProbe.cancel();
        over = true;
        exchanges.forEach(this::leaveLimit);
        for (PendingExchange exchange : exchanges) {
            abandon(exchange, reason);
        }
        exchanges.clear();
        parked = null;
        startedUnsafe = 0;
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
        return exchanges.peek() == candidate
                || (candidate.request().isSafe() && startedUnsafe == 0);
    }

    private void give(PendingExchange exchange, Response response) {
        exchange.response(response);
        responseBytes += response.body().sizeBytes();
    }

    /** The unanswered exchange whose deadline comes first; null if all are answered. */
    private @Nullable PendingExchange mostUrgent() {
        PendingExchange mostUrgent = null;
        for (PendingExchange exchange : exchanges) {
            if (!exchange.isDone()
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
        try {
            exchange.abandon(reason);
        } catch (Throwable failure) {
            context.listener().onHandlerFailed(exchange, failure);
        }
    }
}
