package dev.handoff.server.files;

import dev.handoff.http.Body;
import dev.handoff.http.Response;
import dev.handoff.http.SpareArrays;
import dev.handoff.server.Exchange;
import dev.handoff.server.Failure;
import dev.handoff.server.ResponseStream;
import dev.handoff.server.StreamEnd;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Sends content that is too large for one piece: reads the next as the client takes the last. So a
 * client holds a window of it in memory, however large the file is and however slow the client.
 *
 * <p>Runs on one of the {@link FileThreads} at a time. The loop tells it of room, and that nobody
 * wants the rest.
 */
final class FileSender implements Runnable {
    /** So many pieces are read before others have their turn. */
    private static final int PIECES_AT_ONCE = 8;

    /** Less room than that is waited for to grow, unless it is enough for the rest. */
    private static final int LEAST_PIECE_BYTES = 16 * 1024;

    private static final Failure CHANGED =
            new Failure(500, "file_changed", "The file became shorter while it was sent.", 0);

    private static final Failure NO_THREAD =
            new Failure(
                    503, "files_busy", "No thread is left to read the file; try again later.", 1);

    private final Content content;
    private final FileThreads threads;
    private final SpareArrays arrays;
    private final ResponseStream stream;

    /** Guarded by this, as all below. */
    private long roomBytes = ResponseStream.FIRST_ROOM_BYTES;

    /** Whether a thread reads, or is about to. */
    private boolean running = true;

    private boolean over;

    /** Begins the response; {@link #run} has to follow. The file is open until it is over. */
    FileSender(
            Exchange exchange,
            Response head,
            Content content,
            FileThreads threads,
            SpareArrays arrays) {
        this.content = content;
        this.threads = threads;
        this.arrays = arrays;
        this.stream = exchange.stream(head, this::roomCame);
    }

    private void roomCame(long bytes) {
        synchronized (this) {
            roomBytes += bytes;
            if (running || over || isTight()) {
                return;
            }
            running = true;
        }
        goOn();
    }

    private void goOn() {
        if (!threads.goOn(this)) {
            stream.fail(NO_THREAD, StreamEnd.FAILED);
            end();
        }
    }

    /**
     * Nobody wants the rest. A thread closes the file: the loop must not wait while the system
     * frees it, where it is large and was deleted.
     */
    void abandon() {
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            if (running) {
                return;
            }
            running = true;
        }
        goOn();
    }

    @Override
    public void run() {
        try {
            for (int i = 0; i < PIECES_AT_ONCE; i++) {
                int bytes = nextBytes();
                if (bytes == 0) {
                    return;
                }
                if (!send(bytes)) {
                    end();
                    return;
                }
            }
        } catch (IOException | RuntimeException failure) {
            stream.fail(failure);
            end();
            return;
        }
        goOn();
    }

    /** How much is read next; 0 for nothing now. */
    private int nextBytes() {
        synchronized (this) {
            if (!over && !isTight()) {
                long most = Math.min(roomBytes, SpareArrays.ARRAY_BYTES);
                int bytes = (int) Math.min(most, content.leftBytes());
                roomBytes -= bytes;
                return bytes;
            }
            running = false;
            if (!over) {
                return 0;
            }
        }
        close();
        return 0;
    }

    private boolean isTight() {
        return roomBytes < Math.min(LEAST_PIECE_BYTES, content.leftBytes());
    }

    /** Returns whether there is more. */
    private boolean send(int bytes) throws IOException {
        boolean full = bytes == SpareArrays.ARRAY_BYTES;
        byte[] piece = full ? arrays.take() : new byte[bytes];
        if (!content.read(ByteBuffer.wrap(piece))) {
            stream.fail(CHANGED, StreamEnd.FAILED);
            return false;
        }
        stream.write(full ? Body.lent(piece, arrays) : Body.of(piece));
        if (content.leftBytes() == 0) {
            stream.end();
            return false;
        }
        return true;
    }

    private void end() {
        synchronized (this) {
            over = true;
            running = false;
        }
        close();
    }

    private void close() {
        threads.release();
        try {
            content.close();
        } catch (IOException unimportant) {
            // It was only read, so nothing is lost.
        }
    }
}
