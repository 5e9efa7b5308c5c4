package dev.handoff.launcher.check;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.SafeText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** What a worker has sent about one request. For the thread of its conversation. */
final class Answer {
    /** More of a body is counted, and of messages dropped: a worker may send without an end. */
    static final int MOST_KEPT_BYTES = 2 * 1024 * 1024;

    private final long id;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final Deque<Message.WebSocketMessage> messages = new ArrayDeque<>();
    private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();
    private boolean unfinishedIsText;
    private long messagesBytes;
    private long bodyBytes;
    private int fragments;

    private @Nullable Response head;
    private String headJson = "";
    private Message.@Nullable Failure failure;
    private Message.@Nullable Close close;
    private boolean begun;
    private boolean over;
    private long creditBytes;
    private long uploadCreditBytes;
    private int withoutCredit;

    /**
     * @param creditBytes how much of a response in pieces may come
     * @param uploadCreditBytes how much of a request in pieces may be sent
     */
    Answer(long id, long creditBytes, long uploadCreditBytes) {
        this.id = id;
        this.creditBytes = creditBytes;
        this.uploadCreditBytes = uploadCreditBytes;
    }

    void take(Message.OfRequest said, String json) {
        switch (said) {
            case Message.Response response -> {
                head = withoutBody(response.response());
                headJson = json;
                begun = response.more();
                addPiece(response.response().body().toArray(), response.more());
            }
            case Message.Data data -> addPiece(data.body().toArray(), true);
            case Message.WebSocketMessage message -> {
                charge(message.body().sizeBytes() + Message.MESSAGE_COST_BYTES);
                takePart(message);
            }
            case Message.Failure failed -> failure = failed;
            case Message.Close closed -> close = closed;
        }
        over = !said.more();
    }

    private void takePart(Message.WebSocketMessage part) {
        // The first fragment says what the message is.
        unfinishedIsText = unfinished.size() == 0 ? part.text() : unfinishedIsText;
        keep(part.body().toArray(), unfinished);
        if (part.unfinished()) {
            fragments++;
            return;
        }
        Body whole = Body.of(unfinished.toByteArray());
        unfinished.reset();
        long cost = (long) whole.sizeBytes() + Message.MESSAGE_COST_BYTES;
        if (messages.isEmpty() || messagesBytes + cost <= MOST_KEPT_BYTES) {
            messagesBytes += cost;
            messages.add(new Message.WebSocketMessage(id, unfinishedIsText, whole));
        }
    }

    private static Response withoutBody(Response response) {
        return new Response(response.status(), response.reason(), response.headers(), Body.EMPTY);
    }

    private static void keep(byte[] bytes, ByteArrayOutputStream kept) {
        kept.write(bytes, 0, Math.min(bytes.length, MOST_KEPT_BYTES - kept.size()));
    }

    private void addPiece(byte[] piece, boolean costs) {
        keep(piece, body);
        bodyBytes += piece.length;
        if (costs && piece.length > 0) {
            charge(piece.length);
        }
    }

    private void charge(long bytes) {
        if (creditBytes <= 0) {
            withoutCredit++;
        }
        creditBytes -= bytes;
    }

    long id() {
        return id;
    }

    /** Whether the worker has said all that it has to say. */
    boolean isOver() {
        return over;
    }

    /** Whether it takes a place in the window. */
    boolean isInWindow() {
        return !over && !begun;
    }

    /** Whether the response comes in pieces, and not all have come. */
    boolean isStreaming() {
        return begun && !over;
    }

    /** Null where the worker could not answer. */
    @Nullable Response head() {
        return head;
    }

    /** Whether it came in pieces. */
    boolean wasStreamed() {
        return begun;
    }

    String headJson() {
        return headJson;
    }

    Headers headers() {
        return head == null ? Headers.EMPTY : head.headers();
    }

    Message.@Nullable Failure failure() {
        return failure;
    }

    Message.@Nullable Close close() {
        return close;
    }

    /** The beginning of it, where it is too large for us. */
    byte[] body() {
        return body.toByteArray();
    }

    long bodyBytes() {
        return bodyBytes;
    }

    /** Whether a whole message of the WebSocket has come that was not taken yet. */
    boolean hasMessage() {
        return !messages.isEmpty();
    }

    /** The oldest of them, joined where it came in fragments, or null. */
    Message.@Nullable WebSocketMessage takeMessage() {
        Message.WebSocketMessage oldest = messages.poll();
        if (oldest != null) {
            messagesBytes -= (long) oldest.body().sizeBytes() + Message.MESSAGE_COST_BYTES;
        }
        return oldest;
    }

    /** How many fragments came that were not the last of their message. */
    int fragments() {
        return fragments;
    }

    long creditBytes() {
        return creditBytes;
    }

    void grant(long bytes) {
        creditBytes += bytes;
    }

    /** How many pieces or messages came while the credit was used up. */
    int withoutCredit() {
        return withoutCredit;
    }

    long uploadCreditBytes() {
        return uploadCreditBytes;
    }

    void uploadGranted(long bytes) {
        uploadCreditBytes = Math.min(Message.MAX_ID, uploadCreditBytes + bytes);
    }

    void uploaded(long bytes) {
        uploadCreditBytes -= bytes;
    }

    /** In a few words. */
    String inWords() {
        if (failure != null) {
            return "a failure: " + SafeText.of(Transcript.shortened(failure.message()));
        }
        return head == null
                ? "nothing"
                : "status " + head.status() + " with a body of " + bodyBytes + " bytes";
    }

    String bodyText() {
        return body.toString(StandardCharsets.UTF_8);
    }
}
