package dev.handoff.process.dispatch;

import dev.handoff.http.ArrivingContent;
import dev.handoff.http.Body;
import dev.handoff.http.StoredContent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sends one worker the messages of WebSockets, and the content of requests if it is large or comes
 * while they are handled. It sends 64 KiB at a time, and only while the worker reads. So the core
 * holds no more than that of it, and other frames wait for no more. Several uploads take
 * {@linkplain Turns turns}.
 *
 * <p>Stored content takes a turn when its next piece has been read, on another thread. So a disk
 * that does not answer holds up what is stored, and neither other frames nor the loop.
 *
 * <p>A worker that takes no pieces gets the content in the frame of its request. Then nothing else
 * may come between. Belongs to the thread of the pool's loop.
 */
final class Uploads {
    /** The worker's socket, and what depends on it. */
    interface Owner extends Upload.Frames {
        /** How much waits for the worker to read it. */
        long unsentBytes();

        /** Writes a copy of a part of the content that follows within a frame. */
        void writeContent(ByteBuffer piece);

        /**
         * The frame that was fed is complete: others may follow.
         *
         * @param request null if the worker said meanwhile that it does not need it: another one
         *     may have it
         */
        void frameIsWhole(@Nullable WorkerRequest request);

        /** The content cannot be read. */
        void uploadFailed(WorkerRequest request, IOException why);

        /**
         * The rest of a frame cannot be read: nothing can follow what is written of it.
         *
         * @param begun may be another worker's by now
         */
        void frameFailed(WorkerRequest begun, IOException why);

        /** Calls {@link #feed} in the next turn, when others have had their turn. */
        void feedSoon();

        /** Runs something on the loop, from any thread. */
        void onLoop(Runnable action);
    }

    /** So many leave at once, at most. */
    private static final int MOST_FED = 1024;

    private final Owner owner;

    /** By the ids of their requests. */
    private final Map<Long, Upload> uploads = new HashMap<>();

    /** Those that have credit, and something to send. */
    private final Turns turns = new Turns();

    /** Those that have credit, and a piece that is to be read, in the order of their turns. */
    private final Set<Upload.OfStored> unread = new LinkedHashSet<>();

    /**
     * The upload of which a piece is being read, or waits for its turn. It is one at a time: a
     * worker that has many uploads has no more of them in memory.
     */
    private Upload.@Nullable OfStored reading;

    /** The upload whose frame has begun, and is not complete. */
    private Upload.@Nullable OfStored inFrame;

    /** Whether the worker still needs that one. */
    private boolean isInFrameNeeded;

    Uploads(Owner owner) {
        this.owner = owner;
    }

    /** Whether there is nothing that may be sent now. */
    boolean isIdle() {
        return inFrame == null && turns.isEmpty() && unread.isEmpty();
    }

    /** Whether all has been sent. */
    boolean isEmpty() {
        return inFrame == null && uploads.isEmpty();
    }

    /** Whether a frame is incomplete, so that nothing else may be written. */
    boolean isInFrame() {
        return inFrame != null;
    }

    /** Whether the rest of an incomplete frame has yet to be read. */
    boolean awaitsDisk() {
        return inFrame != null && inFrame.isBeingRead();
    }

    /** Sends the content behind its request, in pieces, at first up to the credit. */
    void beginPieces(WorkerRequest request, Body content, long creditBytes) {
        StoredContent stored = content.stored();
        if (stored != null) {
            Upload.OfStored upload =
                    new Upload.OfStored(request, stored, content.sizeBytes(), creditBytes);
            uploads.put(upload.id, upload);
            turnMayHaveCome(upload);
            return;
        }
        Upload.OfContent upload = new Upload.OfContent(request, content, creditBytes);
        ArrivingContent arriving = upload.arriving();
        if (arriving != null) {
            arriving.whenReady(() -> owner.onLoop(() -> contentCame(upload.id)));
        }
        uploads.put(upload.id, upload);
        turnMayHaveCome(upload);
    }

    /**
     * The client of a WebSocket will send messages.
     *
     * @param creditBytes what they may cost at first
     */
    void beginMessages(WorkerRequest request, WorkerWebSocket webSocket, long creditBytes) {
        Upload.OfMessages messages = new Upload.OfMessages(request, webSocket, creditBytes);
        uploads.put(messages.id, messages);
    }

    /** A message of a WebSocket came. */
    void addMessage(long id, boolean text, Body message) {
        if (uploads.get(id) instanceof Upload.OfMessages messages) {
            messages.add(text, message);
            turnMayHaveCome(messages);
        }
    }

    /**
     * The client of a WebSocket is gone: sends what there is credit for at once, and no more. Where
     * the worker does not read, or is in the middle of a frame, which may wait for a disk, what is
     * left is dropped: no budget counts it any more.
     */
    void endMessages(long id) {
        Upload stopped = remove(id);
        if (stopped instanceof Upload.OfMessages messages) {
            while (inFrame == null && messages.maySend() && mayFeed()) {
                messages.send(owner);
            }
        }
    }

    /** More content has come. Does nothing if nobody waits for it any more. */
    private void contentCame(long id) {
        Upload upload = uploads.get(id);
        if (upload != null) {
            turnMayHaveCome(upload);
        }
    }

    private void turnMayHaveCome(Upload upload) {
        if (takesPlace(upload)) {
            owner.feedSoon();
        }
    }

    /** Has it wait for its turn; returns false if it does already, or has none to come. */
    private boolean takesPlace(Upload upload) {
        if (upload.maySend()) {
            return turns.add(upload);
        }
        return upload instanceof Upload.OfStored stored && stored.mayRead() && unread.add(stored);
    }

    /** Sends the stored content within the frame of its request. */
    void beginInFrame(WorkerRequest request, StoredContent content, int sizeBytes) {
        if (!content.retain()) {
            throw new IllegalStateException("the content of a request that waits is gone");
        }
        inFrame = new Upload.OfStored(request, content, sizeBytes, Long.MAX_VALUE);
        isInFrameNeeded = true;
        owner.feedSoon();
    }

    /**
     * The worker takes this many more bytes. Does nothing if the worker has all, or nobody wants
     * its response.
     */
    void grant(long id, long bytes) {
        Upload upload = uploads.get(id);
        if (upload != null) {
            upload.grant(bytes);
            turnMayHaveCome(upload);
        }
    }

    /** The worker needs no more of it. A frame that has begun goes on. */
    void stop(long id) {
        remove(id);
        if (inFrame != null && inFrame.id == id) {
            isInFrameNeeded = false;
        }
    }

    private @Nullable Upload remove(long id) {
        Upload upload = uploads.remove(id);
        if (upload != null) {
            turns.remove(upload);
        }
        if (upload instanceof Upload.OfStored stored) {
            unread.remove(stored);
            stored.drop();
            if (stored == reading) {
                endReading();
            }
        }
        return upload;
    }

    /** The connection is closed. */
    void clear() {
        uploads.clear();
        turns.clear();
        unread.clear();
        if (reading != null) {
            reading.drop();
            reading = null;
        }
        if (inFrame != null) {
            endFrame(inFrame);
        }
    }

    /**
     * Sends some, if the worker has read what was sent before: one large piece, or small ones that
     * leave in one write. Call it again when the worker has read that.
     */
    void feed() {
        Upload.OfStored whole = inFrame;
        if (whole != null) {
            feedFrame(whole);
            return;
        }
        readNext();
        int fed = 0;
        while (fed < MOST_FED && mayFeed() && feedNext()) {
            fed++;
        }
    }

    private boolean mayFeed() {
        return owner.unsentBytes() < Upload.PIECE_BYTES;
    }

    private void feedFrame(Upload.OfStored fed) {
        if (!mayFeed()) {
            return;
        }
        if (fed.mayRead()) {
            fed.read(owner::onLoop, () -> frameWasRead(fed));
            return;
        }
        if (!fed.maySend()) {
            return;
        }
        try {
            owner.writeContent(fed.piece());
            fed.sent();
        } catch (IOException failure) {
            endFrame(fed);
            if (isInFrameNeeded) {
                owner.uploadFailed(fed.request, failure);
            }
            owner.frameFailed(fed.request, failure);
            return;
        }
        if (fed.isOver()) {
            endFrame(fed);
            if (isInFrameNeeded) {
                fed.request.contentSent();
                owner.frameIsWhole(fed.request);
            } else {
                owner.frameIsWhole(null);
            }
        }
    }

    private void frameWasRead(Upload.OfStored fed) {
        if (fed == inFrame) {
            owner.feedSoon();
        } else {
            fed.drop();
        }
    }

    private void endFrame(Upload.OfStored fed) {
        inFrame = null;
        fed.drop();
        fed.content().release();
    }

    /** Begins to read the next piece that is stored, if there is none and the worker reads. */
    private void readNext() {
        if (reading == null && !unread.isEmpty() && mayFeed()) {
            Upload.OfStored next = unread.iterator().next();
            unread.remove(next);
            reading = next;
            next.read(owner::onLoop, () -> wasRead(next));
        }
    }

    private void wasRead(Upload.OfStored upload) {
        if (uploads.get(upload.id) == upload) {
            turnMayHaveCome(upload);
        } else {
            upload.drop();
        }
    }

    private void endReading() {
        reading = null;
        if (!unread.isEmpty()) {
            owner.feedSoon();
        }
    }

    /** Sends the frame whose turn it is; returns false where there is none. */
    private boolean feedNext() {
        Upload next = turns.poll();
        if (next == null) {
            return false;
        }
        long creditBytes = next.creditBytes;
        try {
            boolean more = next.send(owner);
            turns.sent(creditBytes - next.creditBytes);
            if (!more) {
                uploads.remove(next.id);
            } else if (uploads.get(next.id) == next) {
                takesPlace(next);
            }
        } catch (IOException failure) {
            uploads.remove(next.id);
            owner.uploadFailed(next.request, failure);
        }
        if (next == reading) {
            endReading();
        }
        return true;
    }
}
