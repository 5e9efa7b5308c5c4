package dev.handoff.server;

import dev.handoff.http.Parsed;
import dev.handoff.http.Refusal;
import dev.handoff.http.Request;
import dev.handoff.http.RequestParser;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseEncoder;
import dev.handoff.http.ResponseFault;
import dev.handoff.http.ResponseRules;
import dev.handoff.loop.CloseCause;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.MovingDeadline;
import dev.handoff.loop.StreamSocket;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection.
 *
 * <pre>
 *            first byte            head complete
 *     IDLE ------------> READING_HEAD --------> READING_BODY
 *      ^ \                    |                      |
 *      |  \                   |   whole request      |
 *      |   \                  v                      v
 *      |    '------------> ANSWERING  <--------------'     from any of these four:
 *      |                      |                            last request, refusal, end of
 *      '----------------------'                            input, drain --> FINISHING
 *             all answered
 *
 *     FINISHING --all answered and written--> LINGERING --client closes, or time--> CLOSED
 *
 *     any --reset, stall, stop--> CLOSED
 * </pre>
 *
 * <p>Reading goes on while requests are being answered, so that a client that leaves is noticed. An
 * open connection is in READING_HEAD or READING_BODY whenever part of a request has come, also
 * while others are being answered. Belongs to the loop's thread.
 */
final class Connection implements StreamSocket.Owner {
    enum State {
        IDLE,
        READING_HEAD,
        READING_BODY,
        ANSWERING,
        /** No further request is taken; answers are owed or on their way. */
        FINISHING,
        /** All is sent; what still comes is dropped, so that no reset overtakes the last answer. */
        LINGERING,
        CLOSED
    }

    /** A body's deadline moves on each time this much of it has come. */
    private static final int BODY_PROGRESS_BYTES = 64 * 1024;

    /** What is read beyond a request that has to wait; further bytes stay in the kernel. */
    private static final int BACKLOG_BYTES = 64 * 1024;

    /** A client that leaves so much unread gets no further request handled. */
    private static final int UNSENT_BYTES = 256 * 1024;

    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How long a draining server waits for a last request on an idle connection. */
    private static final long DRAIN_IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ServerLoop server;
    private final EventLoop loop;
    private final String client;
    private final StreamSocket socket;
    private final RequestParser parser;
    private final Pipeline pipeline = new Pipeline();
    private final Backlog backlog = new Backlog();
    private final MovingDeadline readDeadline;
    private final MovingDeadline answerDeadline;
    private final DepartureProbe departureProbe;

    private State state = State.IDLE;
    private ConnectionEnd end = ConnectionEnd.CLIENT_CLOSED;

    /** The answer to the request that could not be read; leaves after all others. */
    private @Nullable Response refusal;

    /** True inside the loops that take requests, so that an answer given there does not recurse. */
    private boolean advancing;

    /** Whether bytes came behind the request that was read last. */
    private boolean moreCame;

    private boolean continueSent;
    private boolean draining;
    private boolean inputEnded;
    private int bodyProgressBytes;

    Connection(ServerLoop server, SocketChannel channel) throws IOException {
        this.server = server;
        this.loop = server.loop();
        this.client = ClientAddress.format(channel.getRemoteAddress());
        this.parser = new RequestParser(server.limits().request());
        this.readDeadline = new MovingDeadline(loop, () -> guarded(this::readDeadlinePassed));
        this.answerDeadline = new MovingDeadline(loop, () -> guarded(this::answerDeadlinePassed));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.socket = new StreamSocket(loop, channel, server.limits().writeStall(), this);
        this.departureProbe = new DepartureProbe(loop, socket);
        enter(State.IDLE);
    }

    EventLoop loop() {
        return loop;
    }

    String client() {
        return client;
    }

    /** Lets the requests in hand finish, and at most one that is on its way. */
    void drain() {
        draining = true;
        if (state == State.IDLE) {
            readDeadline.set(loop.nanoTime() + DRAIN_IDLE_NANOS);
        }
    }

    void stop() {
        end = ConnectionEnd.STOPPED;
        socket.close();
    }

    @Override
    public void onBytes(byte[] bytes, int from, int to) {
        if (!isOpen()) {
            return;
        }
        noteBodyProgress(to - from);
        int next = from;
        if (backlog.isEmpty()) {
            advancing = true;
            while (next < to && mayRead()) {
                next = readRequest(bytes, next, to);
            }
            advancing = false;
        }
        if (next < to && isOpen()) {
            backlog.add(bytes, next, to);
            if (backlog.sizeBytes() >= BACKLOG_BYTES) {
                socket.pauseReading();
            }
        }
        settle();
    }

    @Override
    public void onEnd() {
        inputEnded = true;
        settle();
        PendingExchange first = pipeline.first();
        if (first != null && !first.isHttp10()) {
            departureProbe.start();
        }
    }

    @Override
    public void onFlushed() {
        if (!backlog.isEmpty()) {
            advance();
        }
    }

    @Override
    public void onClosed(CloseCause cause) {
        State last = state;
        enter(State.CLOSED);
        end =
                switch (cause) {
                    case LOCAL -> end;
                    case RESET -> last == State.LINGERING ? end : ConnectionEnd.RESET;
                    case WRITE_STALLED -> ConnectionEnd.WRITE_STALLED;
                    case FAILED -> ConnectionEnd.FAILED;
                    case LOOP_STOPPED -> ConnectionEnd.STOPPED;
                };
        try {
            abandonAll();
        } finally {
            backlog.clear();
            server.closed(this, end);
        }
    }

    private void abandonAll() {
        Abandonment reason =
                end == ConnectionEnd.STOPPED ? Abandonment.SERVER_STOPPED : Abandonment.CLIENT_GONE;
        advancing = true;
        for (PendingExchange exchange : pipeline) {
            abandon(exchange, reason);
        }
        pipeline.clear();
    }

    /**
     * Runs what is no event of the socket, so that here, too, an exception costs the connection: it
     * would be left in the middle of a step.
     */
    void guarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            socket.onFailure();
            throw failure;
        }
    }

    /** The one way in for answers. */
    void answer(PendingExchange exchange, Response response) {
        if (exchange.isDone() || state == State.CLOSED) {
            server.listener().onLateAnswer(exchange);
            return;
        }
        ResponseFault fault = ResponseRules.check(response);
        if (fault != null) {
            server.listener().onBadResponse(exchange, fault);
        }
        exchange.answer(fault == null ? response : CoreResponses.of(Failure.BAD_RESPONSE));
        advance();
    }

    void handlerFailed(PendingExchange exchange, Throwable failure) {
        if (!exchange.isAbandoned()) {
            server.listener().onHandlerFailed(exchange, failure);
        }
        answer(exchange, CoreResponses.of(Failure.HANDLER_FAILED));
    }

    void deadlineMoved() {
        if (!advancing) {
            settle();
        }
    }

    private boolean isOpen() {
        return state.compareTo(State.FINISHING) < 0;
    }

    /** Whether the next request may be read now; one that has begun is always read on. */
    private boolean mayRead() {
        return isOpen()
                && (parser.phase() != RequestParser.Phase.IDLE
                        || (!pipeline.hasParked()
                                && pipeline.size() < server.limits().pipelinedRequests()
                                && socket.pendingBytes() <= UNSENT_BYTES));
    }

    /** Reads up to the end of one request; returns the index behind what was used. */
    private int readRequest(byte[] bytes, int from, int to) {
        Parsed parsed = parser.parse(bytes, from, to);
        moreCame = parser.consumedTo() < to;
        switch (parsed) {
            case Parsed.Incomplete incomplete -> {}
            case Parsed.Complete(Request request, boolean persistent) -> take(request, persistent);
            case Parsed.Refused(Refusal refused) -> refuse(refused);
        }
        return parser.consumedTo();
    }

    private void take(Request request, boolean persistent) {
        enter(State.ANSWERING);
        continueSent = false;
        bodyProgressBytes = 0;
        long deadlineNanos = loop.nanoTime() + server.limits().requestTimeout().toNanos();
        PendingExchange exchange = new PendingExchange(this, request, deadlineNanos);
        pipeline.add(exchange);
        server.listener().onRequest(exchange);
        if (!persistent) {
            end = ConnectionEnd.NOT_PERSISTENT;
            enter(State.FINISHING);
        }
        startAndWrite();
    }

    private void refuse(Refusal refused) {
        server.listener().onRefused(refused);
        refusal = CoreResponses.of(refused);
        end = ConnectionEnd.REFUSED;
        enter(State.FINISHING);
        writeAnswered();
    }

    /** Goes on after an answer or a flush: writes, starts who waited, reads what was kept. */
    private void advance() {
        if (advancing) {
            return;
        }
        advancing = true;
        writeAnswered();
        startAndWrite();
        while (!backlog.isEmpty() && mayRead()) {
            backlog.skipTo(readRequest(backlog.array(), backlog.from(), backlog.to()));
        }
        advancing = false;
        if (!isOpen()) {
            // Nothing of it will be used, and what is left unread would turn the close into a
            // reset.
            backlog.clear();
        }
        if (backlog.isEmpty()) {
            socket.resumeReading();
        }
        settle();
    }

    private void startAndWrite() {
        PendingExchange exchange = pipeline.startNext();
        if (exchange == null) {
            return;
        }
        try {
            server.handler().handle(exchange);
        } catch (Throwable failure) {
            handlerFailed(exchange, failure);
        }
        writeAnswered();
    }

    private void writeAnswered() {
        PendingExchange exchange = pipeline.pollAnswered();
        while (exchange != null) {
            write(exchange);
            exchange = pipeline.pollAnswered();
        }
        if (state == State.FINISHING && pipeline.isEmpty()) {
            writeRefusal();
            socket.endOutput();
            enter(State.LINGERING);
        }
    }

    private void write(PendingExchange exchange) {
        boolean lastTaken = pipeline.isEmpty() && refusal == null;
        if (lastTaken && draining && isOpen() && nothingFurtherCame()) {
            end = ConnectionEnd.DRAINED;
            enter(State.FINISHING);
        }
        departureProbe.finish();
        Response response = Objects.requireNonNull(exchange.answer());
        boolean close = lastTaken && state == State.FINISHING;
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

    private void writeRefusal() {
        if (refusal != null) {
            ResponseWriter.write(refusal, false, true, false, server.date(), socket);
            refusal = null;
        }
    }

    private boolean nothingFurtherCame() {
        return parser.phase() == RequestParser.Phase.IDLE && !moreCame;
    }

    /** At the end of every event: brings the state, the deadlines and 100 (Continue) up to date. */
    private void settle() {
        moreCame = !backlog.isEmpty();
        if (isOpen()) {
            settleInput();
        }
        settleAnswerDeadline();
    }

    private void settleInput() {
        if (inputEnded && backlog.isEmpty()) {
            enter(State.FINISHING);
            writeAnswered();
            return;
        }
        State settled =
                switch (parser.phase()) {
                    case HEAD -> State.READING_HEAD;
                    case BODY -> State.READING_BODY;
                    case IDLE ->
                            pipeline.isEmpty() && backlog.isEmpty() ? State.IDLE : State.ANSWERING;
                };
        if (settled != state) {
            enter(settled);
        }
        if (parser.awaitsContinue() && !continueSent && pipeline.isEmpty()) {
            continueSent = true;
            socket.write(ResponseEncoder.continueResponse());
            readDeadline.set(loop.nanoTime() + server.limits().bodyRead().toNanos());
        }
    }

    private void settleAnswerDeadline() {
        PendingExchange earliest = null;
        for (PendingExchange exchange : pipeline) {
            if (!exchange.isDone()
                    && (earliest == null
                            || exchange.deadlineNanos() - earliest.deadlineNanos() < 0)) {
                earliest = exchange;
            }
        }
        if (earliest == null) {
            answerDeadline.clear();
        } else {
            answerDeadline.set(earliest.deadlineNanos());
        }
    }

    private void enter(State next) {
        if (!isOpen() && next.compareTo(state) < 0) {
            throw new IllegalStateException(state + " cannot become " + next);
        }
        state = next;
        long now = loop.nanoTime();
        ServerLimits limits = server.limits();
        switch (next) {
            case IDLE ->
                    readDeadline.set(now + (draining ? DRAIN_IDLE_NANOS : limits.idle().toNanos()));
            case READING_HEAD -> readDeadline.set(now + limits.headerRead().toNanos());
            case READING_BODY -> readDeadline.set(now + limits.bodyRead().toNanos());
            case ANSWERING, FINISHING -> readDeadline.clear();
            case LINGERING -> readDeadline.set(now + LINGER_NANOS);
            case CLOSED -> {
                readDeadline.cancel();
                answerDeadline.cancel();
                departureProbe.cancel();
            }
        }
    }

    private void noteBodyProgress(int count) {
        bodyProgressBytes += count;
        if (state == State.READING_BODY && bodyProgressBytes >= BODY_PROGRESS_BYTES) {
            bodyProgressBytes = 0;
            readDeadline.set(loop.nanoTime() + server.limits().bodyRead().toNanos());
        }
    }

    private void readDeadlinePassed() {
        switch (state) {
            case READING_HEAD -> refuse(Refusal.HEAD_TIMEOUT);
            case READING_BODY -> bodyDeadlinePassed();
            case IDLE, LINGERING -> closeUnlessSending();
            case ANSWERING, FINISHING, CLOSED ->
                    throw new IllegalStateException("no read deadline in " + state);
        }
    }

    /** A body that waits for our 100 (Continue) is not late. */
    private void bodyDeadlinePassed() {
        if (parser.awaitsContinue() && !continueSent) {
            readDeadline.set(loop.nanoTime() + server.limits().bodyRead().toNanos());
        } else {
            refuse(Refusal.BODY_TIMEOUT);
        }
    }

    /**
     * A client that still takes its answer is neither idle nor done; the write stall watches it.
     */
    private void closeUnlessSending() {
        if (socket.pendingBytes() > 0) {
            readDeadline.set(loop.nanoTime() + LINGER_NANOS);
        } else if (state == State.LINGERING) {
            socket.close();
        } else {
            end = draining ? ConnectionEnd.DRAINED : ConnectionEnd.IDLE_TIMEOUT;
            enter(State.FINISHING);
            writeAnswered();
        }
    }

    private void answerDeadlinePassed() {
        // Whoever hears of it may answer the others: they leave when all have been looked at.
        advancing = true;
        for (PendingExchange exchange : pipeline) {
            if (!exchange.isDone() && exchange.deadlineNanos() - loop.nanoTime() <= 0) {
                abandon(exchange, Abandonment.DEADLINE);
                exchange.answer(CoreResponses.of(Failure.DEADLINE));
            }
        }
        advancing = false;
        advance();
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
