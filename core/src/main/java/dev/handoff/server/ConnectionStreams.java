package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.ContentFraming;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseEncoder;
import dev.handoff.http.ResponseFault;
import dev.handoff.loop.StreamSocket;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Has the responses in pieces of one connection. It takes heads and pieces from handlers, holds
 * them to the rules, and writes the one whose turn it is. Belongs to the loop's thread.
 */
final class ConnectionStreams implements PendingExchange.Streams {
    /** The pipeline that the exchanges stand in. */
    interface Owner {
        /** Whether the connection is closed. */
        boolean isOver();

        /** Whether no response has to leave before that one. */
        boolean isNext(PendingExchange exchange);

        /** Gives a whole response in the place of one in pieces, of which nothing has left. */
        void replaceStream(PendingExchange exchange, Response response);

        /** Counts what a response holds that may have to wait for others. */
        void count(PendingExchange exchange, Response response);

        /** Tells the handler that nobody waits for more. */
        void abandon(PendingExchange exchange, Abandonment reason);
    }

    /**
     * So many are under way at once; the one that is to leave next may begin in any case. Requests
     * start in parallel before anybody knows that the first response may have no end, and each that
     * waits behind it keeps a place of its worker.
     */
    static final int MOST_AT_ONCE = 4;

    private static final ErrorMessage PIPELINED =
            new ErrorMessage(
                    429,
                    "pipelined_streams",
                    "This connection has too many responses in pieces under way.");

    private final LoopContext context;
    private final StreamSocket socket;
    private final ResponseWriter writer;
    private final Owner owner;

    /** How many exchanges have begun a response in pieces. */
    private int count;

    /** The response that is being written; null if there is none. */
    private @Nullable StreamedResponse writing;

    private long waitingBytes;

    ConnectionStreams(
            LoopContext context, StreamSocket socket, ResponseWriter writer, Owner owner) {
        this.context = context;
        this.socket = socket;
        this.writer = writer;
        this.owner = owner;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** The memory of the pieces that are not written. */
    long waitingBytes() {
        return waitingBytes;
    }

    /** The response of which a part has been written; null if there is none. */
    @Nullable StreamedResponse writing() {
        return writing;
    }

    @Override
    public void begin(PendingExchange exchange, Response head, StreamedResponse stream) {
        if (owner.isOver() || exchange.isDone()) {
            stream.end(StreamEnd.CLIENT_GONE);
            context.listener().onDroppedResponse(exchange);
            return;
        }
        ResponseFault fault = ResponseFault.of(head);
        if (fault != null) {
            context.listener().onBadResponse(exchange, fault);
            replace(exchange, stream, Failure.BAD_RESPONSE.response(exchange.errorForm()));
            owner.abandon(exchange, Abandonment.BAD_RESPONSE);
        } else if (!ResponseEncoder.hasContent(exchange.isHead(), head.status())) {
            replace(exchange, stream, withoutContent(head));
            owner.abandon(exchange, Abandonment.NO_CONTENT);
        } else if (count >= MOST_AT_ONCE && !owner.isNext(exchange)) {
            replace(exchange, stream, PIPELINED.response(exchange.errorForm()));
            owner.abandon(exchange, Abandonment.NO_CONTENT);
        } else {
            Response withoutContent = withoutContent(head);
            exchange.stream(withoutContent, stream);
            owner.count(exchange, withoutContent);
            count++;
            exchange.moveDeadline(nextPieceDueNanos());
            add(exchange, stream, head.body());
        }
    }

    private static Response withoutContent(Response head) {
        return new Response(head.status(), head.reason(), head.headers(), Body.EMPTY);
    }

    @Override
    public void add(PendingExchange exchange, StreamedResponse stream, Body piece) {
        if (!stream.awaitsPieces() || piece.isEmpty()) {
            return;
        }
        if (stream.add(piece)) {
            waitingBytes += StreamedResponse.memoryOf(piece);
            exchange.moveDeadline(nextPieceDueNanos());
        } else {
            breakRule(exchange, stream, ResponseFault.CONTENT_TOO_LONG);
        }
    }

    @Override
    public void complete(PendingExchange exchange, StreamedResponse stream) {
        if (stream.awaitsPieces() && !stream.complete()) {
            breakRule(exchange, stream, ResponseFault.CONTENT_TOO_SHORT);
        }
    }

    @Override
    public void breakOff(
            PendingExchange exchange, StreamedResponse stream, Failure failure, StreamEnd why) {
        if (stream.awaitsPieces()) {
            breakOffNow(exchange, stream, failure, why);
        }
    }

    @Override
    public void handlerFailed(
            PendingExchange exchange, StreamedResponse stream, Throwable failure) {
        if (stream.awaitsPieces()) {
            context.listener().onHandlerFailed(exchange, failure);
            breakOffNow(exchange, stream, Failure.HANDLER_FAILED, StreamEnd.FAILED);
        }
    }

    private void breakRule(PendingExchange exchange, StreamedResponse stream, ResponseFault fault) {
        context.listener().onBadResponse(exchange, fault);
        breakOffNow(exchange, stream, Failure.BAD_RESPONSE, StreamEnd.BAD_LENGTH);
        owner.abandon(exchange, Abandonment.BAD_RESPONSE);
    }

    private void breakOffNow(
            PendingExchange exchange, StreamedResponse stream, Failure failure, StreamEnd how) {
        if (stream.hasBegun()) {
            stream.breakOff(how);
        } else {
            count--;
            replace(exchange, stream, failure.response(exchange.errorForm()));
        }
    }

    private void replace(PendingExchange exchange, StreamedResponse stream, Response response) {
        end(stream, StreamEnd.FAILED);
        owner.replaceStream(exchange, response);
    }

    /**
     * The next piece has not come in time. Breaks the response off if that is its handler's fault.
     */
    void expire(PendingExchange exchange, StreamedResponse stream) {
        if (stream.isWaiting() || socket.pendingBytes() > 0) {
            exchange.moveDeadline(nextPieceDueNanos());
        } else {
            stream.breakOff(StreamEnd.IDLE);
            owner.abandon(exchange, Abandonment.STREAM_IDLE);
        }
    }

    private long nextPieceDueNanos() {
        return context.loop().nanoTime() + context.limits().streamIdleTimeout().toNanos();
    }

    /** Writes the pieces that have come, with the head if that has not left. */
    void write(PendingExchange exchange, StreamedResponse stream, boolean close) {
        if (!stream.hasBegun()) {
            Response head = Objects.requireNonNull(exchange.response());
            writer.writeHead(
                    context.withId(exchange.requestId(), head),
                    stream.framing(),
                    close,
                    exchange.isHttp10() && !close);
            stream.begin(context.loop().nanoTime());
            writing = stream;
            context.listener().onStreamBegun(exchange, head.status());
        }
        for (Body piece = stream.poll(); piece != null; piece = stream.poll()) {
            int bytes = piece.sizeBytes();
            waitingBytes -= StreamedResponse.memoryOf(piece);
            writer.writePiece(piece, stream.framing());
            stream.written(bytes, socket.givenBytes());
        }
        if (stream.isComplete()) {
            writer.writeEnd(stream.framing());
        }
    }

    /**
     * Whether the response that is being written is chunked, so that the departure probe may write
     * between its chunks.
     */
    boolean isWritingChunks() {
        return writing != null && writing.framing() == ContentFraming.CHUNKED;
    }

    /** Some output has left: the handler may give more. */
    void sent() {
        if (writing != null) {
            writing.sent(
                    socket.sentBytes(),
                    context.budget().hasMuchRoomForResponses(),
                    context.loop().nanoTime());
        }
    }

    /** The response that was being written is over. */
    void writingEnded(PendingExchange exchange, StreamedResponse stream, StreamEnd how) {
        writing = null;
        count--;
        end(stream, how);
        context.listener()
                .onStreamEnded(
                        exchange,
                        stream.status(),
                        stream.writtenBytes(),
                        context.loop().nanoTime() - stream.begunNanos(),
                        how);
    }

    /** Nothing of the response has been written, and nothing will be. */
    void dropped(StreamedResponse stream, Abandonment reason) {
        count--;
        end(stream, StreamEnd.of(reason));
    }

    private void end(StreamedResponse stream, StreamEnd how) {
        waitingBytes -= stream.waitingBytes();
        stream.end(how);
    }
}
