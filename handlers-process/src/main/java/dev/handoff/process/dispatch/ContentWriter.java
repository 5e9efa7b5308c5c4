package dev.handoff.process.dispatch;

import dev.handoff.loop.StreamSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes the content of one request to an HTTP server, in the framing that its head has announced.
 * Belongs to the thread of its connection.
 */
final class ContentWriter {
    private static final byte[] CRLF = {'\r', '\n'};
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final StreamSocket socket;

    /** RFC 9112 section 7.1. */
    private final boolean chunked;

    ContentWriter(StreamSocket socket, boolean chunked) {
        this.socket = socket;
        this.chunked = chunked;
    }

    void write(ByteBuffer piece, boolean more) {
        int bytes = piece.remaining();
        // A chunk of no bytes would be the last one.
        if (bytes > 0 && chunked) {
            String size = Integer.toHexString(bytes) + "\r\n";
            socket.write(ByteBuffer.wrap(size.getBytes(StandardCharsets.US_ASCII)));
            socket.write(piece);
            socket.write(ByteBuffer.wrap(CRLF));
        } else if (bytes > 0) {
            socket.write(piece);
        }
        if (chunked && !more) {
            socket.write(ByteBuffer.wrap(LAST_CHUNK));
        }
    }

    /** Writes a copy of a part of content whose length the head has told. */
    void writeCopy(ByteBuffer piece) {
        int bytes = piece.remaining();
        socket.reserve(bytes).put(piece);
        socket.written(bytes);
    }
}
