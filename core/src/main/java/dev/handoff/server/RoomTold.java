package dev.handoff.server;

import java.util.concurrent.TimeUnit;

/**
 * Limits how far a handler may be ahead of its client. It adds up what the client has taken, and
 * has the handler told each time that this is half a window. Belongs to the loop's thread.
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

    private long takenBytes;

    /** The bytes that the client had taken when the handler was told of room, and when that was. */
    private long toldBytes;

    private long toldNanos;
    private long windowBytes = ResponseStream.FIRST_ROOM_BYTES;

    void begin(long nowNanos) {
        toldNanos = nowNanos;
    }

    /**
     * Some output has left.
     *
     * @param givenBytes all that was given to the socket
     * @param pendingBytes what it has not taken, which may be of something else that came before
     * @param mayGrow whether there is memory for a larger window
     * @return what the handler has to be told now; 0 if that is not worth it
     */
    long sent(long givenBytes, long pendingBytes, boolean mayGrow, long nowNanos) {
        takenBytes = Math.max(takenBytes, givenBytes - pendingBytes);
        long room = takenBytes - toldBytes;
        if (room < windowBytes / 2) {
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
