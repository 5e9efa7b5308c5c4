package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.ContentFraming;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseEncoder;
import java.util.ArrayDeque;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A response in pieces, as {@link ConnectionStreams} has it.
 *
 * <pre>
 *     GIVEN --its head is written--> BEGUN --all is written, or it breaks off--> OVER
 *       '------------- it fails, and another response takes its place ----------^
 * </pre>
 *
 * <p>Belongs to the thread of the connection's loop, but for what {@link ResponseStream} says.
 */
final class StreamedResponse implements ResponseStream {
    private enum State {
        GIVEN,
        BEGUN,
        OVER
    }

    /** The exchange of this response. Any thread. */
    interface Owner {
        void add(StreamedResponse stream, Body piece);

        void complete(StreamedResponse stream);

        void breakOff(StreamedResponse stream, Failure failure, StreamEnd why);

        void handlerFailed(StreamedResponse stream, Throwable failure);
    }

    /** The memory of a piece besides its bytes: a handler may give one byte at a time. */
    private static final int PIECE_BYTES = 64;

    private final Owner owner;
    private final LongConsumer onRoom;

    /** The pieces that wait until the responses to earlier requests are written. */
    private final ArrayDeque<Body> waiting = new ArrayDeque<>(2);

    private State state = State.GIVEN;
    private final ContentFraming framing;
    private final int status;
    private long waitingBytes;

    /** The bytes that may still come where the handler gave a length. */
    private long lengthLeft;

    /** Whether the handler has given all. */
    private boolean complete;

    /** Why the rest will not come; null if it may. */
    private @Nullable StreamEnd broken;

    private long begunNanos;
    private long writtenBytes;
    private final RoomTold room = new RoomTold();

    StreamedResponse(Owner owner, Response head, HttpVersion version, LongConsumer onRoom) {
        this.owner = owner;
        this.onRoom = onRoom;
        this.status = head.status();
        this.framing = ResponseEncoder.framingOf(head, version);
        this.lengthLeft = ResponseEncoder.mostContentBytes(head);
    }

    @Override
    public void write(Body piece) {
        if (!piece.isEmpty()) {
            owner.add(this, piece);
        }
    }

    @Override
    public void end() {
        owner.complete(this);
    }

    @Override
    public void fail(Failure failure, StreamEnd why) {
        owner.breakOff(this, failure, why);
    }

    @Override
    public void fail(Throwable failure) {
        owner.handlerFailed(this, failure);
    }

    int status() {
        return status;
    }

    ContentFraming framing() {
        return framing;
    }

    boolean hasBegun() {
        return state == State.BEGUN;
    }

    boolean isOver() {
        return state == State.OVER;
    }

    /** Whether the handler has to give more. */
    boolean awaitsPieces() {
        return state != State.OVER && !complete && broken == null;
    }

    /** Whether there is something to write, which may be that it breaks off. */
    boolean hasOutput() {
        return state == State.GIVEN
                || (state == State.BEGUN && (complete || broken != null || !waiting.isEmpty()));
    }

    /** The memory of a piece that waits. */
    static int memoryOf(Body piece) {
        return PIECE_BYTES + piece.sizeBytes();
    }

    /** The memory of the pieces that are not written. */
    long waitingBytes() {
        return waitingBytes;
    }

    /** Whether something waits to be written, its head or a piece. */
    boolean isWaiting() {
        return state == State.GIVEN || !waiting.isEmpty();
    }

    /** Takes a piece; returns false, and takes nothing, if that is more than the given length. */
    boolean add(Body piece) {
        int bytes = piece.sizeBytes();
        if (bytes > lengthLeft) {
            return false;
        }
        lengthLeft -= bytes;
        waitingBytes += memoryOf(piece);
        waiting.add(piece);
        return true;
    }

    /** All pieces have come. Returns false if that is less than the given length. */
    boolean complete() {
        complete = framing != ContentFraming.LENGTH || lengthLeft == 0;
        return complete;
    }

    void begin(long nowNanos) {
        state = State.BEGUN;
        begunNanos = nowNanos;
        room.begin(nowNanos);
    }

    /** The next piece to be written; null if there is none. */
    @Nullable Body poll() {
        Body piece = waiting.poll();
        if (piece != null) {
            waitingBytes -= memoryOf(piece);
        }
        return piece;
    }

    /** The rest will not come. */
    void breakOff(StreamEnd why) {
        broken = why;
    }

    /** Why it breaks off; null if it does not. */
    @Nullable StreamEnd broken() {
        return broken;
    }

    boolean isComplete() {
        return complete;
    }

    void end(StreamEnd how) {
        broken = how;
        state = State.OVER;
        waiting.clear();
        waitingBytes = 0;
    }

    long writtenBytes() {
        return writtenBytes;
    }

    long begunNanos() {
        return begunNanos;
    }

    /**
     * A piece is written.
     *
     * @param socketBytes all that the socket has been given
     */
    void written(int bytes, long socketBytes) {
        writtenBytes += bytes;
        room.given(bytes, socketBytes);
    }

    /**
     * Tells the handler of the room that the client has made, each time that it is half a window.
     *
     * @param socketBytes how much has left of all that the socket was given
     * @param mayGrow whether there is memory for a larger window
     */
    void sent(long socketBytes, boolean mayGrow, long nowNanos) {
        long more = room.sent(socketBytes, mayGrow, nowNanos);
        if (more > 0) {
            onRoom.accept(more);
        }
    }
}
