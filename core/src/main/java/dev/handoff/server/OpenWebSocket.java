package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.http.websocket.Compression;
import dev.handoff.http.websocket.DeflateOffer;
import dev.handoff.http.websocket.FrameReader;
import dev.handoff.http.websocket.WebSocketFault;
import dev.handoff.loop.MovingDeadline;
import dev.handoff.loop.StreamSocket;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection that has become a WebSocket: reads frames as the handler takes their messages, asks
 * whether the client is there, and ends in order.
 *
 * <pre>
 *     OPEN --we close--> CLOSING --the client closes, or time--> OVER
 *       '--the client closes, breaks a rule or sends no more--> ENDING --^
 * </pre>
 *
 * <p>In ENDING nothing is read any more. The handler takes the messages that came before, and its
 * answers still leave. In CLOSING messages are dropped.
 *
 * <p>Belongs to the loop's thread.
 */
final class OpenWebSocket implements FrameReader.Sink {
    private enum State {
        OPEN,
        CLOSING,
        ENDING,
        OVER
    }

    /** The connection. */
    interface Owner extends WebSocketInput.Turn {
        /**
         * Runs an action that is no event of the socket. Then looks what has become possible.
         *
         * @param bytes of content that it gives
         */
        void runThenStep(int bytes, Runnable action);

        /**
         * Nothing more is read or written, but for what was written last.
         *
         * @param code how it ended
         */
        void webSocketOver(int code);

        /** The client does not say that it is there, or does not answer a close. */
        void cutWebSocket(ConnectionEnd why);
    }

    private static final long PING_NANOS = TimeUnit.SECONDS.toNanos(30);

    /**
     * Until the next ping to a client that is not read, since the handler takes no messages. It is
     * not heard, but one that has left answers it with a reset, which the ping behind it meets.
     */
    private static final long UNHEARD_PING_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A client that lets so many pings pass without a word is gone. */
    private static final int MOST_PINGS_UNANSWERED = 2;

    /** How long a client may take to answer a close, once it has taken all that was sent. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long a handler may take for the messages before the end. */
    private static final long LAST_MESSAGES_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long it may then go on when its client has broken a rule. */
    private static final long LATE_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LoopContext context;
    private final Exchange exchange;
    private final WebSocketListener listener;
    private final Owner owner;
    private final WebSocketInput input;
    private final WebSocketOutput output;
    private final MovingDeadline deadline;
    private final long openedNanos;
    private State state = State.OPEN;

    /** Whether the client ends it by a broken rule, and not by a close. */
    private boolean refused;

    /** Whether the listener knows that it is over. */
    private boolean endTold;

    private int endCode;
    private String endReason = "";

    private int pingsUnanswered;

    /** Whether the client is not read. */
    private boolean unheard;

    OpenWebSocket(
            LoopContext context,
            Exchange exchange,
            @Nullable DeflateOffer offer,
            WebSocketListener listener,
            Owner owner,
            StreamSocket socket) {
        this.context = context;
        this.exchange = exchange;
        this.listener = listener;
        this.owner = owner;
        Compression compression = offer == null ? null : context.compression();
        this.input = new WebSocketInput(context, socket, compression, this, owner);
        this.output = new WebSocketOutput(context, socket, offer);
        this.deadline = new MovingDeadline(context.loop(), this::deadlinePassed);
        this.openedNanos = now();
        deadline.set(openedNanos + PING_NANOS);
    }

    /** Whether it takes messages of its client. */
    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Tells the handler, before anything else. */
    void tellOpen(WebSocket socket) {
        tell(() -> listener.onOpen(socket));
    }

    /** What it holds of what its client sent. */
    HeldInput held() {
        return input;
    }

    /** Reads what came now, and keeps what has to wait. */
    void read(byte[] bytes, int from, int to) {
        pingsUnanswered = 0;
        input.read(bytes, from, to);
        followReading();
    }

    /** Whether the client sent more at once than could be read. */
    boolean fallsBehind() {
        return input.fallsBehind();
    }

    /** Reads what was kept, as far as it may be read now. */
    void step() {
        input.readKept();
        followReading();
    }

    private void followReading() {
        if (state == State.OPEN && unheard != input.hasUnread()) {
            unheard = !unheard;
            deadline.set(now() + pingNanos());
        }
    }

    private long pingNanos() {
        return unheard ? UNHEARD_PING_NANOS : PING_NANOS;
    }

    /** Ends it, since others need the memory that it holds. */
    void giveUp() {
        if (state == State.OPEN) {
            closeByServer(CloseCode.TRY_AGAIN_LATER, "the server has no memory for more");
            input.readKept();
        } else if (state == State.ENDING && !endTold) {
            allTaken();
        }
    }

    @Override
    public void onMessage(boolean text, Body message) {
        if (state != State.OPEN) {
            return;
        }
        input.messageCame(message);
        owner.wentOn(message.sizeBytes());
        context.listener().onWebSocketMessage(true, message.sizeBytes());
        tell(() -> listener.onMessage(text, message));
    }

    @Override
    public void onPing(Body payload) {
        if (state == State.OPEN) {
            output.answer(payload);
        }
    }

    @Override
    public void onPong() {
        // That something came is noted for all bytes.
    }

    @Override
    public void onClose(int code, String reason) {
        endByClient(code, reason, false);
    }

    @Override
    public void onFault(WebSocketFault fault) {
        endByClient(fault.code(), fault.text(), true);
    }

    /** The client sends no more, though it has not closed (RFC 6455 section 7.1.1). */
    void inputEnded() {
        if (state == State.OPEN || state == State.CLOSING) {
            endByClient(CloseCode.ABNORMAL, "", false);
        }
    }

    private void endByClient(int code, String reason, boolean byFault) {
        if (state == State.CLOSING) {
            finish(code, reason);
            return;
        }
        state = State.ENDING;
        input.stop();
        endCode = code;
        endReason = reason;
        refused = byFault;
        deadline.set(now() + LAST_MESSAGES_NANOS);
        if (input.isAllTaken()) {
            allTaken();
        }
    }

    /** The handler has all messages that came before the end. */
    private void allTaken() {
        tellEnd(endCode, endReason);
        if (state == State.ENDING && refused && listener.answersLater()) {
            deadline.set(now() + LATE_ANSWER_NANOS);
        } else {
            closeLast();
        }
    }

    private void closeLast() {
        if (state == State.ENDING) {
            if (endCode != CloseCode.ABNORMAL) {
                writeClose(endCode, endReason);
            }
            finish(endCode, endReason);
        }
    }

    private void writeClose(int code, String reason) {
        output.close(code, reason);
    }

    private void finish(int code, String reason) {
        end(code, reason);
        owner.webSocketOver(endCode);
    }

    /** The handler sends a message, or a fragment of one. */
    void write(boolean text, Body fragment, boolean last) {
        if (state == State.OPEN || state == State.ENDING) {
            long bytes = output.message(text, fragment, last);
            if (last) {
                context.listener().onWebSocketMessage(false, bytes);
            }
        }
    }

    /** The handler is done with messages that cost so much. */
    void taken(long costBytes) {
        if (endTold) {
            return;
        }
        input.taken(costBytes);
        if (state == State.ENDING && input.isAllTaken()) {
            allTaken();
        }
    }

    /** The handler closes it. Where the client has done so, the handler needs no more of it. */
    void closeByHandler(int code, String reason) {
        if (state == State.ENDING) {
            tellEnd(endCode, endReason);
            closeLast();
        } else {
            closeByServer(code, reason);
        }
    }

    /** Closes it unless it is ending already. */
    void closeByServer(int code, String reason) {
        if (state == State.OPEN) {
            writeClose(code, reason);
            state = State.CLOSING;
            input.drop();
            deadline.set(now() + CLOSE_NANOS);
            tellEnd(code, reason);
        }
    }

    /** The connection is closed. */
    void connectionClosed() {
        if (state == State.ENDING) {
            end(endCode, endReason);
        } else {
            end(CloseCode.ABNORMAL, "");
        }
    }

    private void end(int code, String reason) {
        if (state != State.OVER) {
            state = State.OVER;
            tellEnd(code, reason);
            deadline.cancel();
            input.stop();
            context.listener()
                    .onWebSocketClosed(
                            exchange,
                            new WebSocketEnd(
                                    endCode,
                                    now() - openedNanos,
                                    input.messages(),
                                    input.messageBytes(),
                                    output.messages(),
                                    output.messageBytes()));
        }
    }

    private void tellEnd(int code, String reason) {
        if (!endTold) {
            endTold = true;
            endCode = code;
            input.forget();
            tell(() -> listener.onClosed(code, reason));
        }
    }

    private void tell(Runnable event) {
        try {
            event.run();
        } catch (Throwable failure) {
            context.listener().onHandlerFailed(exchange, failure);
            closeByHandler(CloseCode.INTERNAL_ERROR, "");
        }
    }

    /** Some output has left. */
    void sent() {
        if (state == State.OPEN || state == State.ENDING) {
            long more = output.sent();
            if (more > 0) {
                tell(() -> listener.onRoom(more));
            }
        }
    }

    private void deadlinePassed() {
        owner.runThenStep(0, this::deadlinePassedNow);
    }

    private void deadlinePassedNow() {
        switch (state) {
            case OPEN -> ping();
            case CLOSING -> {
                if (output.isPending()) {
                    // It has yet to see the close; how slowly it may read is watched elsewhere.
                    deadline.set(now() + CLOSE_NANOS);
                } else {
                    owner.cutWebSocket(ConnectionEnd.WEBSOCKET_CLOSED);
                }
            }
            case ENDING -> {
                if (endTold) {
                    closeLast();
                } else {
                    allTaken();
                }
            }
            case OVER -> {}
        }
    }

    /** Asks the client whether it is there, if it takes what it is sent. */
    private void ping() {
        deadline.set(now() + pingNanos());
        if (output.isPending()) {
            return;
        }
        if (pingsUnanswered == MOST_PINGS_UNANSWERED) {
            owner.cutWebSocket(ConnectionEnd.IDLE_TIMEOUT);
            return;
        }
        if (!unheard) {
            pingsUnanswered++;
        }
        output.ping();
    }

    private long now() {
        return context.loop().nanoTime();
    }
}
