package dev.handoff.server;

/**
 * The file that a connection's request takes, and how it is given up where others need the space.
 * Belongs to the loop's thread.
 */
final class ConnectionSpool {
    private final ConnectionPhase phase;
    private final ConnectionContent content;
    private final Pipeline pipeline;
    private final ConnectionBuffers buffers;
    private final ConnectionRefusals refusals;

    ConnectionSpool(
            ConnectionPhase phase,
            ConnectionContent content,
            Pipeline pipeline,
            ConnectionBuffers buffers,
            ConnectionRefusals refusals) {
        this.phase = phase;
        this.content = content;
        this.pipeline = pipeline;
        this.buffers = buffers;
        this.refusals = refusals;
    }

    /**
     * The bytes in the file of the request that is being read. While a response leaves in pieces:
     * the bytes of its request that the handler has not read.
     */
    long bytes() {
        if (isReading()) {
            return content.incompleteBytes();
        }
        SpooledContent unread = pipeline.fileOfStream();
        return unread == null ? 0 : unread.bytes();
    }

    /** For how long its client has sent each 64 KiB of that, or its handler has not read it. */
    long nanos() {
        return isReading() ? buffers.readNanos() : pipeline.streamNanos();
    }

    private boolean isReading() {
        return phase.is(ConnectionState.READING_BODY) && content.incompleteBytes() > 0;
    }

    /** Gives the space to others. A handler that reads content which is gone loses its request. */
    void giveUp() {
        SpooledContent unread = pipeline.fileOfStream();
        if (isReading()) {
            refusals.refuseForWantOfSpace();
        } else if (unread != null) {
            unread.giveUp();
        }
    }
}
