package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.http.EndToEndFields;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseParser;
import dev.handoff.process.protocol.Message;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The response that comes from an HTTP server: what of it was not passed on yet, and whether that
 * waits for the rest. Belongs to the thread of its connection.
 */
final class ComingResponse implements ResponseParser.ContentTaker {
    /** A response of known length comes as a whole if it is not longer. */
    static final int SMALL_BYTES = 64 * 1024;

    private static final byte[] NOTHING = {};

    /** Until it was passed on. */
    private @Nullable Response head;

    /** As the head says it, negative if it does not. */
    private long contentBytes;

    /** Content that was not passed on. */
    private byte[] content = NOTHING;

    private int contentLength;
    private boolean inPieces;
    private boolean unwanted;

    /** Waits for the head of the next response. */
    void expect() {
        head = null;
        contentBytes = 0;
        inPieces = false;
    }

    /** The head has come. */
    void begin(Response found, long length) {
        head = found;
        contentBytes = length;
    }

    /** From now on the content is passed over. */
    void discard() {
        unwanted = true;
    }

    /** Whether its head was passed on, and more follows. */
    boolean isInPieces() {
        return inPieces;
    }

    /** Whether its head waits to be passed on. */
    boolean hasHead() {
        return head != null;
    }

    /** Content that waits to be passed on. */
    int heldBytes() {
        return contentLength;
    }

    /** Whether there is something that need not wait for the rest. */
    boolean mayGo() {
        return inPieces ? contentLength > 0 : head != null && !isSmall();
    }

    @Override
    public void take(byte[] bytes, int from, int to) {
        if (unwanted) {
            return;
        }
        int added = to - from;
        if (added > content.length - contentLength) {
            long wanted = Math.max(contentLength + added, 2L * content.length);
            content =
                    Arrays.copyOf(content, (int) (!inPieces && isSmall() ? contentBytes : wanted));
        }
        System.arraycopy(bytes, from, content, contentLength, added);
        contentLength += added;
    }

    /**
     * Lets go of what has come.
     *
     * @param more whether the rest follows
     * @return as a worker would have sent it
     */
    Message.OfRequest pass(long requestId, boolean more) {
        Body piece = takeContent();
        Response begun = head;
        if (begun == null) {
            return new Message.Data(requestId, more, piece);
        }
        head = null;
        inPieces = more;
        Response whole =
                new Response(
                        begun.status(), begun.reason(), EndToEndFields.of(begun.headers()), piece);
        return new Message.Response(requestId, whole, more);
    }

    private boolean isSmall() {
        return contentBytes >= 0 && contentBytes <= SMALL_BYTES;
    }

    private Body takeContent() {
        byte[] whole =
                contentLength == content.length ? content : Arrays.copyOf(content, contentLength);
        content = NOTHING;
        contentLength = 0;
        return Body.of(whole);
    }
}
