package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.http.websocket.Utf8Check;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Failure;
import dev.handoff.server.StreamEnd;
import dev.handoff.server.WebSocket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket that a worker has: how much more of it may come. Belongs to the thread of the pool's
 * loop.
 */
final class WorkerWebSocket implements BegunResponse {
    private final long begunNanos;

    /** Null where the client was gone when the worker accepted. */
    private @Nullable WebSocket client;

    private long creditBytes = WebSocket.FIRST_ROOM_BYTES;
    private long cameBytes;

    /** Whether the worker has sent only fragments of the message that it sends. */
    private boolean inMessage;

    /** Judges the text of that message; null if it is binary. */
    private @Nullable Utf8Check unfinishedText;

    /** Whether a message was lost, so that no other may follow. */
    private boolean broken;

    /** Whether the pool has closed it: then the client's end is no news. */
    private boolean closed;

    WorkerWebSocket(long nowNanos) {
        this.begunNanos = nowNanos;
    }

    /** The worker's client, which may be gone by now. */
    void connect(WebSocket newClient) {
        client = newClient;
    }

    /** What a message costs of the credit, in both directions. */
    static long costBytes(Body message) {
        return (long) message.sizeBytes() + WebSocket.MESSAGE_COST_BYTES;
    }

    @Override
    public long begunNanos() {
        return begunNanos;
    }

    @Override
    public long cameBytes() {
        return cameBytes;
    }

    /** Whether there is credit for another message, of any size. */
    boolean mayCome() {
        return creditBytes > 0 && !broken;
    }

    /** There was no room for a message, which comes without its bytes. */
    void messageLost() {
        broken = true;
    }

    /** Whether the message is binary, or its text is UTF-8 as far as it has come. Ask it once. */
    boolean isTextRight(Message.WebSocketMessage message) {
        boolean text = inMessage ? unfinishedText != null : message.text();
        if (!text) {
            return true;
        }
        Utf8Check check = unfinishedText == null ? new Utf8Check() : unfinishedText;
        unfinishedText = message.unfinished() ? check : null;
        return check.add(message.body()) && (message.unfinished() || check.isComplete());
    }

    /** Passes a message on, or a fragment of one. */
    void write(Message.WebSocketMessage message) {
        inMessage = message.unfinished();
        creditBytes -= costBytes(message.body());
        cameBytes += message.body().sizeBytes();
        if (client != null) {
            client.send(message.text(), message.body(), !message.unfinished());
        }
    }

    /** The worker was given messages that cost so much. */
    void taken(long costBytes) {
        if (client != null) {
            client.taken(costBytes);
        }
    }

    @Override
    public void grant(long bytes) {
        creditBytes += bytes;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether a worker may close with that; 0 is no code. */
    static boolean mayClose(int code, String reason) {
        return code == 0
                || (CloseCode.mayBeSent(code)
                        && reason.getBytes(StandardCharsets.UTF_8).length
                                <= CloseCode.LONGEST_REASON_BYTES);
    }

    /** The worker closes. */
    void close(int code, String reason) {
        closeClient(code == 0 ? CloseCode.NORMAL : code, code == 0 ? "" : reason);
    }

    @Override
    public void fail(Failure failure, StreamEnd why) {
        closeClient(codeOf(failure, why), failure.code());
    }

    private void closeClient(int code, String reason) {
        closed = true;
        if (client != null) {
            client.close(code, reason);
        }
    }

    private static int codeOf(Failure failure, StreamEnd why) {
        if (why == StreamEnd.DRAINED) {
            return CloseCode.GOING_AWAY;
        }
        if (failure.equals(PoolFailures.WORKER_LOST)) {
            return CloseCode.SERVICE_RESTART;
        }
        if (failure.equals(PoolFailures.SLOW_CLIENT)) {
            return CloseCode.POLICY;
        }
        return failure.status() == 503 ? CloseCode.TRY_AGAIN_LATER : CloseCode.INTERNAL_ERROR;
    }
}
