package dev.handoff.process.dispatch;

import dev.handoff.http.ArrivingContent;
import dev.handoff.http.Body;
import dev.handoff.http.SpareArrays;
import dev.handoff.http.StoredContent;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.SharedArrays;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends to one worker for one request, little by little, as far as the worker's
 * credit goes. Belongs to the thread of the pool's loop.
 */
abstract sealed class Upload {
    /** Where frames are written. */
    interface Frames {
        /**
         * Writes a piece of a request as a frame.
         *
         * @param piece must not change afterwards
         */
        void writePiece(long requestId, ByteBuffer piece, boolean more);

        /** Does the same with a copy of the piece. */
        void writeCopy(long requestId, ByteBuffer piece, boolean more);

        /**
         * Writes a message of a WebSocket.
         *
         * @param from is told that it was {@linkplain WorkerWebSocket#taken taken} when little of
         *     what was written waits
         */
        void writeMessage(Message.WebSocketMessage message, WorkerWebSocket from);
    }

    static final int PIECE_BYTES = SpareArrays.ARRAY_BYTES;

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
     * @throws IOException if its content cannot be read; then nothing is written
     */
    abstract boolean send(Frames frames) throws IOException;

    /** The worker takes this many more bytes. */
    void grant(long bytes) {
        long sum = creditBytes + bytes;
        creditBytes = sum < creditBytes ? Long.MAX_VALUE : sum;
    }

    /** The content of a request, in memory or on its way. */
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
        boolean send(Frames frames) {
            boolean more =
                    arriving == null
                            ? sendWhatIsThere(frames)
                            : sendArrived(frames, arriving, arriving.poll(PIECE_BYTES));
            if (!more) {
                request.contentSent();
            }
            return more;
        }

        private boolean sendWhatIsThere(Frames frames) {
            int bytes = Math.min(PIECE_BYTES, content.sizeBytes() - position);
            boolean more = position + bytes < content.sizeBytes();
            frames.writeCopy(id, content.asBuffer().slice(position, bytes), more);
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

        private void sent(int bytes) {
            position += bytes;
            creditBytes -= bytes;
        }
    }

    /** The content of a request that is stored. It is read on another thread, piece by piece. */
    static final class OfStored extends Upload {
        /** Of all uploads: a piece is only for moments in one of them. */
        private static final SharedArrays ARRAYS = new SharedArrays();

        private final StoredContent content;
        private final int sizeBytes;

        /** How much was sent. */
        private int position;

        /** Whether the next piece is being read. */
        private boolean beingRead;

        /** The array with the next piece, once that is read and until it is sent. */
        private byte @Nullable [] piece;

        private int pieceBytes;

        /** Why the next piece cannot be read. */
        private @Nullable IOException failure;

        OfStored(WorkerRequest request, StoredContent content, int sizeBytes, long creditBytes) {
            super(request, creditBytes);
            this.content = content;
            this.sizeBytes = sizeBytes;
        }

        StoredContent content() {
            return content;
        }

        /** Whether the next piece is to be read, and there is credit for it. */
        boolean mayRead() {
            return !beingRead && !maySend() && creditBytes > 0;
        }

        /**
         * Begins to read the next piece.
         *
         * @param loop runs things on the loop
         * @param whenOver is called on the loop
         */
        void read(Executor loop, Runnable whenOver) {
            beingRead = true;
            content.readAside(
                    position,
                    Math.min(PIECE_BYTES, sizeBytes - position),
                    ARRAYS,
                    new StoredContent.Reader() {
                        @Override
                        public void read(byte[] array, int length) {
                            loop.execute(() -> {
                                piece = array;
                                pieceBytes = length;
                                beingRead = false;
                                whenOver.run();
                            });
                        }

                        @Override
                        public void failed(IOException why) {
                            loop.execute(() -> {
                                failure = why;
                                beingRead = false;
                                whenOver.run();
                            });
                        }
                    });
        }

        boolean isBeingRead() {
            return beingRead;
        }

        /** Whether a piece has been read, or cannot be. It was only read with credit for it. */
        @Override
        boolean maySend() {
            return piece != null || failure != null;
        }

        @Override
        long nextFrameBytes() {
            return PIECE_BYTES;
        }

        @Override
        boolean send(Frames frames) throws IOException {
            ByteBuffer next = piece();
            boolean more = position + next.remaining() < sizeBytes;
            frames.writeCopy(id, next, more);
            sent();
            if (!more) {
                request.contentSent();
            }
            return more;
        }

        /**
         * The piece that was read.
         *
         * @throws IOException if it cannot be
         */
        ByteBuffer piece() throws IOException {
            if (failure != null) {
                throw failure;
            }
            return ByteBuffer.wrap(Objects.requireNonNull(piece), 0, pieceBytes);
        }

        /** The piece was sent. */
        void sent() {
            position += pieceBytes;
            creditBytes -= pieceBytes;
            drop();
        }

        /** Lets go of the piece that was read, if there is one. */
        void drop() {
            if (piece != null) {
                ARRAYS.giveBack(piece);
                piece = null;
            }
        }

        /** Whether all was sent. */
        boolean isOver() {
            return position == sizeBytes;
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
