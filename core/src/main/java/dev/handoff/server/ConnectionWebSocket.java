package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.http.websocket.Compression;
import dev.handoff.http.websocket.FrameReader;
import dev.handoff.http.websocket.FrameWriter;
import dev.handoff.http.websocket.Handshake;
import dev.handoff.http.websocket.WebSocketFault;
import dev.handoff.loop.MovingDeadline;
import dev.handoff.loop.StreamSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The WebSocket that a connection has become, or will when its 101 is written: reads frames, tells
 * the handler of messages, and writes.
 *
 * <pre>
 *     GIVEN --101 is written--> OPEN --we close--> CLOSING --the client closes, or time--> OVER
 *       |                         | '--the client closes, or breaks a rule--> ENDING ---------^
 *       '--the client is gone-----'-----------------------------------------------------------^
 * </pre>
 *
 * <p>In ENDING nothing is read any more. The handler takes the messages that came before, and its
 * answers still leave.
 *
 * <p>Belongs to the loop's thread, but for what {@link WebSocket} says.
 */
final class ConnectionWebSocket implements WebSocket, FrameReader.Sink {
    private enum State {
        GIVEN,
        OPEN,
        CLOSING,
        ENDING,
        OVER
    }

    /** Brings what a handler gives to the loop. Any thread. */
    interface Carrier {
        /**
         * @param bytes of content that it gives
         */
        void carry(int bytes, Runnable give);
    }

    /** The connection that it has. Called on the loop. */
    interface Owner {
        /** Whether another message may be taken in this turn; if not, a later turn asks again. */
        boolean mayTakeMessage();

        void messageTaken();

        /** Nothing more is read or written, but for what was written last. */
        void webSocketOver();

        /** The client is gone, or does not say that it is there. */
        void cutWebSocket();
    }

    private static final long PING_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A client that lets so many pings pass without a word is gone. */
    private static final int MOST_PINGS_UNANSWERED = 2;

    /** How long a client may take to answer a close. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long a handler may take for the messages before the end. */
    private static final long LAST_MESSAGES_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long it may then go on when its client has broken a rule. */
    private static final long LATE_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The client is not read while messages that cost so much wait for the handler. */
    static final long MOST_WAITING_BYTES = 256 * 1024;

    /** The same while requests take much of the memory. */
    private static final long MOST_WHILE_TIGHT_BYTES = 64 * 1024;

    /** While so much waits to leave, only the latest ping is answered (RFC 6455 section 5.5.3). */
    private static final long MUCH_PENDING_BYTES = 64 * 1024;

    /** Up to here a message goes into the buffer of its head, to leave in the same write. */
    private static final int COPY_BYTES = 16 * 1024;

    /** One that holds no more of a message is not asked to go for others. */
    private static final int SMALL_BYTES = 4 * 1024;

    private final LoopContext context;
    private final Exchange exchange;
    private final Carrier carrier;
    private final Handshake.Offer offer;
    private final WebSocketListener listener;
    private final FrameReader reader;
    private final UnreadBytes unread = new UnreadBytes();

    /** What the handler gave before its turn; bounded by the room that it was told of. */
    private final List<Runnable> beforeOpen = new ArrayList<>(0);

    private final RoomTold room = new RoomTold();
    private final MovingDeadline deadline;
    private State state = State.GIVEN;
    private @Nullable Owner owner;
    private @Nullable StreamSocket socket;
    private long openedNanos;

    /** Whether the client ends it by a broken rule, and not by a close. */
    private boolean refused;

    /** Whether the listener knows that it is over. */
    private boolean endTold;

    private int endCode;
    private String endReason = "";

    /** What the messages cost that the handler has not taken. */
    private long waitingCostBytes;

    /** What all messages cost that were written. */
    private long writtenCostBytes;

    /** The ping that is to be answered when there is room. */
    private @Nullable Body unansweredPing;

    private int pingsUnanswered;
    private long receivedMessages;
    private long receivedBytes;
    private long sentMessages;
    private long sentBytes;

    ConnectionWebSocket(
            LoopContext context,
            Exchange exchange,
            Carrier carrier,
            Handshake.Offer offer,
            WebSocketListener listener) {
        this.context = context;
        this.exchange = exchange;
        this.carrier = carrier;
        this.offer = offer;
        this.listener = listener;
        Compression compression = offer.compression() == null ? null : context.compression();
        this.reader = new FrameReader(context.limits().messageBytes(), compression, this);
        this.deadline = new MovingDeadline(context.loop(), this::deadlinePassed);
    }

    Handshake.Offer offer() {
        return offer;
    }

    /** Whether its 101 has been written. */
    boolean hasBegun() {
        return state != State.GIVEN;
    }

    /** The 101 has been written to the socket: from here on it speaks frames. */
    void open(Owner newOwner, StreamSocket newSocket) {
        owner = newOwner;
        socket = newSocket;
        state = State.OPEN;
        openedNanos = now();
        room.begin(openedNanos);
        deadline.set(openedNanos + PING_NANOS);
        context.listener().onWebSocketOpened(exchange);
        beforeOpen.forEach(Runnable::run);
        beforeOpen.clear();
    }

    /** Reads what came now, and keeps what has to wait. */
    void read(byte[] bytes, int from, int to) {
        pingsUnanswered = 0;
        int next = from;
        while (next < to && unread.isEmpty() && mayRead()) {
            next = reader.read(bytes, next, to);
        }
        if (next < to && (state == State.OPEN || state == State.CLOSING)) {
            unread.add(bytes, next, to);
        }
    }

    /** Reads what was kept, as far as it may be read now. */
    void readKept() {
        while (!unread.isEmpty() && mayRead()) {
            unread.skipTo(reader.read(unread.array(), unread.from(), unread.to()));
        }
    }

    /** Whether bytes wait to be read: more would fill memory. */
    boolean hasUnread() {
        return !unread.isEmpty();
    }

    /** The memory of what the client sent. */
    long heldBytes() {
        return reader.heldBytes() + unread.sizeBytes() + waitingCostBytes;
    }

    /** Whether it holds so much that it may have to go for others. */
    boolean isLarge() {
        return state == State.OPEN && reader.heldBytes() > SMALL_BYTES;
    }

    private boolean mayRead() {
        if (state == State.OVER || state == State.ENDING) {
            unread.clear();
            return false;
        }
        long most =
                context.budget().isTightForRequests() ? MOST_WHILE_TIGHT_BYTES : MOST_WAITING_BYTES;
        return state == State.CLOSING
                || (waitingCostBytes < most && Objects.requireNonNull(owner).mayTakeMessage());
    }

    @Override
    public void onMessage(boolean text, Body message) {
        if (state != State.OPEN) {
            return;
        }
        int bytes = message.sizeBytes();
        receivedMessages++;
        receivedBytes += bytes;
        waitingCostBytes += bytes + MESSAGE_COST_BYTES;
        Objects.requireNonNull(owner).messageTaken();
        context.listener().onWebSocketMessage(true, bytes);
        tell(() -> listener.onMessage(text, message));
    }

    @Override
    public void onPing(Body payload) {
        if (state != State.OPEN) {
            return;
        }
        if (socket().pendingBytes() < MUCH_PENDING_BYTES) {
            pong(payload);
        } else {
            unansweredPing = payload;
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
        if (refused && listener.answersLater()) {
            deadline.set(now() + LATE_ANSWER_NANOS);
        } else {
            closeLast();
        }
    }

    private void closeLast() {
        writeClose(endCode, endReason);
        finish(endCode, endReason);
    }

    private void finish(int code, String reason) {
        end(code, reason);
        Objects.requireNonNull(owner).webSocketOver();
    }

    @Override
    public void send(boolean text, Body message) {
        carrier.carry(message.sizeBytes(), () -> write(text, message));
    }

    @Override
    public void taken(long costBytes) {
        carrier.carry(0, () -> takenNow(costBytes));
    }

    @Override
    public void close(int code, String reason) {
        int reasonBytes = reason.getBytes(StandardCharsets.UTF_8).length;
        if (!CloseCode.mayBeSent(code) || reasonBytes > CloseCode.LONGEST_REASON_BYTES) {
            throw new IllegalArgumentException(
                    "code %d with a reason of %d bytes cannot be sent"
                            .formatted(code, reasonBytes));
        }
        carrier.carry(0, () -> closeNow(code, reason));
    }

    private void takenNow(long costBytes) {
        if (endTold) {
            return;
        }
        waitingCostBytes -= costBytes;
        if (state == State.ENDING && waitingCostBytes == 0) {
            allTaken();
        }
    }

    /** On the loop: closes it from our side. */
    void closeNow(int code, String reason) {
        if (state == State.GIVEN) {
            beforeOpen.add(() -> closeNow(code, reason));
        } else if (state == State.OPEN) {
            writeClose(code, reason);
            state = State.CLOSING;
            deadline.set(now() + CLOSE_NANOS);
            tellEnd(code, reason);
        } else if (state == State.ENDING && endTold) {
            closeLast();
        }
    }

    /** The connection is closed. */
    void connectionClosed() {
        end(CloseCode.ABNORMAL, "");
    }

    private void end(int code, String reason) {
        if (state == State.OVER) {
            return;
        }
        boolean wasOpen = state != State.GIVEN;
        state = State.OVER;
        tellEnd(code, reason);
        beforeOpen.clear();
        deadline.cancel();
        reader.close();
        unread.clear();
        unansweredPing = null;
        if (wasOpen) {
            context.listener().onWebSocketClosed(exchange, summary());
        }
    }

    private WebSocketEnd summary() {
        return new WebSocketEnd(
                endCode,
                now() - openedNanos,
                receivedMessages,
                receivedBytes,
                sentMessages,
                sentBytes);
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
            closeNow(CloseCode.INTERNAL_ERROR, "");
        }
    }

    private void write(boolean text, Body message) {
        if (state == State.GIVEN) {
            beforeOpen.add(() -> write(text, message));
            return;
        }
        if (state != State.OPEN && state != State.ENDING) {
            return;
        }
        int bytes = message.sizeBytes();
        sentMessages++;
        sentBytes += bytes;
        writtenCostBytes += bytes + MESSAGE_COST_BYTES;
        context.listener().onWebSocketMessage(false, bytes);
        Body compressed =
                offer.compression() == null
                        ? null
                        : context.compression()
                                .compress(message, offer.compression().windowBytes());
        Body payload = compressed == null ? message : compressed;
        int payloadBytes = payload.sizeBytes();
        boolean together = payloadBytes <= COPY_BYTES;
        ByteBuffer out =
                socket().reserve(FrameWriter.MOST_HEAD_BYTES + (together ? payloadBytes : 0));
        int start = out.position();
        FrameWriter.messageHead(text, compressed != null, payloadBytes, out);
        if (together) {
            payload.copyTo(out);
        }
        socket().written(out.position() - start);
        if (!together) {
            payload.forEachPiece(socket()::write);
        }
    }

    private void writeClose(int code, String reason) {
        ByteBuffer out = socket().reserve(FrameWriter.MOST_CONTROL_BYTES);
        int start = out.position();
        FrameWriter.close(code, reason, out);
        socket().written(out.position() - start);
    }

    private void pong(Body payload) {
        ByteBuffer out = socket().reserve(FrameWriter.MOST_CONTROL_BYTES);
        int start = out.position();
        FrameWriter.pong(payload, out);
        socket().written(out.position() - start);
    }

    /** Some output has left. */
    void sent() {
        if (state != State.OPEN && state != State.ENDING) {
            return;
        }
        Body ping = unansweredPing;
        if (ping != null && socket().pendingBytes() < MUCH_PENDING_BYTES) {
            unansweredPing = null;
            pong(ping);
        }
        long more =
                room.sent(
                        writtenCostBytes,
                        socket().pendingBytes(),
                        context.budget().hasMuchRoomForResponses(),
                        now());
        if (more > 0) {
            tell(() -> listener.onRoom(more));
        }
    }

    private void deadlinePassed() {
        carrier.carry(0, this::deadlinePassedNow);
    }

    private void deadlinePassedNow() {
        if (state == State.CLOSING) {
            Objects.requireNonNull(owner).cutWebSocket();
        } else if (state == State.ENDING && endTold) {
            closeLast();
        } else if (state == State.ENDING) {
            allTaken();
        } else if (state == State.OPEN) {
            ping();
        }
    }

    /** Asks the client whether it is there, if it can be heard, and takes what it is sent. */
    private void ping() {
        deadline.set(now() + PING_NANOS);
        if (hasUnread() || socket().pendingBytes() > 0) {
            return;
        }
        if (pingsUnanswered == MOST_PINGS_UNANSWERED) {
            Objects.requireNonNull(owner).cutWebSocket();
            return;
        }
        pingsUnanswered++;
        ByteBuffer out = socket().reserve(FrameWriter.MOST_CONTROL_BYTES);
        int start = out.position();
        FrameWriter.ping(out);
        socket().written(out.position() - start);
    }

    private StreamSocket socket() {
        return Objects.requireNonNull(socket);
    }

    private long now() {
        return context.loop().nanoTime();
    }
}
