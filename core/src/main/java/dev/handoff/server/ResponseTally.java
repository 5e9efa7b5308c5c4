package dev.handoff.server;

/**
 * Tells the {@link ResponseRoom} what the clients of one loop have not taken of their responses,
 * and of the messages of WebSockets. It tells only large steps, and that nothing is left. So small
 * responses, which are gone before the end of their turn, touch nothing that loops share. Belongs
 * to the loop's thread.
 */
final class ResponseTally {
    private static final long MOST_STEP_BYTES = 256 * 1024;

    /** A step is at most this part of the room, so that a small room is counted more closely. */
    private static final long STEPS = 64;

    private final ResponseRoom room;
    private final long stepBytes;
    private long toldLargeBytes;
    private long toldModestBytes;
    private long toldMessageBytes;

    ResponseTally(ResponseRoom room) {
        this.room = room;
        this.stepBytes = Math.clamp(room.limitBytes() / STEPS, 1, MOST_STEP_BYTES);
    }

    /**
     * @param largeBytes of large responses
     * @param modestBytes of modest ones
     * @param messageBytes of messages of WebSockets
     */
    void tell(long largeBytes, long modestBytes, long messageBytes) {
        boolean isNothing = largeBytes == 0 && modestBytes == 0 && messageBytes == 0;
        if (isNothing
                || Math.abs(largeBytes - toldLargeBytes) >= stepBytes
                || Math.abs(modestBytes - toldModestBytes) >= stepBytes
                || Math.abs(messageBytes - toldMessageBytes) >= stepBytes) {
            tellExactly(largeBytes, modestBytes, messageBytes);
        }
    }

    void tellExactly(long largeBytes, long modestBytes, long messageBytes) {
        long largeChange = largeBytes - toldLargeBytes;
        long modestChange = modestBytes - toldModestBytes;
        long messageChange = messageBytes - toldMessageBytes;
        if (largeChange != 0 || modestChange != 0 || messageChange != 0) {
            toldLargeBytes = largeBytes;
            toldModestBytes = modestBytes;
            toldMessageBytes = messageBytes;
            room.add(largeChange, modestChange, messageChange);
        }
    }
}
