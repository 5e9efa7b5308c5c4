package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.RequestStart;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.http.websocket.Compression;
import dev.handoff.http.websocket.FrameReader;
import dev.handoff.http.websocket.Handshake;
import dev.handoff.http.websocket.WebSocketFault;
import dev.handoff.loop.MovingDeadline;
import dev.handoff.loop.StreamSocket;
import java.util.concurrent.TimeUnit;

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
final class OpenWebSocket implements FrameReader.Sink, HeldInput {
    private enum State {
        OPEN,
        CLOSING,
        ENDING,
        OVER
    }

    /** The connection. */
    interface Owner {
        /** Whether another message may be taken in this turn; if not, a later turn asks again. */
        boolean mayTakeMessage();

        void messageTaken();

        /**
         * Runs an action that is no event of the socket. Then looks what has become possible.
         *
         * @param bytes of content that it gives
         */
        void change(int bytes, Runnable change);

        /** Counts the memory that it holds. */
        void recount();

        /** Whether requests leave no room for that. */
        boolean isCrowded();

        /** Has those that hold much for long make room. */
        void makeRoom();

        /** The responses of all connections take too much memory. */
        void responsesFull();

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

    /** A client that lets so many pings pass without a word is gone. */
    private static final int MOST_PINGS_UNANSWERED = 2;

    /** How long a client may take to answer a close, once it has taken all that was sent. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long a handler may take for the messages before the end. */
    private static final long LAST_MESSAGES_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long it may then go on when its client has broken a rule. */
    private static final long LATE_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The client is not read while messages that cost so much wait for the handler. */
    static final long MOST_WAITING_BYTES = 256 * 1024;

    /** The same while requests take much of the memory. */
    private static final long MOST_WHILE_TIGHT_BYTES = 64 * 1024;

    /** One that holds no more is not asked to go for others. */
    private static final int SMALL_BYTES = 4 * 1024;

    private final LoopContext context;
    private final Exchange exchange;
    private final WebSocketListener listener;
    private final Owner owner;
    private final StreamSocket socket;
    private final FrameReader reader;
    private final UnreadBytes unread = new UnreadBytes();
    private final WebSocketOutput output;
    private final ReadPace pace;
    private final MovingDeadline deadline;
    private final long openedNanos;
    private State state = State.OPEN;

    /** Whether the client ends it by a broken rule, and not by a close. */
    private boolean refused;

    /** Whether the listener knows that it is over. */
    private boolean endTold;

    private int endCode;
    private String endReason = "";

    /** What the messages cost that the handler has not taken. */
    private long waitingCostBytes;

    private int pingsUnanswered;
    private long receivedMessages;
    private long receivedBytes;

    OpenWebSocket(
            LoopContext context,
            Exchange exchange,
            Handshake.Offer offer,
            WebSocketListener listener,
            Owner owner,
            StreamSocket socket) {
        this.context = context;
        this.exchange = exchange;
        this.listener = listener;
        this.owner = owner;
        this.socket = socket;
        Compression compression = offer.compression() == null ? null : context.compression();
        this.reader = new FrameReader(context.limits().messageBytes(), compression, this);
        this.output = new WebSocketOutput(context, socket, offer.compression());
        this.pace = new ReadPace(context.loop());
        this.deadline = new MovingDeadline(context.loop(), this::deadlinePassed);
        this.openedNanos = now();
        pace.begin();
        deadline.set(openedNanos + PING_NANOS);
    }

    /** Whether it takes messages of its client. */
    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Reads what came now, and keeps what has to wait. */
    void read(byte[] bytes, int from, int to) {
        pingsUnanswered = 0;
        if (heldBytes() <= SMALL_BYTES) {
            pace.begin();
        }
        pace.bodyCame(to - from);
        int next = from;
        while (next < to && unread.isEmpty() && mayRead()) {
            next = reader.read(bytes, next, to);
        }
        if (next < to && (state == State.OPEN || state == State.CLOSING)) {
            unread.add(bytes, next, to);
        }
        endEvent();
    }

    /** Reads what was kept, as far as it may be read now. */
    void step() {
        readKept();
        endEvent();
    }

    private void readKept() {
        while (!unread.isEmpty() && mayRead()) {
            unread.skipTo(reader.read(unread.array(), unread.from(), unread.to()));
        }
    }

    private boolean mayRead() {
        return switch (state) {
            case OPEN -> waitingCostBytes < mostWaitingBytes() && owner.mayTakeMessage();
            case CLOSING -> true;
            case ENDING, OVER -> {
                unread.clear();
                yield false;
            }
        };
    }

    private long mostWaitingBytes() {
        BufferBudget budget = context.budget();
        if (budget.isFullForRequests()) {
            return 1;
        }
        return budget.isTightForRequests() ? MOST_WHILE_TIGHT_BYTES : MOST_WAITING_BYTES;
    }

    /** Leaves in the kernel what cannot be read now, and sees to the memory. */
    private void endEvent() {
        owner.recount();
        if (hasNoRoom()) {
            owner.makeRoom();
        }
        if (hasNoRoom()) {
            giveUp();
        }
        if (unread.isEmpty() || state == State.OVER) {
            socket.resumeReading();
        } else {
            socket.pauseReading();
        }
        if (context.budget().areResponsesFull()) {
            owner.responsesFull();
        }
    }

    private boolean hasNoRoom() {
        return state == State.OPEN && heldBytes() > SMALL_BYTES && owner.isCrowded();
    }

    /** Ends it, since others need the memory that it holds. */
    void giveUp() {
        if (state == State.OPEN) {
            RequestStart start =
                    new RequestStart(exchange.request().method(), exchange.request().target());
            context.listener().onBuffersFull(exchange.client(), start);
            closeByServer(CloseCode.TRY_AGAIN_LATER, "the server has no memory for more");
            readKept();
            owner.recount();
        }
    }

    @Override
    public long heldBytes() {
        return reader.heldBytes() + unread.sizeBytes() + waitingCostBytes;
    }

    @Override
    public long slownessNanos() {
        return heldBytes() > SMALL_BYTES && state == State.OPEN ? pace.slownessNanos() : 0;
    }

    @Override
    public void onMessage(boolean text, Body message) {
        if (state != State.OPEN) {
            return;
        }
        int bytes = message.sizeBytes();
        receivedMessages++;
        receivedBytes += bytes;
        waitingCostBytes += bytes + WebSocket.MESSAGE_COST_BYTES;
        owner.messageTaken();
        context.listener().onWebSocketMessage(true, bytes);
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
        endCode = code;
        endReason = reason;
        refused = byFault;
        deadline.set(now() + LAST_MESSAGES_NANOS);
        if (waitingCostBytes == 0) {
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

    /** The handler sends a message. */
    void write(boolean text, Body message) {
        if (state == State.OPEN || state == State.ENDING) {
            context.listener().onWebSocketMessage(false, message.sizeBytes());
            output.message(text, message);
        }
    }

    /** The handler is done with messages that cost so much. */
    void taken(long costBytes) {
        if (endTold) {
            return;
        }
        waitingCostBytes -= costBytes;
        pace.begin();
        if (state == State.ENDING && waitingCostBytes == 0) {
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
            reader.dropMessages();
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
            reader.close();
            unread.clear();
            context.listener()
                    .onWebSocketClosed(
                            exchange,
                            new WebSocketEnd(
                                    endCode,
                                    now() - openedNanos,
                                    receivedMessages,
                                    receivedBytes,
                                    output.messages(),
                                    output.messageBytes()));
        }
    }

    private void tellEnd(int code, String reason) {
        if (!endTold) {
            endTold = true;
            endCode = code;
            waitingCostBytes = 0;
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
        owner.change(0, this::deadlinePassedNow);
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

    /** Asks the client whether it is there, if it can be heard, and takes what it is sent. */
    private void ping() {
        deadline.set(now() + PING_NANOS);
        if (!unread.isEmpty() || output.isPending()) {
            return;
        }
        if (pingsUnanswered == MOST_PINGS_UNANSWERED) {
            owner.cutWebSocket(ConnectionEnd.IDLE_TIMEOUT);
            return;
        }
        pingsUnanswered++;
        output.ping();
    }

    private long now() {
        return context.loop().nanoTime();
    }
}
