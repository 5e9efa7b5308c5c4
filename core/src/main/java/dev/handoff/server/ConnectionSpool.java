package dev.handoff.server;

import org.jspecify.annotations.Nullable;

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
     * the bytes of its request that the handler has not read. Else those of a request that is whole
     * and waits for the responses before it.
     */
    long bytes() {
        if (isReading()) {
            return content.incompleteBytes();
        }
        long unread = bytes(pipeline.fileOfStream());
        return unread > 0 ? unread : bytes(pipeline.fileOfWaiting());
    }

    /**
     * For how long its client has sent each 64 KiB of that, or its handler has not read it, or what
     * came last has waited.
     */
    long nanos() {
        if (isReading()) {
            return buffers.readNanos();
        }
        return bytes(pipeline.fileOfStream()) > 0
                ? pipeline.streamNanos()
                : pipeline.nanosSinceLast();
    }

    private boolean isReading() {
        return phase.is(ConnectionState.READING_BODY) && content.incompleteBytes() > 0;
    }

    private static long bytes(@Nullable SpooledContent file) {
        return file == null ? 0 : file.bytes();
    }

    /** Gives the space to others. A handler that reads content which is gone loses its request. */
    void giveUp() {
        SpooledContent unread = pipeline.fileOfStream();
        if (isReading()) {
            refusals.refuseForWantOfSpace();
        } else if (unread != null && unread.bytes() > 0) {
            unread.giveUp();
        } else if (pipeline.fileOfWaiting() != null) {
            pipeline.refuseWaiting();
        }
    }
}
