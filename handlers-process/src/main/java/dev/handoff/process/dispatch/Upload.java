package dev.handoff.process.dispatch;

import dev.handoff.http.ArrivingContent;
import dev.handoff.http.Body;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends to one worker for one request, little by little, as far as the worker's
 * credit goes. Belongs to the thread of the pool's loop.
 */
abstract sealed class Upload {
    /** Where frames are written. */
    interface Frames {
        /** Writes a piece of a request as a frame. */
        void writePiece(long requestId, ByteBuffer piece, boolean more);

        /**
         * Writes a part of the content of a request as a frame.
         *
         * @throws IOException if it cannot be read; then nothing is written
         */
        void writePiece(long requestId, Body content, int from, int bytes, boolean more)
                throws IOException;

        /**
         * Writes a message of a WebSocket.
         *
         * @param from is told that it was {@linkplain WorkerWebSocket#taken taken} when little of
         *     what was written waits
         */
        void writeMessage(Message.WebSocketMessage message, WorkerWebSocket from);
    }

    static final int PIECE_BYTES = 64 * 1024;

    final WorkerRequest request;
    final long id;
    long creditBytes;

    private Upload(WorkerRequest request, long creditBytes) {
        this.request = request;
        this.id = request.id;
        this.creditBytes = creditBytes;
    }

    /** Whether a frame may be sent now. */
    abstract boolean maySend();

    /** How large the next frame is, at most. Ask only where one may be sent. */
    abstract long nextFrameBytes();

    /**
     * Sends a frame.
     *
     * @return whether others follow
     */
    abstract boolean send(Frames frames) throws IOException;

    /** The worker takes this many more bytes. */
    void grant(long bytes) {
        long sum = creditBytes + bytes;
        creditBytes = sum < creditBytes ? Long.MAX_VALUE : sum;
    }

    /** The content of a request. */
    static final class OfContent extends Upload {
        private final Body content;

        /** Null where all of the content is there. */
        private final @Nullable ArrivingContent arriving;

        private int position;

        OfContent(WorkerRequest request, Body content, long creditBytes) {
            super(request, creditBytes);
            this.content = content;
            this.arriving = content.arriving();
        }

        Body content() {
            return content;
        }

        @Nullable ArrivingContent arriving() {
            return arriving;
        }

        /** Whether there is a piece and credit for it. An empty last piece needs no credit. */
        @Override
        boolean maySend() {
            if (arriving == null) {
                return creditBytes > 0;
            }
            if (creditBytes <= 0 && position == 0) {
                // The worker has asked for none of it, so the client is not told to go on either.
                return false;
            }
            return arriving.isReady() && (creditBytes > 0 || arriving.isOver());
        }

        @Override
        long nextFrameBytes() {
            return PIECE_BYTES;
        }

        @Override
        boolean send(Frames frames) throws IOException {
            boolean more =
                    arriving == null
                            ? sendStored(frames)
                            : sendArrived(frames, arriving, arriving.poll(PIECE_BYTES));
            if (!more) {
                request.contentSent();
            }
            return more;
        }

        private boolean sendStored(Frames frames) throws IOException {
            int bytes = nextBytes();
            boolean more = position + bytes < content.sizeBytes();
            frames.writePiece(id, content, position, bytes, more);
            sent(bytes);
            return more;
        }

        private boolean sendArrived(Frames frames, ArrivingContent from, ByteBuffer piece) {
            int bytes = piece.remaining();
            // Asked once: the rest of what arrives may come at any time.
            boolean more = !from.isOver();
            if (bytes > 0 || !more) {
                frames.writePiece(id, piece, more);
            }
            sent(bytes);
            return more;
        }

        /** How much of what is there comes next. */
        int nextBytes() {
            return Math.min(PIECE_BYTES, content.sizeBytes() - position);
        }

        int position() {
            return position;
        }

        void sent(int bytes) {
            position += bytes;
            creditBytes -= bytes;
        }

        /** Whether all that is there was sent. */
        boolean isOver() {
            return position == content.sizeBytes();
        }
    }

    /** The messages of a WebSocket. */
    static final class OfMessages extends Upload {
        private final WorkerWebSocket webSocket;
        private final ArrayDeque<Message.WebSocketMessage> waiting = new ArrayDeque<>(2);

        OfMessages(WorkerRequest request, WorkerWebSocket webSocket, long creditBytes) {
            super(request, creditBytes);
            this.webSocket = webSocket;
        }

        void add(boolean text, Body message) {
            waiting.add(new Message.WebSocketMessage(id, text, message));
        }

        @Override
        boolean maySend() {
            return creditBytes > 0 && !waiting.isEmpty();
        }

        @Override
        long nextFrameBytes() {
            return WorkerWebSocket.costBytes(waiting.element().body());
        }

        @Override
        boolean send(Frames frames) {
            Message.WebSocketMessage message = waiting.remove();
            creditBytes -= WorkerWebSocket.costBytes(message.body());
            frames.writeMessage(message, webSocket);
            return true;
        }
    }
}
