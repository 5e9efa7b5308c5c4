package dev.handoff.server;

import dev.handoff.http.ContentStore;
import dev.handoff.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of one request on its way to a handler that wants it as it comes: the connection adds
 * at one end, the handler polls at the other, perhaps on another thread.
 */
final class ContentPipe implements ContentStore.Arriving {
    /** The connection is not read while so much waits for the handler. */
    static final int MOST_WAITING_BYTES = 256 * 1024;

    /** The connection is not read while so much waits and requests take much of the memory. */
    private static final int MOST_WHILE_TIGHT_BYTES = 16 * 1024;

    /** The connection is read again when so little waits. */
    private static final int FEW_WAITING_BYTES = MOST_WHILE_TIGHT_BYTES / 2;

    /**
     * The memory of a part besides its bytes, rounded up: a buffer, the head of its array and a
     * place in a queue. A client may send one byte at a time.
     */
    private static final int PART_BYTES = 96;

    /** The most taken bytes that are kept, in case another handler has to begin again. */
    private static final int KEPT_BYTES = 64 * 1024;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final BufferBudget budget;
    private final EventLoop loop;
    private final Runnable whenItChanges;
    private final Runnable whenTooSlow;
    private final ReadPace pace;
    private ArrayDeque<ByteBuffer> waiting = new ArrayDeque<>();

    /** The content that was taken; null once it is too much to be kept. */
    private @Nullable List<ByteBuffer> taken = new ArrayList<>();

    private int takenBytes;
    private int waitingBytes;

    /** The memory of the parts that wait. */
    private int heldBytes;

    private int cameBytes;

    /** Whether all has been added. */
    private boolean complete;

    /** Whether the rest will not come. */
    private boolean broken;

    /** Whether the client may begin to send, as the handler has begun to read. */
    private boolean wanted;

    /** Whether the handler found nothing, and is to be called when more comes. */
    private boolean isAwaited;

    /** Whether the client is not to send now: it waits for 100 (Continue), or is not read. */
    private boolean isHeldBack;

    private @Nullable Runnable whenReady;
    private @Nullable Runnable whenComplete;

    /**
     * @param expectsContinue whether the client may wait for 100 (Continue)
     * @param whenItChanges runs on the loop when the client may begin, and when there is room again
     * @param whenTooSlow runs on the loop when it has to {@linkplain #giveWay give way}, and the
     *     rest is to come
     */
    ContentPipe(
            BufferBudget budget,
            EventLoop loop,
            boolean expectsContinue,
            Runnable whenItChanges,
            Runnable whenTooSlow) {
        this.budget = budget;
        this.loop = loop;
        this.isHeldBack = expectsContinue;
        this.whenItChanges = whenItChanges;
        this.whenTooSlow = whenTooSlow;
        this.pace = new ReadPace(loop.clock()::nanoTime);
        pace.begin();
        if (expectsContinue) {
            pace.standStill();
        }
    }

    @Override
    public void add(byte[] bytes, int length) {
        synchronized (this) {
            waiting.add(ByteBuffer.wrap(bytes, 0, length).asReadOnlyBuffer());
            waitingBytes += length;
            heldBytes += length + PART_BYTES;
            cameBytes += length;
            pace.bodyCame(length);
            holdBack(isMuch());
        }
        tellReader();
    }

    @Override
    public void end() {
        Runnable action;
        synchronized (this) {
            complete = true;
            action = whenComplete;
        }
        tellReader();
        if (action != null) {
            action.run();
        }
    }

    @Override
    public synchronized void discard() {
        if (!complete) {
            broken = true;
            // Not cleared: it would keep the room that it has grown to.
            waiting = new ArrayDeque<>(0);
            waitingBytes = 0;
            heldBytes = 0;
            taken = null;
        }
    }

    private void tellReader() {
        Runnable action = null;
        synchronized (this) {
            if (isAwaited) {
                isAwaited = false;
                action = whenReady;
            }
        }
        if (action != null) {
            action.run();
        }
    }

    /** The memory that it takes, with the bytes that are kept for another handler. */
    @Override
    public synchronized int unstoredBytes() {
        return heldBytes + (taken == null ? 0 : takenBytes + PART_BYTES * taken.size());
    }

    @Override
    public synchronized boolean isFull() {
        return heldBytes
                >= (budget.isTightForRequests() ? MOST_WHILE_TIGHT_BYTES : MOST_WAITING_BYTES);
    }

    @Override
    public synchronized boolean isComplete() {
        return complete;
    }

    /** Whether the client may begin to send. */
    synchronized boolean isWanted() {
        return wanted;
    }

    @Override
    public synchronized void whenReady(Runnable action) {
        whenReady = action;
    }

    @Override
    public void whenComplete(Runnable action) {
        synchronized (this) {
            if (!complete) {
                whenComplete = action;
                return;
            }
        }
        action.run();
    }

    @Override
    public boolean isReady() {
        letBegin();
        synchronized (this) {
            boolean ready = waitingBytes > 0 || complete;
            isAwaited = !ready && !broken;
            return ready;
        }
    }

    @Override
    public void letBegin() {
        synchronized (this) {
            if (wanted) {
                return;
            }
            wanted = true;
            holdBack(isMuch());
        }
        loop.tryRun(whenItChanges);
    }

    @Override
    public ByteBuffer poll(int mostBytes) {
        boolean hasRoomAgain;
        ByteBuffer polled;
        synchronized (this) {
            int heldBefore = heldBytes;
            polled = next(Math.min(mostBytes, waitingBytes));
            keep(polled);
            hasRoomAgain = heldBefore > FEW_WAITING_BYTES && heldBytes <= FEW_WAITING_BYTES;
            if (hasRoomAgain) {
                holdBack(false);
            }
        }
        if (hasRoomAgain) {
            loop.tryRun(whenItChanges);
        }
        return polled;
    }

    private ByteBuffer next(int bytes) {
        ByteBuffer first = waiting.peek();
        if (bytes == 0 || first == null) {
            return NOTHING;
        }
        if (first.remaining() == bytes) {
            ByteBuffer all = first.duplicate();
            takeFrom(first, bytes);
            return all;
        }
        ByteBuffer joined = ByteBuffer.allocate(bytes);
        while (joined.hasRemaining()) {
            ByteBuffer part = waiting.element();
            int count = Math.min(part.remaining(), joined.remaining());
            joined.put(part.slice(part.position(), count));
            takeFrom(part, count);
        }
        return joined.flip().asReadOnlyBuffer();
    }

    /** Removes so many bytes of the first part, and the part when all of it is gone. */
    private void takeFrom(ByteBuffer part, int bytes) {
        waitingBytes -= bytes;
        heldBytes -= bytes;
        part.position(part.position() + bytes);
        if (!part.hasRemaining()) {
            heldBytes -= PART_BYTES;
            waiting.remove();
        }
    }

    private void keep(ByteBuffer polled) {
        if (taken == null || !polled.hasRemaining()) {
            return;
        }
        takenBytes += polled.remaining();
        if (takenBytes <= KEPT_BYTES) {
            taken.add(polled.duplicate());
        } else {
            taken = null;
        }
    }

    /** Whether so much waits that the client need not be read. */
    private boolean isMuch() {
        return heldBytes >= MOST_WHILE_TIGHT_BYTES;
    }

    /**
     * The client's time does not run while it is held back, and does not begin anew behind that.
     */
    private void holdBack(boolean now) {
        if (now) {
            pace.standStill();
        } else {
            pace.goOn();
        }
        isHeldBack = now;
    }

    @Override
    public synchronized long slownessNanos() {
        return isHeldBack || !isDue() ? 0 : pace.slownessNanos();
    }

    @Override
    public void giveWay() {
        loop.tryRun(() -> {
            if (isDue()) {
                whenTooSlow.run();
            }
        });
    }

    /** Whether the rest is to come. */
    private synchronized boolean isDue() {
        return !complete && !broken;
    }

    @Override
    public synchronized boolean isOver() {
        return complete && waitingBytes == 0;
    }

    @Override
    public synchronized int cameBytes() {
        return cameBytes;
    }

    @Override
    public synchronized void forgetTaken() {
        taken = null;
    }

    @Override
    public synchronized boolean rewind() {
        if (taken == null) {
            return false;
        }
        for (ByteBuffer part : taken.reversed()) {
            waiting.addFirst(part);
            waitingBytes += part.remaining();
            heldBytes += part.remaining() + PART_BYTES;
        }
        taken = new ArrayList<>();
        takenBytes = 0;
        holdBack(isMuch());
        return true;
    }
}
