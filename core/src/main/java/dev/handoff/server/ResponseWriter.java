package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseEncoder;
import dev.handoff.loop.StreamSocket;
import java.nio.ByteBuffer;

/** The one place where responses become bytes of a socket. */
final class ResponseWriter {
    /** Up to here the body goes into the buffer of the head, to leave in the same write. */
    private static final int COPY_BODY_BYTES = 16 * 1024;

    private ResponseWriter() {}

    /**
     * @param head whether it answers a HEAD request
     * @param close whether the server closes the connection afterwards
     * @param echoKeepAlive whether an HTTP/1.0 client has to be told that it stays open
     * @return the number of bytes of content
     */
    static int write(
            Response response,
            boolean head,
            boolean close,
            boolean echoKeepAlive,
            byte[] date,
            StreamSocket socket) {
        Body body =
                ResponseEncoder.hasContent(head, response.status()) ? response.body() : Body.EMPTY;
        boolean together = body.sizeBytes() <= COPY_BODY_BYTES;
        int room = ResponseEncoder.headBoundBytes(response) + (together ? body.sizeBytes() : 0);
        ByteBuffer out = socket.reserve(room);
        int start = out.position();
        ResponseEncoder.encodeHead(response, head, close, echoKeepAlive, date, out);
        if (together) {
            body.copyTo(out);
        }
        socket.written(out.position() - start);
        if (!together) {
            body.forEachPiece(socket::write);
        }
        return body.sizeBytes();
    }
}
