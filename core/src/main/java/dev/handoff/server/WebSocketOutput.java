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

    void message(boolean text, Body message) {
        messages++;
        messageBytes += message.sizeBytes();
        DeflateOffer agreed = compression;
        Body compressed =
                agreed == null
                        ? null
                        : context.compression().compress(message, agreed.windowBytes());
        Body payload = compressed == null ? message : compressed;
        int payloadBytes = payload.sizeBytes();
        boolean together = payloadBytes <= COPY_BYTES;
        ByteBuffer out =
                socket.reserve(FrameWriter.MOST_HEAD_BYTES + (together ? payloadBytes : 0));
        int start = out.position();
        FrameWriter.messageHead(text, compressed != null, payloadBytes, out);
        if (together) {
            payload.copyTo(out);
        }
        socket.written(out.position() - start);
        if (!together) {
            payload.forEachPiece(socket::write);
        }
        room.given(message.sizeBytes() + (long) WebSocket.MESSAGE_COST_BYTES, socket.givenBytes());
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
