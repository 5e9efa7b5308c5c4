package dev.handoff.launcher.access;

import java.io.IOException;

/** Takes whole lines. Belongs to the log's thread, which may have to wait here. */
public interface LineSink {
    /**
     * @throws IOException if not all could be written
     */
    void write(byte[] lines) throws IOException;

    /**
     * Goes on in a new file, if it is one that can be moved away.
     *
     * @throws IOException if there cannot be one; then the old one goes on
     */
    default void reopen() throws IOException {}
}
