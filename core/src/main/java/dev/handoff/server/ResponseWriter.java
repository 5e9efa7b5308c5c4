package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.ContentFraming;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseEncoder;
import dev.handoff.loop.StreamSocket;
import java.nio.ByteBuffer;

/**
 * Writes to the socket of one connection: the one place where responses become its bytes. Belongs
 * to the loop's thread.
 */
final class ResponseWriter {
    /** Up to here the body goes into the buffer of the head, to leave in the same write. */
    private static final int COPY_BODY_BYTES = 16 * 1024;

    private final LoopContext context;
    private final StreamSocket socket;

    ResponseWriter(LoopContext context, StreamSocket socket) {
        this.context = context;
        this.socket = socket;
    }

    /**
     * Writes a whole response.
     *
     * @param head whether it is the response to a HEAD request
     * @param close whether the server closes the connection afterwards
     * @param echoKeepAlive whether an HTTP/1.0 client has to be told that it stays open
     * @return the number of bytes of content
     */
    int writeWhole(Response response, boolean head, boolean close, boolean echoKeepAlive) {
        Body body =
                ResponseEncoder.hasContent(head, response.status()) ? response.body() : Body.EMPTY;
        boolean together = body.sizeBytes() <= COPY_BODY_BYTES;
        int room = ResponseEncoder.headBoundBytes(response) + (together ? body.sizeBytes() : 0);
        ByteBuffer out = socket.reserve(room);
        int start = out.position();
        ResponseEncoder.encodeHead(response, head, close, echoKeepAlive, context.date(), out);
        if (together) {
            body.copyTo(out);
        }
        socket.written(out.position() - start);
        if (!together) {
            body.forEachPiece(socket::write);
        }
        return body.sizeBytes();
    }

    /** Writes the head of a response in pieces; the parameters are as in {@link #writeWhole}. */
    void writeHead(Response head, ContentFraming framing, boolean close, boolean echoKeepAlive) {
        ByteBuffer out = socket.reserve(ResponseEncoder.headBoundBytes(head));
        int start = out.position();
        ResponseEncoder.encodeHead(head, framing, close, echoKeepAlive, context.date(), out);
        socket.written(out.position() - start);
        if (framing == ContentFraming.CLOSE) {
            // A part of it would look whole.
            socket.resetUnlessEnded();
        }
    }

    /** Writes a 101 (Switching Protocols). */
    void writeSwitch(Response head) {
        ByteBuffer out = socket.reserve(ResponseEncoder.headBoundBytes(head));
        int start = out.position();
        ResponseEncoder.encodeSwitch(head, context.date(), out);
        socket.written(out.position() - start);
    }

    /** Writes a piece, which is not empty, and which nobody may look at afterwards. */
    void writePiece(Body piece, ContentFraming framing) {
        if (framing == ContentFraming.CHUNKED) {
            ByteBuffer out = socket.reserve(ResponseEncoder.CHUNK_HEAD_BYTES);
            int start = out.position();
            ResponseEncoder.beginChunk(piece.sizeBytes(), out);
            socket.written(out.position() - start);
            writeContent(piece);
            socket.write(ResponseEncoder.endOfChunk());
        } else {
            writeContent(piece);
        }
    }

    /** To copy what is lent costs less than another array for what comes next. */
    private void writeContent(Body piece) {
        if (piece.isLent()) {
            piece.copyTo(socket.reserve(piece.sizeBytes()));
            socket.written(piece.sizeBytes());
            piece.giveBack();
        } else {
            piece.forEachPiece(socket::write);
        }
    }

    /** Writes what tells the client that all pieces have come. */
    void writeEnd(ContentFraming framing) {
        if (framing == ContentFraming.CHUNKED) {
            socket.write(ResponseEncoder.lastChunk());
        }
    }
}
