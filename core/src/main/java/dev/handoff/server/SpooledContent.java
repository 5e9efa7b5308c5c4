package dev.handoff.server;

import dev.handoff.http.ContentStore;
import dev.handoff.http.SpareArrays;
import dev.handoff.http.StoredContent;
import dev.handoff.loop.EventLoop;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The content of one request in a file of the {@link Spool}: what is added on the loop of its
 * connection is written on the spool's thread. Loops have it read on threads of the spool, too.
 */
final class SpooledContent implements ContentStore.Storing, StoredContent, Spool.Waiting {
    /** A connection that waits for the disk is read again from here on. */
    private static final int FEW_UNWRITTEN_BYTES = Spool.MOST_UNWRITTEN_BYTES / 2;

    /** A connection is not read while so much is not written, and requests take much memory. */
    private static final int MOST_WHILE_TIGHT_BYTES = 64 * 1024;

    /** Stands for the number of holders when the content was given up. It never gets to 0. */
    private static final int GIVEN_UP = Integer.MIN_VALUE / 2;

    private final Spool spool;
    private final BufferBudget budget;
    private final EventLoop loop;
    private final Runnable whenItChanges;
    private final AtomicInteger holders = new AtomicInteger(1);
    private final AtomicLong unwrittenBytes = new AtomicLong();

    /**
     * What waits for the thread that writes, which may be long where the disk is slow. So it is
     * here, and the thread has no more than one note of it: when nobody wants the content any more,
     * it is free at once. Guarded by itself, as the next two.
     */
    private final ArrayDeque<ByteBuffer> unwritten = new ArrayDeque<>(2);

    /** Stands in the queue of the thread that writes; null if none does. */
    private Spool.@Nullable Task note;

    /** Whether that thread has had anything of it. */
    private boolean reached;

    /** Null before the first byte is written. Set by the thread that writes. */
    private volatile @Nullable FileChannel file;

    /** Whether it has found no room. Belongs to the thread that writes, as the next. */
    private boolean parked;

    /** How far the file is written. */
    private long endBytes;

    /** The same, for others. */
    private volatile long writtenBytes;

    private volatile boolean finished;
    private volatile boolean failed;

    SpooledContent(Spool spool, BufferBudget budget, EventLoop loop, Runnable whenItChanges) {
        this.spool = spool;
        this.budget = budget;
        this.loop = loop;
        this.whenItChanges = whenItChanges;
    }

    @Override
    public byte[] room() {
        return spool.room();
    }

    @Override
    public void add(byte[] bytes, int length) {
        unwrittenBytes.addAndGet(length);
        synchronized (unwritten) {
            unwritten.add(ByteBuffer.wrap(bytes, 0, length));
            if (note == null) {
                note = spool.execute(this::writeWaiting);
            }
        }
    }

    @Override
    public int unstoredBytes() {
        return (int) unwrittenBytes.get();
    }

    @Override
    public boolean isFull() {
        int unwritten = unstoredBytes();
        if (budget.isFullForRequests()) {
            // Content that is being written makes room, so nobody need be refused for it.
            return unwritten > 0;
        }
        return unwritten
                >= (budget.isTightForRequests()
                        ? MOST_WHILE_TIGHT_BYTES
                        : Spool.MOST_UNWRITTEN_BYTES);
    }

    @Override
    public StoredContent finish() {
        finished = true;
        return this;
    }

    @Override
    public void discard() {
        release();
    }

    /** The bytes in the file, while more is to come. */
    long incompleteBytes() {
        return finished ? 0 : writtenBytes;
    }

    /** Whether there is no room for it, or it cannot be written. */
    boolean hasFailed() {
        return failed;
    }

    @Override
    public boolean isComplete() {
        return finished && !failed && unwrittenBytes.get() == 0;
    }

    @Override
    public void read(long position, ByteBuffer target) throws IOException {
        if (holders.get() < 0) {
            throw new IOException(
                    "the response began before it was read, and large requests need its space");
        }
        FileChannel from = file;
        if (from == null) {
            throw new ClosedChannelException();
        }
        long next = position;
        while (target.hasRemaining()) {
            int count = from.read(target, next);
            if (count < 0) {
                throw new EOFException("the file ends at " + next);
            }
            next += count;
        }
    }

    @Override
    public void readAside(long position, int bytes, SpareArrays arrays, Reader reader) {
        boolean held = retain();
        spool.executeRead(() -> {
            byte[] array;
            try {
                array = readArray(position, bytes, arrays);
            } catch (Throwable failure) {
                // Errors too: a reader that hears nothing would wait without end.
                reader.failed(failure instanceof IOException why ? why : new IOException(failure));
                return;
            } finally {
                if (held) {
                    release();
                }
            }
            reader.read(array, bytes);
        });
    }

    private byte[] readArray(long position, int bytes, SpareArrays arrays) throws IOException {
        byte[] array = arrays.take();
        try {
            read(position, ByteBuffer.wrap(array, 0, bytes));
            return array;
        } catch (Throwable failure) {
            arrays.giveBack(array);
            throw failure;
        }
    }

    @Override
    public boolean retain() {
        return holders.getAndUpdate(count -> count <= 0 ? count : count + 1) > 0;
    }

    /** The bytes in its file; 0 once that is given back. */
    long bytes() {
        return holders.get() > 0 ? writtenBytes : 0;
    }

    /** Gives its space to others. A handler that reads on gets an error. */
    void giveUp() {
        if (holders.getAndSet(GIVEN_UP) > 0) {
            leave();
        }
    }

    @Override
    public void release() {
        if (holders.decrementAndGet() == 0) {
            leave();
        }
    }

    /** Writes what waits by now. What comes meanwhile waits for its turn behind that of others. */
    private void writeWaiting() {
        int count;
        synchronized (unwritten) {
            note = null;
            reached = true;
            count = unwritten.size();
        }
        for (int i = 0; i < count && !parked; i++) {
            if (!isNextDealtWith()) {
                parked = true;
                spool.awaitRoom(this);
            }
        }
    }

    @Override
    public boolean retry() {
        while (hasUnwritten()) {
            if (!isNextDealtWith()) {
                return false;
            }
        }
        parked = false;
        return true;
    }

    @Override
    public void waitedInVain() {
        failed = true;
        retry();
    }

    private boolean hasUnwritten() {
        synchronized (unwritten) {
            return !unwritten.isEmpty();
        }
    }

    /**
     * Writes what has waited longest, or drops it if nobody wants it. Returns false, and does
     * nothing, if there is no room.
     */
    private boolean isNextDealtWith() {
        ByteBuffer next;
        synchronized (unwritten) {
            next = unwritten.poll();
        }
        if (next == null) {
            return true;
        }
        int length = next.remaining();
        if (!failed && holders.get() > 0) {
            try {
                if (!append(next)) {
                    synchronized (unwritten) {
                        unwritten.addFirst(next);
                    }
                    return false;
                }
            } catch (IOException | RuntimeException full) {
                // The thread has to go on, whatever it is: all other requests depend on it.
                failed = true;
            }
        }
        spool.written(next);
        long before = unwrittenBytes.getAndAdd(-length);
        long left = before - length;
        boolean fewNow = before > FEW_UNWRITTEN_BYTES && left <= FEW_UNWRITTEN_BYTES;
        if (left == 0 || fewNow || failed) {
            loop.tryRun(whenItChanges);
        }
        return true;
    }

    /**
     * Lets go of what waits. Returns whether the thread that writes has had anything of it, and so
     * may have made a file, or be about to.
     */
    private boolean dropUnwritten() {
        List<ByteBuffer> dropped;
        boolean mayHaveFile;
        synchronized (unwritten) {
            mayHaveFile = reached;
            dropped = List.copyOf(unwritten);
            unwritten.clear();
            if (note != null) {
                spool.forget(note);
                note = null;
            }
        }
        dropped.forEach(bytes -> {
            unwrittenBytes.addAndGet(-bytes.remaining());
            spool.written(bytes);
        });
        if (!dropped.isEmpty()) {
            loop.tryExecute(whenItChanges);
        }
        return mayHaveFile;
    }

    private boolean append(ByteBuffer bytes) throws IOException {
        FileChannel to = file;
        if (to == null) {
            to = spool.newFile();
            file = to;
        }
        int length = bytes.remaining();
        if (to == null || !spool.take(length)) {
            return false;
        }
        endBytes += length;
        writtenBytes = endBytes;
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
        return true;
    }

    private void leave() {
        long leavingBytes = writtenBytes;
        int leavingFiles = file == null ? 0 : 1;
        spool.leaving(leavingBytes, leavingFiles);
        // Else nothing of it is left to wait for a disk that may not answer.
        if (dropUnwritten()) {
            spool.execute(() -> {
                spool.leaving(-leavingBytes, -leavingFiles);
                spool.giveBack(file, writtenBytes);
            });
        }
    }
}
