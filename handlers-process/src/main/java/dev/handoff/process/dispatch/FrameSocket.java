package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.http.StoredContent;
import dev.handoff.loop.CloseCause;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.protocol.FrameDecoder;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.FrameLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.Peer;
import dev.handoff.process.protocol.ProtocolFault;
import dev.handoff.process.protocol.RequestFrame;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.SharedArrays;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The socket of one worker, in frames. It makes messages of the bytes that come, within the limits
 * of {@link IncompleteFrame}, and bytes of the messages that leave. Belongs to the thread of the
 * pool's loop.
 */
final class FrameSocket
        implements WorkerLink, StreamSocket.Owner, IncompleteFrame.Owner, Uploads.Owner {
    /**
     * A worker that leaves so much unread gets no further request: they wait in the queue, which
     * has a limit of bytes.
     */
    private static final int MOST_UNSENT_BYTES = 256 * 1024;

    /**
     * The workers of a pool share so much that is read in a turn of its loop: else many that send
     * without pause would keep the loop from everybody else.
     */
    private static final int MOST_READ_IN_A_TURN = 1024 * 1024;

    /** Of each worker, however many there are: a few messages. */
    private static final int LEAST_READ_BYTES = 4 * 1024;

    private static final byte[] NOTHING = {};

    /** Of all workers: what passes through is only for moments in them. */
    private static final SharedArrays SPARE_ARRAYS = new SharedArrays();

    private final WorkerLink.Owner owner;
    private final EventLoop loop;
    private final FrameEncoder encoder;
    private final FrameDecoder decoder;
    private final StreamSocket socket;
    private final IncompleteFrame incomplete;
    private final Uploads uploads = new Uploads(this);
    private final IntSupplier workers;

    /** Output that waits until the frame whose content is being sent is complete. */
    private final List<ByteBuffer> behindFrame = new ArrayList<>();

    /** What the worker sent behind its hello, until it was dealt with. */
    private byte[] early;

    private boolean feedsSoon;

    private long heardBytes;

    /**
     * @param early what the worker sent behind its hello
     * @param fromWorker how large the worker's frames may be
     * @param share the pool's share of the room for responses, for large frames
     * @param isWanted whether a client waits for the response with that id
     * @param workers how many there are in the pool
     */
    FrameSocket(
            WorkerLink.Owner owner,
            EventLoop loop,
            SocketChannel channel,
            byte[] early,
            FrameEncoder encoder,
            FrameLimits fromWorker,
            Duration writeTimeout,
            ResponseRoom.Share share,
            LongPredicate isWanted,
            IntSupplier workers)
            throws IOException {
        this.owner = owner;
        this.loop = loop;
        this.early = early;
        this.workers = workers;
        this.encoder = encoder;
        this.decoder = new FrameDecoder(fromWorker, Peer.WORKER, SPARE_ARRAYS);
        this.socket = new StreamSocket(loop, channel, writeTimeout, this);
        this.incomplete = new IncompleteFrame(loop, share, decoder, isWanted, this);
    }

    @Override
    public int mostReadBytes() {
        return mostReadBytes(workers.getAsInt());
    }

    static int mostReadBytes(int workers) {
        int share = MOST_READ_IN_A_TURN / Math.max(1, workers);
        return Math.clamp(share, LEAST_READ_BYTES, StreamSocket.MOST_READ_BYTES);
    }

    @Override
    public void begin() {
        byte[] came = early;
        early = NOTHING;
        if (came.length > 0) {
            onBytes(came, 0, came.length);
        }
    }

    @Override
    public boolean needsConnections() {
        return false;
    }

    @Override
    public boolean takesMore() {
        return unsentBytes() <= MOST_UNSENT_BYTES
                && !incomplete.isHeldBack()
                && !uploads.isInFrame();
    }

    @Override
    public void send(Message message) {
        ByteBuffer bytes = ByteBuffer.wrap(encoder.encode(message));
        if (uploads.isInFrame()) {
            behindFrame.add(bytes);
        } else {
            socket.write(bytes);
        }
    }

    /** If its content is in a file, sends the head and begins to send the content. */
    @Override
    public void send(WorkerRequest request, long timeoutMillis) {
        Body body = request.frame().body();
        StoredContent stored = body.stored();
        writeHead(request, timeoutMillis, false);
        if (stored != null) {
            request.frameEnd = WorkerRequest.FRAME_HAS_NO_END;
            uploads.beginInFrame(request, stored, body.sizeBytes());
            return;
        }
        if (!body.isEmpty()) {
            body.forEachPiece(socket::write);
        }
        request.contentSent();
        request.frameEnd = socket.givenBytes();
    }

    @Override
    public void sendInPieces(WorkerRequest request, long timeoutMillis, long creditBytes) {
        writeHead(request, timeoutMillis, true);
        request.frameEnd = socket.givenBytes();
        uploads.beginPieces(request, request.frame().body(), creditBytes);
    }

    private void writeHead(WorkerRequest request, long timeoutMillis, boolean inPieces) {
        RequestFrame frame = (RequestFrame) request.frame();
        int headBytes = frame.headSizeBytes(request.id, timeoutMillis, inPieces);
        ByteBuffer out = socket.reserve(headBytes);
        frame.writeHead(request.id, timeoutMillis, inPieces, out);
        socket.written(headBytes);
    }

    @Override
    public void grant(long requestId, long bytes) {
        uploads.grant(requestId, bytes);
    }

    @Override
    public void stopUpload(long requestId) {
        uploads.stop(requestId);
    }

    @Override
    public void writePiece(long requestId, ByteBuffer piece, boolean more) {
        socket.write(
                ByteBuffer.wrap(
                        encoder.encodeHead(
                                new Message.Data(requestId, more, Body.EMPTY), piece.remaining())));
        socket.write(piece);
    }

    @Override
    public void writeCopy(long requestId, ByteBuffer piece, boolean more) {
        write(
                encoder.encodeHead(
                        new Message.Data(requestId, more, Body.EMPTY), piece.remaining()),
                piece);
    }

    @Override
    public void writeContent(ByteBuffer piece) {
        write(NOTHING, piece);
    }

    private void write(byte[] head, ByteBuffer piece) {
        int bytes = head.length + piece.remaining();
        socket.reserve(bytes).put(head).put(piece);
        socket.written(bytes);
    }

    @Override
    public void writeMessage(Message.WebSocketMessage message, WorkerWebSocket from) {
        Body body = message.body();
        ByteBuffer head =
                ByteBuffer.wrap(
                        encoder.encodeHead(
                                new Message.WebSocketMessage(
                                        message.id(), message.text(), Body.EMPTY),
                                body.sizeBytes()));
        socket.write(head);
        body.forEachPiece(socket::write);
        // All WebSockets of a worker share its connection, so that one message waits at most.
        from.taken(WorkerWebSocket.costBytes(body));
    }

    @Override
    public void beginMessages(WorkerRequest request, WorkerWebSocket webSocket, long creditBytes) {
        uploads.beginMessages(request, webSocket, creditBytes);
    }

    @Override
    public void addMessage(long requestId, boolean text, Body message) {
        uploads.addMessage(requestId, text, message);
    }

    @Override
    public void endMessages(long requestId) {
        uploads.endMessages(requestId);
    }

    @Override
    public void frameIsWhole(@Nullable WorkerRequest request) {
        if (request != null) {
            request.frameEnd = socket.givenBytes();
        }
        behindFrame.forEach(socket::write);
        behindFrame.clear();
        owner.onRoom();
    }

    @Override
    public void uploadFailed(WorkerRequest request, IOException why) {
        owner.onUploadFailed(request, why);
    }

    @Override
    public void frameFailed(WorkerRequest begun, IOException why) {
        owner.closeAsStuck(
                "the file with the content of " + begun.inWords() + " could not be read: " + why);
    }

    @Override
    public void feedSoon() {
        if (!feedsSoon) {
            feedsSoon = true;
            loop.inNextTurn(() -> {
                feedsSoon = false;
                if (!socket.isClosed()) {
                    uploads.feed();
                }
            });
        }
    }

    @Override
    public void onLoop(Runnable action) {
        loop.tryRun(action);
    }

    /** Whether the whole frame has left. */
    @Override
    public boolean hasReceived(WorkerRequest request) {
        return socket.sentBytes() >= request.frameEnd;
    }

    /** How much waits for the worker to read it. */
    @Override
    public long unsentBytes() {
        return socket.pendingBytes();
    }

    @Override
    public String symptoms() {
        StringBuilder text = new StringBuilder();
        // Bytes that were lost when the socket closed count, too.
        long unread = socket.givenBytes() - socket.sentBytes();
        if (unread > 0) {
            text.append("; it does not read: ").append(unread).append(" bytes for it wait");
        }
        if (uploads.awaitsDisk()) {
            text.append("; the frame for it is unfinished: the disk has not given the rest");
        }
        if (decoder.inFrame()) {
            text.append("; the frame that it sends is unfinished");
        }
        return text.toString();
    }

    @Override
    public boolean isHeldBack() {
        return incomplete.isHeldBack();
    }

    @Override
    public long heldBackNanos() {
        return incomplete.heldBackNanos();
    }

    @Override
    public boolean isInFrame() {
        return decoder.inFrame();
    }

    @Override
    public long heardBytes() {
        return heardBytes;
    }

    @Override
    public void cancelled(long requestId) {
        incomplete.cancelled(requestId);
    }

    @Override
    public void endOutput() {
        socket.endOutput();
    }

    @Override
    public void close() {
        socket.close();
    }

    @Override
    public void closeAtEndOfTurn() {
        loop.atEndOfTurn(socket::close);
    }

    @Override
    public void onBytes(byte[] bytes, int from, int to) {
        heardBytes += to - from;
        if (owner.isHeard()) {
            owner.onLife();
        }
        int next = from;
        while (next < to && owner.isHeard()) {
            Decoded decoded = decoder.decode(bytes, next, to);
            next = decoder.consumedTo();
            switch (decoded) {
                case Decoded.Incomplete notWhole -> {}
                case Decoded.Complete(Message.FromWorker message) -> {
                    owner.onMessage(message);
                    incomplete.frameEnded();
                }
                case Decoded.Complete(Message.FromCore message) ->
                        throw new IllegalStateException("the decoder let pass " + message);
                case Decoded.Refused fault -> owner.onFault(fault);
            }
        }
        if (owner.isHeard()) {
            incomplete.readEnded();
        }
        owner.onReadEnd();
    }

    /** Responses that the worker sent before it went away are as good as any. */
    @Override
    public boolean wantsLastInput() {
        return owner.isHeard() && !incomplete.isHeldBack();
    }

    @Override
    public boolean holdsPeerBack() {
        return incomplete.isHeldBack();
    }

    @Override
    public void onFlushed() {
        if (!uploads.isIdle()) {
            feedSoon();
        }
        owner.onRoom();
    }

    @Override
    public void onEnd() {
        owner.onEnd();
    }

    @Override
    public void onClosed(CloseCause cause) {
        incomplete.close();
        uploads.clear();
        owner.onClosed(cause);
    }

    @Override
    public boolean mayHaveMore() {
        return socket.mayHaveMore();
    }

    @Override
    public void readNow() {
        socket.readNow();
    }

    @Override
    public void pauseReading() {
        socket.pauseReading();
    }

    @Override
    public void resumeReading() {
        if (!socket.isClosed()) {
            owner.onLife();
            socket.resumeReading();
            owner.onRoom();
        }
    }

    @Override
    public boolean keepsOthersWaiting() {
        return owner.keepsOthersWaiting();
    }

    @Override
    public boolean mayCompute() {
        return owner.heldCount() > 1;
    }

    @Override
    public void foundNoRoom(Message message, int bodyBytes) {
        owner.onDropped(message, bodyBytes, false);
    }

    @Override
    public void keptRoomTooLong(Message message, int bodyBytes) {
        owner.onDropped(message, bodyBytes, true);
    }

    @Override
    public void frameLate(String detail) {
        owner.onFault(new Decoded.Refused(ProtocolFault.FRAME_TIMEOUT, detail));
    }
}
