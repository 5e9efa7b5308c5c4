package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.http.websocket.FrameWriter;
import dev.handoff.http.websocket.ServerFrameReader;
import dev.handoff.http.websocket.WebSocketFault;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.WebSocket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The WebSocket that a connection to an HTTP server has become. It makes frames of messages and
 * messages of frames, these as far as the client makes room. Belongs to the thread of the pool's
 * loop.
 */
final class ServerWebSocket implements ServerFrameReader.Sink {
    /** The connection, which hears what the server sends. */
    interface Owner {
        void cameFromServer(Message.WebSocketMessage fragment);

        /** The server has closed it. */
        void closedByServer(int code, String reason);

        /** The server broke a rule. */
        void brokenByServer(String why);

        /** All that was read at once has been dealt with. */
        void readEnded();
    }

    private static final SecureRandom MASKS = new SecureRandom();
    private static final byte[] NOTHING = {};

    /** So many frames are read in a turn of the loop: small ones are much work for few bytes. */
    static final int FRAMES_AT_ONCE = 16;

    /** While so much waits for the server, it gets no more pongs. */
    private static final int MUCH_PENDING_BYTES = 16 * 1024;

    private final long id;
    private final EventLoop loop;
    private final StreamSocket socket;
    private final Owner owner;
    private final ServerFrameReader reader = new ServerFrameReader(this);

    /** How much the client has room for. */
    private long creditBytes = WebSocket.FIRST_ROOM_BYTES;

    /** What came when there was no room any more, or behind the frames of a turn. */
    private byte[] unread = NOTHING;

    /** Where it begins. */
    private int unreadFrom;

    /** Whether all that was read last could be used at once. */
    private boolean readsWhole;

    /** Whether it is read in the next turn. */
    private boolean goesOn;

    /** The last ping that came while the server took nothing, which is answered when it does. */
    private @Nullable Body unansweredPing;

    /** The client that has sent messages; null before the first. */
    private @Nullable WorkerWebSocket messagesFrom;

    /**
     * What its messages cost that wait for the server to read them. Until then they count as the
     * client's, since each WebSocket has a connection of its own.
     */
    private long unsentCostBytes;

    /** Whether it is over, from either side. */
    private boolean over;

    /**
     * @param id of the request that has become it
     */
    ServerWebSocket(long id, EventLoop loop, StreamSocket socket, Owner owner) {
        this.id = id;
        this.loop = loop;
        this.socket = socket;
        this.owner = owner;
    }

    void onBytes(byte[] bytes, int from, int to) {
        int next = read(bytes, from, to);
        readsWhole = next == to;
        if (!over && (next < to || creditBytes <= 0)) {
            unread = Arrays.copyOfRange(bytes, next, to);
            unreadFrom = 0;
            socket.pauseReading();
            goOnSoon();
        }
    }

    /** Whether what comes next may be read: nothing that came before waits. */
    boolean mayRead() {
        return !over && creditBytes > 0 && unread.length == 0;
    }

    /**
     * Whether little should be read at once: not all that came last could be used. What then waits
     * for the client, or for a turn, is not counted.
     */
    boolean hasSmallFrames() {
        return !readsWhole;
    }

    /** The client has room for so much more. */
    void grant(long bytes) {
        creditBytes += bytes;
        goOnSoon();
    }

    private int read(byte[] bytes, int from, int to) {
        int next = from;
        for (int frames = 0; frames < FRAMES_AT_ONCE; frames++) {
            if (next == to || creditBytes <= 0 || over) {
                break;
            }
            next = reader.read(bytes, next, to);
        }
        return next;
    }

    private void goOnSoon() {
        if (!goesOn && creditBytes > 0) {
            goesOn = true;
            loop.inNextTurn(this::goOn);
        }
    }

    private void goOn() {
        goesOn = false;
        if (over || socket.isClosed()) {
            return;
        }
        unreadFrom = read(unread, unreadFrom, unread.length);
        if (!over && unreadFrom < unread.length) {
            goOnSoon();
        } else if (!over && creditBytes > 0) {
            unread = NOTHING;
            unreadFrom = 0;
            socket.resumeReading();
        }
        owner.readEnded();
    }

    /** Whether the server may be unable to take more because it is not read. */
    boolean holdsServerBack() {
        return creditBytes <= 0;
    }

    /**
     * @param from is told when the server has read the message
     */
    void write(Message.WebSocketMessage message, WorkerWebSocket from) {
        Body body = message.body();
        int most = FrameWriter.MOST_HEAD_BYTES + FrameWriter.MASK_BYTES + body.sizeBytes();
        ByteBuffer out = socket.reserve(most);
        int start = out.position();
        FrameWriter.maskedMessage(message.text(), body, MASKS.nextInt(), out);
        socket.written(out.position() - start);
        messagesFrom = from;
        unsentCostBytes += WorkerWebSocket.costBytes(body);
    }

    /** Whether messages wait for the server to read them. */
    boolean hasUnsent() {
        return unsentCostBytes > 0;
    }

    /** Ends it. A code that may not be sent counts as none. */
    void close(int code, String reason) {
        if (over) {
            return;
        }
        over = true;
        writeClose(CloseCode.mayBeSent(code) ? code : CloseCode.NONE, reason);
        socket.endOutput();
    }

    private void writeClose(int code, String reason) {
        ByteBuffer out = socket.reserve(FrameWriter.MOST_CONTROL_BYTES + FrameWriter.MASK_BYTES);
        int start = out.position();
        FrameWriter.maskedClose(code, reason, MASKS.nextInt(), out);
        socket.written(out.position() - start);
    }

    @Override
    public void onFragment(boolean text, Body content, boolean last) {
        creditBytes -= WorkerWebSocket.costBytes(content);
        owner.cameFromServer(new Message.WebSocketMessage(id, text, !last, content));
    }

    /** RFC 6455 section 5.5.3: to answer the last of several pings is enough. */
    @Override
    public void onPing(Body payload) {
        if (socket.pendingBytes() < MUCH_PENDING_BYTES) {
            pong(payload);
        } else {
            unansweredPing = payload;
        }
    }

    /** All output has left. */
    void flushed() {
        if (messagesFrom != null && unsentCostBytes > 0) {
            long sent = unsentCostBytes;
            unsentCostBytes = 0;
            messagesFrom.taken(sent);
        }
        Body ping = unansweredPing;
        if (ping != null && !over) {
            unansweredPing = null;
            pong(ping);
        }
    }

    private void pong(Body payload) {
        ByteBuffer out = socket.reserve(FrameWriter.MOST_CONTROL_BYTES + FrameWriter.MASK_BYTES);
        int start = out.position();
        FrameWriter.maskedPong(payload, MASKS.nextInt(), out);
        socket.written(out.position() - start);
    }

    @Override
    public void onClose(int code, String reason) {
        close(code, "");
        owner.closedByServer(code == CloseCode.NONE ? 0 : code, reason);
    }

    @Override
    public void onFault(WebSocketFault fault) {
        close(fault.code(), "");
        owner.brokenByServer("it sent on its WebSocket " + fault.text());
    }
}
