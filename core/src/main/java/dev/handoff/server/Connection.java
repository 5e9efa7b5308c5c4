package dev.handoff.server;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.Refusal;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseEncoder;
import dev.handoff.loop.CloseCause;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
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
final class Connection implements StreamSocket.Owner, RequestInput.Taker {
    enum State {
        IDLE,
        READING_HEAD,
        READING_BODY,
        ANSWERING,
        /** No further request is taken; answers are owed or on their way. */
        FINISHING,
        /** All is sent; what still comes is dropped, so that no reset overtakes the last answer. */
        LINGERING,
        CLOSED;

        private int active() {
            return this == IDLE || this == CLOSED ? 0 : 1;
        }
    }

    /** A client that leaves so much unread gets no further request handled. */
    private static final int UNSENT_BYTES = 256 * 1024;

    /**
     * The order in which others may take their places: whoever waits for an answer, or is not done
     * with reading one, goes last.
     */
    static final Comparator<Connection> LONGEST_UNUSED_FIRST =
            Comparator.comparing(Connection::isOwed)
                    .thenComparing((one, other) -> Long.signum(one.usedNanos - other.usedNanos));

    private final ServerLoop server;
    private final EventLoop loop;
    private final String client;

    /** Null where no proxy is trusted, and what requests say of proxies means nothing. */
    private final @Nullable Forwarding forwarding;

    private final StreamSocket socket;
    private final RequestInput input;
    private final Answers answers;
    private final ReadDeadline readDeadline;
    private final BufferBudget.Share share;

    /** When its last request was whole, or it was opened. */
    private long usedNanos;

    private State state = State.IDLE;
    private ConnectionEnd end = ConnectionEnd.CLIENT_CLOSED;

    /** The answer to the request that could not be read; leaves after all others. */
    private @Nullable Response refusal;

    private boolean refusalHasContent;

    /** True inside the loops that take requests, so that an answer given there does not recurse. */
    private boolean advancing;

    private boolean continueSent;
    private boolean draining;
    private boolean inputEnded;

    Connection(ServerLoop server, SocketChannel channel) throws IOException {
        this.server = server;
        this.loop = server.loop();
        this.usedNanos = loop.nanoTime();
        SocketAddress peer = channel.getRemoteAddress();
        this.client = ClientAddress.format(peer);
        this.forwarding = server.forwarding(peer);
        this.input =
                new RequestInput(
                        server.limits().request(),
                        forwarding != null && forwarding.isPeerTrusted(),
                        this);
        this.readDeadline =
                new ReadDeadline(loop, server.limits(), () -> guarded(this::readDeadlinePassed));
        this.share = server.budget().new Share();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.socket = new StreamSocket(loop, channel, server.limits().writeStall(), this);
        this.answers = new Answers(server, loop, socket, () -> guarded(this::expireAnswers));
        enter(State.IDLE);
    }

    EventLoop loop() {
        return loop;
    }

    /** Lets the requests in hand finish, and at most one that is on its way. */
    void drain() {
        draining = true;
        readDeadline.drain(state);
    }

    void stop() {
        end = stopped();
        socket.close();
    }

    /** Closes it for the sake of the others: see {@link AnswerRelief}. */
    void cut() {
        end = ConnectionEnd.BUFFERS_FULL;
        socket.close();
    }

    private boolean isOwed() {
        return !answers.isEmpty() || socket.pendingBytes() > 0;
    }

    /** Closes it for another, which takes its place. */
    void displace() {
        end = ConnectionEnd.DISPLACED;
        socket.close();
    }

    /** What it held of answers when its part of the budget was settled. */
    long answerBytes() {
        return share.answerBytes();
    }

    boolean holdsOneAnswer() {
        return answers.areAllWritten();
    }

    /** For how long its client has not taken what it holds. */
    long stuckNanos() {
        return answers.stuckNanos();
    }

    @Override
    public void onSent(long bytes) {
        server.listener().onSent(bytes);
    }

    @Override
    public void onBytes(byte[] bytes, int from, int to) {
        server.listener().onReceived(to - from);
        if (!isOpen()) {
            return;
        }
        if (state == State.READING_BODY) {
            readDeadline.bodyCame(to - from);
        }
        advancing = true;
        input.read(bytes, from, to);
        advancing = false;
        if (input.isFull() || (input.hasBacklog() && share.isCrowdedOut())) {
            socket.pauseReading();
        }
        settle();
    }

    @Override
    public void onEnd() {
        inputEnded = true;
        settle();
        answers.inputEnded();
    }

    @Override
    public void onFlushed() {
        if (state == State.IDLE) {
            readDeadline.entered(state);
        }
        if (input.hasBacklog()) {
            advance();
        } else {
            settleShare();
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
                    case LOOP_STOPPED -> stopped();
                };
        try {
            abandonAll();
        } finally {
            share.settle(0, 0);
            server.closed(this, end);
        }
        input.clear();
    }

    private ConnectionEnd stopped() {
        boolean sentAll = socket.sentBytes() == socket.givenBytes();
        return sentAll ? ConnectionEnd.STOPPED : ConnectionEnd.CUT_OFF;
    }

    private void abandonAll() {
        Abandonment reason =
                end == ConnectionEnd.STOPPED || end == ConnectionEnd.CUT_OFF
                        ? Abandonment.SERVER_STOPPED
                        : Abandonment.CLIENT_GONE;
        advancing = true;
        answers.abandonAll(reason);
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
        answers.take(exchange, response);
        advance();
    }

    void handlerFailed(PendingExchange exchange, Throwable failure) {
        answers.fail(exchange, failure);
        advance();
    }

    void deadlineMoved() {
        if (!advancing) {
            settle();
        }
    }

    @Override
    public boolean isOpen() {
        return state.compareTo(State.FINISHING) < 0;
    }

    @Override
    public boolean mayBegin() {
        boolean mayReadAhead = answers.isEmpty() || !share.isCrowdedOut();
        return mayReadAhead && answers.hasRoom() && answers.heldBytes() <= UNSENT_BYTES;
    }

    @Override
    public void take(Request request, boolean persistent) {
        enter(State.ANSWERING);
        continueSent = false;
        usedNanos = loop.nanoTime();
        long deadlineNanos = loop.nanoTime() + server.limits().requestTimeout().toNanos();
        answers.owe(exchange(request, deadlineNanos));
        if (!persistent) {
            end = ConnectionEnd.NOT_PERSISTENT;
            enter(State.FINISHING);
        }
        startAndWrite();
    }

    private PendingExchange exchange(Request received, long deadlineNanos) {
        Request request = server.named(received);
        if (forwarding == null) {
            return new PendingExchange(this, request, client, deadlineNanos);
        }
        Forwarding.Judged judged = forwarding.judge(request);
        return new PendingExchange(this, judged.request(), judged.client(), deadlineNanos);
    }

    @Override
    public void refuse(Refusal refused) {
        server.listener().onRefused(refused, client, input.requestStart());
        ErrorForm form = input.errorForm();
        refuse(CoreResponses.of(refused, form), form);
    }

    /** Whoever sends on while the requests of others take all the memory they may. */
    private void refuseForWantOfRoom() {
        server.listener().onBuffersFull(client, input.requestStart());
        ErrorForm form = input.errorForm();
        refuse(CoreResponses.of(Failure.BUFFERS_FULL, form), form);
    }

    private void refuse(Response answer, ErrorForm form) {
        refusal = answer;
        refusalHasContent = form.withContent();
        input.clear();
        settleShare();
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
        input.readKept();
        advancing = false;
        if (!input.hasBacklog()) {
            socket.resumeReading();
        }
        settle();
    }

    private void startAndWrite() {
        answers.startNext();
        writeAnswered();
    }

    private void writeAnswered() {
        PendingExchange exchange = answers.pollAnswered();
        while (exchange != null) {
            write(exchange);
            exchange = answers.pollAnswered();
        }
        if (state == State.FINISHING && answers.isEmpty()) {
            writeRefusal();
            socket.endOutput();
            enter(State.LINGERING);
        }
    }

    private void write(PendingExchange exchange) {
        boolean lastTaken = answers.isEmpty() && refusal == null;
        if (lastTaken && draining && isOpen() && input.isAtEnd()) {
            end = ConnectionEnd.DRAINED;
            enter(State.FINISHING);
        }
        answers.write(exchange, lastTaken && state == State.FINISHING);
    }

    private void writeRefusal() {
        if (refusal != null) {
            ResponseWriter.write(refusal, !refusalHasContent, true, false, server.date(), socket);
            refusal = null;
        }
    }

    /** At the end of every event: brings the state, the deadlines and 100 (Continue) up to date. */
    private void settle() {
        input.settle();
        if (isOpen()) {
            settleInput();
        }
        answers.settleDeadline();
        settleShare();
        if (isOpen() && share.isCrowdedOut() && input.isLarge()) {
            refuseForWantOfRoom();
        }
        server.relief().settle();
    }

    /** Brings its part of the loop's budget up to date. */
    void settleShare() {
        if (state != State.CLOSED) {
            share.settle(input.bufferedBytes() + answers.requestBytes(), answers.heldBytes());
        }
    }

    private void settleInput() {
        if (inputEnded && !input.hasBacklog()) {
            enter(State.FINISHING);
            writeAnswered();
            return;
        }
        State settled =
                switch (input.phase()) {
                    case HEAD -> State.READING_HEAD;
                    case BODY -> State.READING_BODY;
                    case IDLE ->
                            answers.isEmpty() && !input.hasBacklog() ? State.IDLE : State.ANSWERING;
                };
        if (settled != state) {
            enter(settled);
        }
        if (input.awaitsContinue() && !continueSent && answers.isEmpty()) {
            continueSent = true;
            socket.write(ResponseEncoder.continueResponse());
            readDeadline.restartBody();
        }
    }

    private void enter(State next) {
        if (!isOpen() && next.compareTo(state) < 0) {
            throw new IllegalStateException(state + " cannot become " + next);
        }
        server.activeChanged(next.active() - state.active());
        state = next;
        readDeadline.entered(next);
        if (next == State.CLOSED) {
            answers.cancelTimers();
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
        if (input.awaitsContinue() && !continueSent) {
            readDeadline.restartBody();
        } else {
            refuse(Refusal.BODY_TIMEOUT);
        }
    }

    /**
     * A client that still takes its answer is neither idle nor done; the write stall watches it.
     */
    private void closeUnlessSending() {
        if (socket.pendingBytes() > 0) {
            readDeadline.entered(state);
            return;
        }
        if (state == State.IDLE) {
            end = draining ? ConnectionEnd.DRAINED : ConnectionEnd.IDLE_TIMEOUT;
        }
        socket.close();
    }

    private void expireAnswers() {
        // Whoever hears of it may answer the others: they leave when all have been looked at.
        advancing = true;
        answers.expire();
        advancing = false;
        advance();
    }
}
