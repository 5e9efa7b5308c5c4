package dev.handoff.launcher.access;

import java.io.IOException;

/** Writes whole lines. Belongs to the log's thread, which may block here. */
public interface LineSink {
    /**
     * @throws IOException if not all could be written
     */
    void write(byte[] lines) throws IOException;

    /**
     * Continues in a new file, if the sink is a file.
     *
     * @throws IOException if it cannot be opened; then the old file stays in use
     */
    default void reopen() throws IOException {}
}
