package dev.handoff.launcher.logging;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The standard output and error of this process. Each line leaves in one write, so that lines of
 * several threads and processes do not mix. May be used from any thread; a write waits while the
 * reader does not read.
 */
public final class Console {
    public static final Console STDOUT = new Console(FileDescriptor.out);
    public static final Console STDERR = new Console(FileDescriptor.err);

    private final OutputStream stream;

    private Console(FileDescriptor descriptor) {
        this.stream = new FileOutputStream(descriptor);
    }

    /** Writes {@code text}, which may have several lines, and ends the last. */
    public void print(String text) {
        try {
            write((text + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException nobodyReads) {
            // There is no other place to tell it, and serving matters more.
        }
    }

    /** Writes whole lines. */
    public void write(byte[] lines) throws IOException {
        synchronized (this) {
            stream.write(lines);
        }
    }
}
