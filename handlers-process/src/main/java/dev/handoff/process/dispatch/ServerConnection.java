package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseParser;
import dev.handoff.http.ResponsePart;
import dev.handoff.http.StoredContent;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.loop.CloseCause;
import dev.handoff.loop.Connector;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import dev.handoff.loop.Timer;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.ResponseStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One connection to an HTTP server. It takes one request after the other, and makes messages of the
 * responses, as a worker would send them: whole where the response is small or comes at once, else
 * in pieces, as far as the client makes room. Belongs to the thread of the pool's loop.
 */
final class ServerConnection
        implements Connector.Owner, StreamSocket.Owner, Uploads.Owner, ServerWebSocket.Owner {
    /** Has the connection, and hears what comes of its request. */
    interface Owner {
        void onLife();

        /** Whether it is the process that was to be reached: somebody else may be there. */
        boolean isReachedBy(SocketChannel connected);

        /** The server said something of the request. It holds it no more unless more follows. */
        void said(ServerConnection connection, Message.OfRequest message);

        /** All that one read brought has been dealt with. */
        void readEnded();

        /**
         * The request has no response, or no more of it. The connection is closed.
         *
         * @param why in words
         */
        void lost(
                ServerConnection connection, WorkerRequest request, LeaveReason reason, String why);

        /** The server does not take connections. The request is not sent. */
        void unreachable(ServerConnection connection, WorkerRequest request, IOException why);

        void uploadFailed(WorkerRequest request, IOException why);

        /** It can take another request. */
        void idle(ServerConnection connection);

        /** It is closed, without a request. */
        void gone(ServerConnection connection);

        /**
         * Whether it may wait until the server has answered the end of a WebSocket.
         *
         * @param bytes that it keeps meanwhile
         */
        boolean mayLinger(long bytes);

        /** It keeps so much more, or less, while it waits for that. */
        void lingers(long moreBytes);
    }

    /** A server that is there takes connections at once. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

    /** The time that a server has to answer the end of a WebSocket. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /** What it takes while it waits for that, with its descriptor, besides its output. */
    private static final long LINGERING_BYTES = 16 * 1024;

    /** What is read at once of content that is much work: others shall not wait for all of it. */
    private static final int LABORIOUS_READ_BYTES = 4 * 1024;

    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int MULTIPLE_CHOICES = 300;
    private static final int NOT_MODIFIED = 304;
    private static final int REQUEST_TIMEOUT = 408;

    /** For {@link WorkerRequest#frameEnd}: nothing of it was given to the socket yet. */
    private static final long NOT_SENT = WorkerRequest.FRAME_HAS_NO_END - 1;

    /** RFC 9110 section 9.2.1: these may be asked twice, where the first was not answered. */
    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private final Owner owner;
    private final EventLoop loop;
    private final Duration writeTimeout;
    private final UnfinishedResponses unfinished;
    private final ComingResponse response = new ComingResponse();
    private final ResponseParser parser = new ResponseParser(response);
    private final Uploads uploads = new Uploads(this);

    /** While it connects. */
    private @Nullable Connector connector;

    /** Once it is connected. */
    private @Nullable StreamSocket socket;

    /** Null while it is idle. */
    private @Nullable WorkerRequest request;

    /** How many requests it has had before. */
    private int served;

    /** When the last response was whole. */
    private long idleSinceNanos;

    /** Of the current request, once that was written. */
    private @Nullable ContentWriter content;

    /** Whether the current request has content. */
    private boolean hasContent;

    /** Whether the server was told that no other request follows it. */
    private boolean isLast;

    /** Whether the status of the response is one of success. */
    private boolean succeeds;

    /** Whether the server may still make content that nobody gets, and read no other request. */
    private boolean mayGoOn;

    /** How much of the response the client has room for. */
    private long creditBytes;

    /** What the connection has become; null while it speaks HTTP. */
    private @Nullable ServerWebSocket webSocket;

    /** Whether nobody wants the response any more, so that only its end is awaited. */
    private boolean abandoned;

    /** Ends what nobody wants, if the server does not. */
    private @Nullable Timer endsBy;

    /** What it keeps until the server has answered the end of a WebSocket. */
    private long lingeringBytes;

    /** What it counts for among the unfinished ones. */
    private long countedBytes;

    private boolean feedsSoon;
    private boolean closed;

    /** Begins to connect. */
    ServerConnection(
            Owner owner,
            EventLoop loop,
            SocketAddress server,
            Duration writeTimeout,
            UnfinishedResponses unfinished) {
        this.owner = owner;
        this.loop = loop;
        this.writeTimeout = writeTimeout;
        this.unfinished = unfinished;
        this.connector = new Connector(loop, server, CONNECT_TIMEOUT, this);
    }

    /** Null while it is idle. */
    @Nullable WorkerRequest request() {
        return request;
    }

    /** Whether it has a WebSocket, or a response in pieces. */
    boolean lasts() {
        return webSocket != null || response.isInPieces();
    }

    /** When it became idle. */
    long idleSinceNanos() {
        return idleSinceNanos;
    }

    /** Sends a request, as soon as it is connected. It must be idle. */
    void begin(WorkerRequest asked) {
        request = asked;
        asked.frameEnd = NOT_SENT;
        response.expect();
        creditBytes = ResponseStream.FIRST_ROOM_BYTES;
        StreamSocket connected = socket;
        if (connected != null) {
            write(asked, connected);
        }
    }

    @Override
    public void connected(SocketChannel channel) {
        connector = null;
        StreamSocket connected;
        try {
            if (!owner.isReachedBy(channel)) {
                channel.close();
                failed(new IOException("its process has ended, or another listens there"));
                return;
            }
            connected = new StreamSocket(loop, channel, writeTimeout, this);
        } catch (IOException failure) {
            failed(failure);
            return;
        }
        socket = connected;
        WorkerRequest waiting = request;
        if (waiting == null) {
            idleSinceNanos = loop.nanoTime();
            owner.idle(this);
        } else {
            write(waiting, connected);
        }
    }

    @Override
    public void failed(IOException why) {
        connector = null;
        closed = true;
        WorkerRequest waiting = request;
        request = null;
        if (waiting != null) {
            owner.unreachable(this, waiting, why);
        } else {
            owner.gone(this);
        }
    }

    private void write(WorkerRequest asked, StreamSocket to) {
        HttpRequest encoded = (HttpRequest) asked.frame();
        content = new ContentWriter(to, encoded.isChunked());
        hasContent = encoded.hasContent();
        isLast = encoded.isLast();
        parser.expect(asked.method.equals("HEAD"), asked.asksForWebSocket);
        to.write(ByteBuffer.wrap(encoded.head()));
        asked.frameEnd = to.givenBytes();
        Body body = encoded.body();
        StoredContent stored = body.stored();
        if (body.arriving() != null) {
            uploads.beginPieces(asked, body, Long.MAX_VALUE);
        } else if (stored != null) {
            uploads.beginInFrame(asked, stored, body.sizeBytes());
        } else {
            if (!body.isEmpty()) {
                body.forEachPiece(to::write);
            }
            asked.contentSent();
        }
    }

    /** Whether so much of its request has left that the server may have begun with it. */
    boolean hasReceived(WorkerRequest asked) {
        return socket != null && socket.sentBytes() >= asked.frameEnd;
    }

    /** Sends no more of the content of its request. */
    void stopUpload() {
        uploads.clear();
    }

    /** The client has room for this many more bytes of the response, or of messages. */
    void grant(long bytes) {
        if (webSocket != null) {
            webSocket.grant(bytes);
            return;
        }
        creditBytes += bytes;
        if (creditBytes > 0 && socket != null) {
            socket.resumeReading();
        }
    }

    /**
     * Nobody wants the response any more. The server is told, and may answer that.
     *
     * @param mostNanos how long it may take for that
     */
    void abandon(long mostNanos) {
        abandoned = true;
        response.discard();
        uploads.clear();
        StreamSocket connected = socket;
        if (connector != null) {
            connector.cancel();
        }
        boolean isMuchUnsent = connected != null && connected.pendingBytes() > Upload.PIECE_BYTES;
        if (connected == null || response.isInPieces() || isMuchUnsent) {
            // Whoever sends without end notices nothing but a connection that is closed. And what
            // waits for the server counts no more, as its client is gone.
            loop.inNextTurn(this::endAbandoned);
            return;
        }
        connected.endOutput();
        connected.resumeReading();
        endsBy = loop.scheduleAfter(mostNanos, this::endAbandoned);
    }

    private void endAbandoned() {
        WorkerRequest asked = request;
        if (closed || asked == null) {
            return;
        }
        close();
        owner.said(this, new Message.Failure(asked.id, "it was cancelled", false));
        owner.readEnded();
    }

    /** Counts what it holds now among the unfinished ones. */
    private void count(long bytes) {
        unfinished.change(bytes - countedBytes);
        countedBytes = bytes;
    }

    /** Closes at once. Whoever does that knows what becomes of the request. */
    void close() {
        closed = true;
        request = null;
        count(0);
        endLingering();
        if (endsBy != null) {
            endsBy.cancel();
        }
        if (connector != null) {
            connector.cancel();
        }
        if (socket != null) {
            socket.close();
        }
    }

    @Override
    public int mostReadBytes() {
        boolean isMuchWork =
                webSocket == null ? parser.hasSmallChunks() : webSocket.hasSmallFrames();
        return isMuchWork ? LABORIOUS_READ_BYTES : StreamSocket.Owner.super.mostReadBytes();
    }

    @Override
    public void onBytes(byte[] bytes, int from, int to) {
        if (request == null) {
            // It says that it closes, or makes no sense: either way it is of no use any more.
            closeIdle();
            return;
        }
        owner.onLife();
        if (abandoned) {
            passOver(bytes, from, to);
            return;
        }
        if (webSocket != null) {
            webSocket.onBytes(bytes, from, to);
            owner.readEnded();
            return;
        }
        int next = from;
        boolean more = true;
        while (more && !closed && request != null) {
            ResponsePart part = parser.parse(bytes, next, to);
            next = parser.consumedTo();
            switch (part) {
                case ResponsePart.Incomplete incomplete -> more = false;
                case ResponsePart.Head(Response found, long length)
                        when found.status() == SWITCHING_PROTOCOLS -> {
                    more = false;
                    becomeWebSocket(found, bytes, next, to);
                }
                case ResponsePart.Head(Response found, long length)
                        when found.status() == REQUEST_TIMEOUT && served > 0 -> {
                    more = false;
                    loseAsIdle();
                }
                case ResponsePart.Head(Response found, long length) -> {
                    succeeds = found.status() >= OK && found.status() < MULTIPLE_CHOICES;
                    mayGoOn = mayGoOnBehind(found);
                    response.begin(found, length);
                }
                case ResponsePart.End(boolean persistent) -> end(persistent && next == to);
                case ResponsePart.Refused(String why) -> lose(LeaveReason.PROTOCOL_FAULT, why);
            }
        }
        if (!closed && request != null) {
            makeRoom();
        }
        owner.readEnded();
    }

    /** Passes on what may go in pieces. Of the rest no more is held than all may hold together. */
    private void makeRoom() {
        if (response.mayGo()) {
            pass(true);
        }
        boolean awaitsHead = !response.hasHead() && !response.isInPieces();
        // Fields take several times the memory of their bytes.
        count(awaitsHead ? 4L * parser.headBytes() : response.heldBytes());
        if (!unfinished.areTooMany()) {
            return;
        }
        if (response.hasHead()) {
            pass(true);
            count(0);
        } else if (awaitsHead) {
            lose(
                    LeaveReason.PROTOCOL_FAULT,
                    "its head is not whole, and all such heads fill the room that they have (--max-buffered)");
        }
    }

    /** Reads a response that nobody wants, for its end. */
    private void passOver(byte[] bytes, int from, int to) {
        int next = from;
        while (!closed) {
            ResponsePart part = parser.parse(bytes, next, to);
            next = parser.consumedTo();
            if (part instanceof ResponsePart.Incomplete) {
                return;
            }
            boolean goesOn =
                    part instanceof ResponsePart.Head(Response found, long length)
                            && found.status() != SWITCHING_PROTOCOLS
                            && length >= 0
                            && length <= ComingResponse.SMALL_BYTES;
            if (!goesOn) {
                endAbandoned();
            }
        }
    }

    private void becomeWebSocket(Response found, byte[] bytes, int from, int to) {
        WorkerRequest asked = request;
        StreamSocket connected = socket;
        if (asked == null || connected == null) {
            return;
        }
        String wrong = WebSocketAnswer.faultOf(asked.exchange().request(), found.headers());
        if (wrong != null) {
            lose(LeaveReason.PROTOCOL_FAULT, wrong);
            return;
        }
        ServerWebSocket begun = new ServerWebSocket(asked.id, loop, connected, this);
        webSocket = begun;
        owner.said(
                this,
                new Message.Response(
                        asked.id,
                        new Response(
                                found.status(),
                                null,
                                WebSocketAnswer.fieldsOf(found.headers()),
                                Body.EMPTY),
                        true));
        if (!closed) {
            begun.onBytes(bytes, from, to);
        }
    }

    /** The client will send messages. */
    void beginMessages(WorkerRequest asked, WorkerWebSocket client) {
        uploads.beginMessages(asked, client, Long.MAX_VALUE);
    }

    void addMessage(long requestId, boolean text, Body message) {
        uploads.addMessage(requestId, text, message);
    }

    void endMessages(long requestId) {
        uploads.endMessages(requestId);
    }

    /**
     * Ends the WebSocket, and the connection when the server has answered that. Where the core has
     * closed it for want of memory, messages that the server has not read are dropped with it.
     */
    void closeWebSocket(int code, String reason) {
        request = null;
        uploads.clear();
        StreamSocket connected = socket;
        if (webSocket == null || connected == null) {
            close();
            return;
        }
        boolean isCrowdedOut = code == CloseCode.TRY_AGAIN_LATER && webSocket.hasUnsent();
        long bytes = LINGERING_BYTES + connected.pendingBytes();
        if (isCrowdedOut || !owner.mayLinger(bytes)) {
            close();
            return;
        }
        lingeringBytes = bytes;
        owner.lingers(bytes);
        webSocket.close(code, reason);
        connected.resumeReading();
        endsBy = loop.scheduleAfter(CLOSE_TIMEOUT.toNanos(), this::close);
    }

    private void endLingering() {
        owner.lingers(-lingeringBytes);
        lingeringBytes = 0;
    }

    @Override
    public void cameFromServer(Message.WebSocketMessage fragment) {
        owner.said(this, fragment);
    }

    @Override
    public void closedByServer(int code, String reason) {
        WorkerRequest asked = request;
        if (asked != null) {
            owner.said(this, new Message.Close(asked.id, code, reason));
            closeWebSocket(code, reason);
        }
    }

    @Override
    public void brokenByServer(String why) {
        lose(LeaveReason.PROTOCOL_FAULT, why);
    }

    @Override
    public void readEnded() {
        owner.readEnded();
    }

    /** Passes on what has come. */
    private void pass(boolean more) {
        WorkerRequest asked = request;
        if (asked == null) {
            return;
        }
        if (more) {
            creditBytes -= response.heldBytes();
            if (creditBytes <= 0 && socket != null) {
                socket.pauseReading();
            }
        }
        owner.said(this, response.pass(asked.id, more));
    }

    /**
     * Whether the server has read the content of a request, as far as that can be known. What it
     * leaves is the beginning of its next request, so a client could write that. Who reads none
     * answers mostly with an error, or a request for which content means nothing.
     */
    private boolean isContentRead() {
        return !hasContent || (succeeds && !isLast);
    }

    /**
     * The response is whole. Who refuses a WebSocket may have taken the connection from what reads
     * requests, as Node's {@code upgrade} event does, so it is of no further use.
     */
    private void end(boolean persistent) {
        WorkerRequest asked = request;
        StreamSocket connected = socket;
        if (asked == null || connected == null) {
            return;
        }
        boolean isSent = uploads.isEmpty() && connected.pendingBytes() == 0;
        pass(false);
        if (closed) {
            return;
        }
        count(0);
        request = null;
        uploads.clear();
        if (persistent && isSent && isContentRead() && !mayGoOn && !asked.asksForWebSocket) {
            served++;
            connected.resumeReading();
            idleSinceNanos = loop.nanoTime();
            owner.idle(this);
        } else {
            closeIdle();
        }
    }

    /** HEAD has the head of a stream without an end answered, and that stream goes on. */
    private boolean mayGoOnBehind(Response head) {
        WorkerRequest asked = request;
        return asked != null
                && asked.method.equals("HEAD")
                && head.status() != NO_CONTENT
                && head.status() != NOT_MODIFIED
                && head.headers().first("content-length") == null;
    }

    private void closeIdle() {
        close();
        owner.gone(this);
    }

    /** The server has waited too long for a request, and did not know that one was on its way. */
    private void loseAsIdle() {
        WorkerRequest asked = request;
        if (asked != null) {
            if (SAFE.contains(asked.method)) {
                asked.noteLossBehindIdle();
            }
            lose(LeaveReason.CLOSED, "it closed the connection, on which it had waited too long");
        }
    }

    /** The request gets no response, or no more of it. */
    private void lose(LeaveReason reason, String why) {
        WorkerRequest asked = request;
        if (asked == null || closed) {
            return;
        }
        if (served > 0 && !parser.hasBegun() && SAFE.contains(asked.method)) {
            asked.noteLossBehindIdle();
        }
        owner.lost(this, asked, reason, why);
        close();
    }

    @Override
    public void onEnd() {
        if (request == null) {
            closeIdle();
            return;
        }
        if (abandoned) {
            endAbandoned();
            return;
        }
        if (webSocket != null) {
            lose(LeaveReason.CLOSED, "it ended the connection of a WebSocket");
            owner.readEnded();
            return;
        }
        switch (parser.inputEnded()) {
            case ResponsePart.End end -> end(false);
            case ResponsePart.Refused(String why) -> lose(LeaveReason.CLOSED, why);
            default -> throw new IllegalStateException("neither an end nor a fault");
        }
        owner.readEnded();
    }

    @Override
    public boolean wantsLastInput() {
        return webSocket == null ? request != null && creditBytes > 0 : webSocket.mayRead();
    }

    /** It may be unable to take more of a request because we do not read its response. */
    @Override
    public boolean holdsPeerBack() {
        return webSocket == null ? creditBytes <= 0 : webSocket.holdsServerBack();
    }

    @Override
    public void onFlushed() {
        if (!uploads.isIdle()) {
            feedSoon();
        }
        if (webSocket != null) {
            webSocket.flushed();
        }
    }

    @Override
    public void onClosed(CloseCause cause) {
        uploads.clear();
        if (closed) {
            return;
        }
        if (request == null) {
            close();
            owner.gone(this);
            return;
        }
        if (abandoned) {
            endAbandoned();
            return;
        }
        switch (cause) {
            case WRITE_TIMEOUT ->
                    lose(
                            LeaveReason.CLOSED,
                            "it took less than 64 KiB of the request in "
                                    + writeTimeout.toSeconds()
                                    + " s");
            case LOOP_STOPPED -> lose(LeaveReason.STOPPED, "the core stops");
            // Servers are asked without TLS.
            case LOCAL, FAILED, RESET, TLS_FAILED, TLS_TIMEOUT ->
                    lose(LeaveReason.CLOSED, "it reset the connection before it had responded");
        }
        owner.readEnded();
    }

    @Override
    public long unsentBytes() {
        return socket == null ? 0 : socket.pendingBytes();
    }

    @Override
    public void writePiece(long requestId, ByteBuffer piece, boolean more) {
        if (content != null) {
            content.write(piece, more);
        }
    }

    @Override
    public void writeCopy(long requestId, ByteBuffer piece, boolean more) {
        throw new IllegalStateException("content that is there is not sent in pieces");
    }

    @Override
    public void writeContent(ByteBuffer piece) {
        if (content != null) {
            content.writeCopy(piece);
        }
    }

    @Override
    public void writeMessage(Message.WebSocketMessage message, WorkerWebSocket from) {
        if (webSocket != null) {
            webSocket.write(message, from);
        }
    }

    @Override
    public void frameIsWhole(@Nullable WorkerRequest whole) {}

    @Override
    public void uploadFailed(WorkerRequest failed, IOException why) {
        owner.uploadFailed(failed, why);
    }

    /** The connection ends with its request. */
    @Override
    public void frameFailed(WorkerRequest begun, IOException why) {}

    @Override
    public void feedSoon() {
        if (!feedsSoon) {
            feedsSoon = true;
            loop.inNextTurn(() -> {
                feedsSoon = false;
                if (!closed) {
                    uploads.feed();
                }
            });
        }
    }

    @Override
    public void onLoop(Runnable action) {
        loop.tryRun(action);
    }
}
