package dev.handoff.launcher.access;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that lines are appended to. Each write goes to the end that the file has at the moment
 * (O_APPEND), so it may be cut to nothing while it is open.
 */
final class LogFile implements LineSink {
    private static final byte LINE_END = '\n';

    private final Path path;
    private FileChannel channel;

    /** Whether the last write stopped in the middle of a line. */
    private boolean torn;

    LogFile(Path path) throws IOException {
        this.path = path;
        this.channel = open(path);
    }

    @Override
    public void write(byte[] lines) throws IOException {
        if (torn) {
            writeAll(ByteBuffer.wrap(new byte[] {LINE_END}));
        }
        writeAll(ByteBuffer.wrap(lines));
    }

    @Override
    public void reopen() throws IOException {
        FileChannel opened = open(path);
        FileChannel old = channel;
        channel = opened;
        torn = false;
        old.close();
    }

    private void writeAll(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int from = bytes.position();
            int written = channel.write(bytes);
            if (written > 0) {
                torn = bytes.get(from + written - 1) != LINE_END;
            }
        }
    }

    private static FileChannel open(Path path) throws IOException {
        return FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.APPEND);
    }
}
