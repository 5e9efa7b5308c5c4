package dev.handoff.server;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Limits how far a handler may be ahead of its client. It adds up what the client has taken, and
 * has the handler told each time that this is half a window. Belongs to the loop's thread.
 *
 * <p>What the handler gives is not what leaves: that can be a hundredth of it, compressed. So each
 * half of a window has a mark in what was given to the socket.
 */
final class RoomTold {
    /** The window grows up to here, each time that a client takes half of it in the time below. */
    private static final long MOST_WINDOW_BYTES = 256 * 1024;

    private static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * The window does not grow before the client has taken this much. It is more than kernels hold
     * on the way; they take their part as fast for a client that reads nothing.
     */
    static final long KERNEL_BYTES = 16 * 1024 * 1024;

    /**
     * @param givenBytes all that the handler had given
     * @param socketBytes all that the socket had been given for that
     */
    private record Mark(long givenBytes, long socketBytes) {}

    private final ArrayDeque<Mark> marks = new ArrayDeque<>(2);
    private long givenBytes;
    private long markedBytes;

    /** What the handler had given of all that it was told of, and when that was. */
    private long toldBytes;

    private long toldNanos;
    private long windowBytes = ResponseStream.FIRST_ROOM_BYTES;

    void begin(long nowNanos) {
        toldNanos = nowNanos;
    }

    /**
     * The handler has given more, and all of that is written.
     *
     * @param costBytes of the room
     * @param socketBytes all that the socket has been given
     */
    void given(long costBytes, long socketBytes) {
        givenBytes += costBytes;
        if (givenBytes - markedBytes >= windowBytes / 2) {
            markedBytes = givenBytes;
            marks.add(new Mark(givenBytes, socketBytes));
        }
    }

    /**
     * Some output has left.
     *
     * @param socketBytes how much of all that the socket was given
     * @param mayGrow whether there is memory for a larger window
     * @return what the handler has to be told now; 0 if that is not worth it
     */
    long sent(long socketBytes, boolean mayGrow, long nowNanos) {
        long takenBytes = toldBytes;
        Mark next = marks.peek();
        while (next != null && next.socketBytes <= socketBytes) {
            takenBytes = next.givenBytes;
            marks.remove();
            next = marks.peek();
        }
        long room = takenBytes - toldBytes;
        if (room == 0) {
            return 0;
        }
        boolean fast = nowNanos - toldNanos <= FAST_NANOS;
        toldBytes = takenBytes;
        toldNanos = nowNanos;
        if (fast && mayGrow && windowBytes < MOST_WINDOW_BYTES && takenBytes > KERNEL_BYTES) {
            room += windowBytes;
            windowBytes *= 2;
        }
        return room;
    }
}
