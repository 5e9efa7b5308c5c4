package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.websocket.DeflateOffer;
import dev.handoff.http.websocket.FrameWriter;
import dev.handoff.loop.StreamSocket;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What leaves by a WebSocket: writes frames to the connection's socket, compressed where the client
 * can, and knows how far the handler may be ahead of the client. Belongs to the loop's thread.
 */
final class WebSocketOutput {
    /** While so much waits to leave, only the latest ping is answered (RFC 6455 section 5.5.3). */
    private static final long MUCH_PENDING_BYTES = 64 * 1024;

    /** Up to here a message goes into the buffer of its head, to leave in the same write. */
    private static final int COPY_BYTES = 16 * 1024;

    private final LoopContext context;
    private final StreamSocket socket;
    private final @Nullable DeflateOffer compression;
    private final RoomTold room = new RoomTold();

    /** The ping that is to be answered when there is room. */
    private @Nullable Body unansweredPing;

    /** Whether fragments of a message have left, and more of it are to come. */
    private boolean inMessage;

    /** Whether the latest message is compressed, and how much of it has come. */
    private boolean isCompressed;

    private long unfinishedBytes;

    private long messages;
    private long messageBytes;

    /**
     * @param compression what was agreed on; null for none
     */
    WebSocketOutput(LoopContext context, StreamSocket socket, @Nullable DeflateOffer compression) {
        this.context = context;
        this.socket = socket;
        this.compression = compression;
        room.begin(context.loop().nanoTime());
    }

    /**
     * Writes a message, or a fragment of one.
     *
     * @return the bytes of that message up to here
     */
    long message(boolean text, Body fragment, boolean last) {
        boolean first = !inMessage;
        Body compressed = compressed(fragment, last);
        if (first) {
            isCompressed = compressed != null;
            unfinishedBytes = 0;
        }
        write(text, compressed == null ? fragment : compressed, first, last);
        room.given(fragment.sizeBytes() + (long) WebSocket.MESSAGE_COST_BYTES, socket.givenBytes());
        inMessage = !last;
        unfinishedBytes += fragment.sizeBytes();
        messageBytes += fragment.sizeBytes();
        messages += last ? 1 : 0;
        return unfinishedBytes;
    }

    /** The first fragment decides for all of its message. */
    private @Nullable Body compressed(Body fragment, boolean last) {
        if (compression == null || (inMessage && !isCompressed)) {
            return null;
        }
        int windowBytes = compression.windowBytes();
        return inMessage
                ? context.compression().compressMore(fragment, windowBytes, last)
                : context.compression().compress(fragment, windowBytes, last);
    }

    private void write(boolean text, Body payload, boolean first, boolean last) {
        int payloadBytes = payload.sizeBytes();
        boolean together = payloadBytes <= COPY_BYTES;
        ByteBuffer out =
                socket.reserve(FrameWriter.MOST_HEAD_BYTES + (together ? payloadBytes : 0));
        int start = out.position();
        if (first) {
            FrameWriter.messageHead(text, isCompressed, payloadBytes, last, out);
        } else {
            FrameWriter.continuationHead(payloadBytes, last, out);
        }
        if (together) {
            payload.copyTo(out);
        }
        socket.written(out.position() - start);
        if (!together) {
            payload.forEachPiece(socket::write);
        }
    }

    void close(int code, String reason) {
        ByteBuffer out = socket.reserve(FrameWriter.MOST_CONTROL_BYTES);
        int start = out.position();
        FrameWriter.close(code, reason, out);
        socket.written(out.position() - start);
    }

    void ping() {
        ByteBuffer out = socket.reserve(FrameWriter.MOST_CONTROL_BYTES);
        int start = out.position();
        FrameWriter.ping(out);
        socket.written(out.position() - start);
    }

    /** Answers a ping, later where much waits to leave. */
    void answer(Body ping) {
        if (socket.pendingBytes() < MUCH_PENDING_BYTES) {
            pong(ping);
        } else {
            unansweredPing = ping;
        }
    }

    private void pong(Body payload) {
        ByteBuffer out = socket.reserve(FrameWriter.MOST_CONTROL_BYTES);
        int start = out.position();
        FrameWriter.pong(payload, out);
        socket.written(out.position() - start);
    }

    /**
     * Some output has left.
     *
     * @return what the handler has to be told that there is room for again; 0 for nothing
     */
    long sent() {
        Body ping = unansweredPing;
        if (ping != null && socket.pendingBytes() < MUCH_PENDING_BYTES) {
            unansweredPing = null;
            pong(ping);
        }
        return room.sent(
                socket.sentBytes(),
                context.budget().hasMuchRoomForResponses(),
                context.loop().nanoTime());
    }

    /** Whether the client has yet to take some of it. */
    boolean isPending() {
        return socket.pendingBytes() > 0;
    }

    long messages() {
        return messages;
    }

    /** The bytes of all messages, before they were compressed. */
    long messageBytes() {
        return messageBytes;
    }
}
