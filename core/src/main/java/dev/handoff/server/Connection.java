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
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection: joins the bytes that come, the requests in them and the answers that
 * leave, and is in one {@link ConnectionState} at a time. Belongs to the loop's thread.
 */
final class Connection implements StreamSocket.Owner, RequestInput.Taker {
    /**
     * The order in which others may take their places: whoever waits for an answer, or is not done
     * with reading one, goes last.
     */
    static final Comparator<Connection> LONGEST_UNUSED_FIRST =
            Comparator.comparing(Connection::isOwed)
                    .thenComparing((one, other) -> Long.signum(one.usedNanos - other.usedNanos));

    private final ServerLoop server;
    private final EventLoop loop;
    private final Sender sender;
    private final StreamSocket socket;
    private final RequestInput input;
    private final Answers answers;
    private final Ending ending;
    private final ReadDeadline readDeadline;
    private final ConnectionBuffers buffers;
    private final AwaitedClients.Place waitingPlace = new AwaitedClients.Place(this);
    private final @Nullable InetAddress counted;

    /** When its last request was whole, or it was opened. */
    private long usedNanos;

    private ConnectionState state = ConnectionState.IDLE;

    /** True inside the loops that take requests, so that an answer given there does not recurse. */
    private boolean advancing;

    private boolean draining;
    private boolean inputEnded;

    /** Whether another connection waits for its place: then it ends without lingering. */
    private boolean displaced;

    /**
     * @param counted as whose connection it counts; null where that is limited for nobody
     */
    Connection(ServerLoop server, SocketChannel channel, @Nullable InetAddress counted)
            throws IOException {
        this.server = server;
        this.loop = server.loop();
        this.usedNanos = loop.nanoTime();
        this.counted = counted;
        SocketAddress peer = channel.getRemoteAddress();
        this.sender = new Sender(peer, server.forwarding(peer));
        this.input = new RequestInput(server.limits().request(), sender.isTrustedProxy(), this);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.socket = new StreamSocket(loop, channel, server.limits().writeTimeout(), this);
        this.readDeadline =
                new ReadDeadline(
                        loop,
                        server.limits(),
                        input,
                        socket,
                        () -> guarded(this::readDeadlinePassed));
        this.answers = new Answers(server, loop, socket, () -> guarded(this::expireResponses));
        this.ending = new Ending(socket);
        this.buffers =
                new ConnectionBuffers(input, answers, readDeadline, server.budget().new Share());
        enter(ConnectionState.IDLE);
    }

    EventLoop loop() {
        return loop;
    }

    ResponseRoom responseRoom() {
        return server.responseRoom();
    }

    /** Lets the requests in hand finish, and at most one that is on its way. */
    void drain() {
        draining = true;
        readDeadline.drain();
    }

    void stop() {
        ending.becauseStopped();
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

    @Nullable InetAddress counted() {
        return counted;
    }

    /** What it holds. */
    ConnectionBuffers buffers() {
        return buffers;
    }

    private boolean isOwed() {
        return !answers.isEmpty() || socket.pendingBytes() > 0;
    }

    @Override
    public void onSent(long bytes) {
        server.listener().onSent(bytes);
        if (socket.pendingBytes() > 0) {
            // Others may wait for the room of what has left; at the end it is counted anyway.
            buffers.settle();
        }
    }

    @Override
    public void onBytes(byte[] bytes, int from, int to) {
        server.listener().onReceived(to - from);
        if (!isOpen()) {
            return;
        }
        if (state == ConnectionState.READING_BODY && readDeadline.bodyCame(to - from)) {
            settlePlace();
        }
        advancing = true;
        input.read(bytes, from, to);
        advancing = false;
        if (buffers.holdEnough()) {
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
        if (displaced) {
            socket.close();
            return;
        }
        if (state == ConnectionState.IDLE) {
            readDeadline.entered(state);
        }
        settlePlace();
        if (input.hasBacklog()) {
            advance();
        } else {
            buffers.settle();
        }
    }

    @Override
    public void onClosed(CloseCause cause) {
        ending.closed(cause, state);
        enter(ConnectionState.CLOSED);
        try {
            advancing = true;
            answers.abandonAll(ending.abandonment());
        } finally {
            buffers.release();
            server.closed(this, ending.reason());
        }
        input.clear();
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
        return state.isOpen();
    }

    @Override
    public boolean mayBegin() {
        return buffers.allowAnother() && answers.hasRoom();
    }

    @Override
    public void take(Request request, boolean persistent) {
        enter(ConnectionState.ANSWERING);
        usedNanos = loop.nanoTime();
        long deadlineNanos = loop.nanoTime() + server.limits().requestTimeout().toNanos();
        answers.owe(sender.exchange(this, server.named(request), deadlineNanos));
        if (!persistent) {
            ending.because(ConnectionEnd.NOT_PERSISTENT);
            enter(ConnectionState.FINISHING);
        }
        startAndWrite();
    }

    @Override
    public void refuse(Refusal refused) {
        server.listener().onRefused(refused, sender.address(), input.requestStart());
        ErrorForm form = input.errorForm();
        refuse(refused.error().naming(server.limitName(refused)).response(form), form);
    }

    /** Whoever sends on while the requests of others take all the memory they may. */
    private void refuseForWantOfRoom() {
        server.listener().onBuffersFull(sender.address(), input.requestStart());
        refuse(Failure.BUFFERS_FULL);
    }

    /** Others want its place, and its client has kept it waiting. */
    void displace() {
        if (state == ConnectionState.IDLE) {
            close(ConnectionEnd.DISPLACED);
        } else {
            displaced = true;
            guarded(this::displaceRequest);
            ending.because(ConnectionEnd.DISPLACED);
        }
    }

    /** The request that is being read comes so slowly that others get its room. */
    void displaceRequest() {
        server.listener().onRequestDisplaced(sender.address(), input.requestStart());
        refuse(Failure.REQUEST_DISPLACED);
    }

    private void refuse(Failure failure) {
        ErrorForm form = input.errorForm();
        refuse(failure.response(form), form);
    }

    private void refuse(Response answer, ErrorForm form) {
        answers.refuse(answer, form.withContent());
        input.clear();
        buffers.settle();
        ending.because(ConnectionEnd.REFUSED);
        enter(ConnectionState.FINISHING);
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
        if (state == ConnectionState.FINISHING && answers.isEmpty()) {
            answers.writeRefusal();
            socket.endOutput();
            enter(ConnectionState.LINGERING);
        }
    }

    private void write(PendingExchange exchange) {
        boolean lastTaken = answers.isEmpty() && !answers.endWithRefusal();
        if (lastTaken && draining && isOpen() && input.isAtEnd()) {
            ending.because(ConnectionEnd.DRAINED);
            enter(ConnectionState.FINISHING);
        }
        answers.write(exchange, lastTaken && state == ConnectionState.FINISHING);
    }

    /** At the end of every event: brings the state, the deadlines and 100 (Continue) up to date. */
    private void settle() {
        input.settle();
        if (isOpen()) {
            settleInput();
        }
        answers.settleDeadline();
        buffers.settle();
        if (isOpen() && buffers.holdTooMuch()) {
            server.requestRelief().makeRoomFor(this);
        }
        if (isOpen() && buffers.holdTooMuch()) {
            refuseForWantOfRoom();
        }
        server.responseRelief().settle();
    }

    private void settleInput() {
        if (inputEnded && !input.hasBacklog()) {
            enter(ConnectionState.FINISHING);
            writeAnswered();
            return;
        }
        ConnectionState settled =
                switch (input.phase()) {
                    case HEAD -> ConnectionState.READING_HEAD;
                    case BODY -> ConnectionState.READING_BODY;
                    case IDLE ->
                            answers.isEmpty() && !input.hasBacklog()
                                    ? ConnectionState.IDLE
                                    : ConnectionState.ANSWERING;
                };
        if (settled != state) {
            enter(settled);
        }
        if (input.awaitsContinue() && answers.isEmpty()) {
            input.continueGiven();
            socket.write(ResponseEncoder.continueResponse());
            readDeadline.restartBody();
        }
    }

    private void enter(ConnectionState next) {
        state.requireMayBecome(next);
        if (next.isActive() != state.isActive()) {
            server.activeChanged(next.isActive() ? 1 : -1);
        }
        state = next;
        readDeadline.entered(next);
        settlePlace();
        if (next == ConnectionState.CLOSED) {
            answers.cancelTimers();
        }
    }

    /** From now on it waits for its client, or does not. */
    private void settlePlace() {
        if (waitsForClient()) {
            server.awaited().enter(waitingPlace, loop.nanoTime());
        } else {
            server.awaited().leave(waitingPlace);
        }
    }

    private boolean waitsForClient() {
        return switch (state) {
            case IDLE -> socket.pendingBytes() == 0;
            case READING_HEAD, READING_BODY -> !isOwed();
            case ANSWERING, FINISHING, LINGERING, CLOSED -> false;
        };
    }

    private void readDeadlinePassed() {
        switch (state) {
            case READING_HEAD -> refuse(Refusal.HEAD_TIMEOUT);
            case READING_BODY -> refuse(Refusal.BODY_TIMEOUT);
            case IDLE -> close(draining ? ConnectionEnd.DRAINED : ConnectionEnd.IDLE_TIMEOUT);
            case LINGERING -> socket.close();
            case ANSWERING, FINISHING, CLOSED ->
                    throw new IllegalStateException("no read deadline in " + state);
        }
    }

    private void expireResponses() {
        // Whoever hears of it may answer the others: they leave when all have been looked at.
        advancing = true;
        answers.expire();
        advancing = false;
        advance();
    }
}
