package dev.handoff.server;

import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseFault;
import dev.handoff.http.ResponseRules;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answers that one connection owes: hands its requests to the handler, takes what is answered,
 * gives up what comes too late, and writes answers in the order of their requests. What that means
 * for the connection is {@link Connection}'s. Belongs to the loop's thread.
 */
final class Answers {
    private static final ErrorMessage CLIENT_LIMIT =
            new ErrorMessage(
                    429, "client_limit", "This client has as many requests in hand as it may.");

    private final ServerLoop server;
    private final EventLoop loop;
    private final StreamSocket socket;
    private final Pipeline pipeline = new Pipeline();
    private final AnswerDeadline deadline;
    private final DepartureProbe departureProbe;

    /** The answer to the request that could not be read; leaves after all others. */
    private @Nullable Response refusal;

    private boolean refusalHasContent;

    /** The connection is closed: no answer counts any more. */
    private boolean over;

    /**
     * @param whenLate runs when a deadline has passed; it calls {@link #expire}
     */
    Answers(ServerLoop server, EventLoop loop, StreamSocket socket, Runnable whenLate) {
        this.server = server;
        this.loop = loop;
        this.socket = socket;
        this.deadline = new AnswerDeadline(loop, pipeline, whenLate);
        this.departureProbe = new DepartureProbe(loop, socket);
    }

    boolean isEmpty() {
        return pipeline.isEmpty();
    }

    /** Whether one more request may be taken. */
    boolean hasRoom() {
        return !pipeline.hasParked() && pipeline.size() < server.limits().pipelinedRequests();
    }

    /** The memory of the requests that are not answered, or whose answer has to wait. */
    long requestBytes() {
        return pipeline.requestBytes();
    }

    /** The memory of what the client has not taken, be it written or wait for other answers. */
    long heldBytes() {
        return pipeline.answerBytes() + socket.heldBytes();
    }

    /** Whether no answer waits for others: what is held is what the socket has not taken. */
    boolean areAllWritten() {
        return pipeline.answerBytes() == 0;
    }

    /** For how long what is held has made no headway. */
    long stuckNanos() {
        PendingExchange first = pipeline.first();
        return first != null && socket.pendingBytes() == 0
                ? loop.nanoTime() - first.arrivedNanos()
                : socket.stalledNanos();
    }

    /** From now on the request is owed an answer; {@link #startNext} when its turn has come. */
    void owe(PendingExchange exchange) {
        pipeline.add(exchange);
        server.listener().onRequest(exchange);
    }

    /** Gives the request whose turn it is, if any, to the handler. */
    void startNext() {
        PendingExchange exchange = pipeline.startNext();
        if (exchange == null) {
            return;
        }
        ClientLimit limit = server.clientLimit();
        if (limit != null && !exchange.enter(limit)) {
            server.listener().onClientLimit(exchange.client());
            take(exchange, CLIENT_LIMIT.response(exchange.errorForm()));
            return;
        }
        try {
            server.handler().handle(exchange);
        } catch (Throwable failure) {
            fail(exchange, failure);
        }
    }

    /** The first answer counts, if it comes in time. */
    void take(PendingExchange exchange, Response response) {
        if (over || exchange.isDone()) {
            server.listener().onDroppedResponse(exchange);
            return;
        }
        ResponseFault fault = ResponseRules.check(response);
        if (fault == null) {
            pipeline.answer(exchange, response);
        } else {
            server.listener().onBadResponse(exchange, fault);
            pipeline.answer(exchange, Failure.BAD_RESPONSE.response(exchange.errorForm()));
        }
    }

    void fail(PendingExchange exchange, Throwable failure) {
        if (!exchange.isAbandoned()) {
            server.listener().onHandlerFailed(exchange, failure);
        }
        take(exchange, Failure.HANDLER_FAILED.response(exchange.errorForm()));
    }

    /** Takes out the exchange whose answer may be written now, or returns null. */
    @Nullable PendingExchange pollAnswered() {
        return pipeline.pollAnswered();
    }

    /**
     * @param close whether the connection closes behind this answer
     */
    void write(PendingExchange exchange, boolean close) {
        departureProbe.finish();
        leave(exchange);
        Response response =
                server.answering(exchange.requestId(), Objects.requireNonNull(exchange.answer()));
        int bodyBytes =
                ResponseWriter.write(
                        response,
                        exchange.isHead(),
                        close,
                        exchange.isHttp10() && !close,
                        server.date(),
                        socket);
        server.listener().onResponse(exchange, response.status(), bodyBytes);
    }

    /** What came could not be read, and nothing behind it is: this is the last answer. */
    void refuse(Response answer, boolean withContent) {
        refusal = answer;
        refusalHasContent = withContent;
    }

    boolean endWithRefusal() {
        return refusal != null;
    }

    /** To be called when all others are written. */
    void writeRefusal() {
        if (refusal != null) {
            ResponseWriter.write(refusal, !refusalHasContent, true, false, server.date(), socket);
            refusal = null;
        }
    }

    /** The client sends no more: begins to look whether it still waits for what it is owed. */
    void inputEnded() {
        PendingExchange first = pipeline.first();
        if (first != null && !first.isHttp10()) {
            departureProbe.start();
        }
    }

    /** To be called whenever answers are owed, given or put off. */
    void settleDeadline() {
        deadline.settle();
    }

    /** Answers 504 to all that are late. */
    void expire() {
        deadline.forEachLate(exchange -> {
            abandon(exchange, Abandonment.DEADLINE);
            pipeline.answer(exchange, Failure.DEADLINE.response(exchange.errorForm()));
        });
    }

    void cancelTimers() {
        deadline.cancel();
        departureProbe.cancel();
    }

    /** Nothing is owed any more. */
    void abandonAll(Abandonment reason) {
        over = true;
        pipeline.forEach(this::leave);
        for (PendingExchange exchange : pipeline) {
            abandon(exchange, reason);
        }
        pipeline.clear();
    }

    private void leave(PendingExchange exchange) {
        ClientLimit limit = server.clientLimit();
        if (limit != null) {
            exchange.leave(limit);
        }
    }

    private void abandon(PendingExchange exchange, Abandonment reason) {
        server.listener().onAbandoned(exchange, reason);
        try {
            exchange.abandon(reason);
        } catch (Throwable failure) {
            server.listener().onHandlerFailed(exchange, failure);
        }
    }
}
