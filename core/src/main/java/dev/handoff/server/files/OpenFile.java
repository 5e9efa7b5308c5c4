package dev.handoff.server.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;

/**
 * A file that is open for reading, as it was when that was done. Belongs to one thread at a time.
 */
final class OpenFile implements Found, AutoCloseable {
    private final SeekableByteChannel channel;
    private final long sizeBytes;
    private final long modifiedNanos;

    OpenFile(SeekableByteChannel channel, BasicFileAttributes attributes) {
        this.channel = channel;
        this.sizeBytes = attributes.size();
        this.modifiedNanos = attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS);
    }

    long sizeBytes() {
        return sizeBytes;
    }

    /** Since 1970. */
    long modifiedNanos() {
        return modifiedNanos;
    }

    /** Goes to the byte that is read next. */
    void position(long from) throws IOException {
        channel.position(from);
    }

    /** Fills the target; returns false if the file has less, as it was shortened. */
    boolean read(ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (channel.read(target) < 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
