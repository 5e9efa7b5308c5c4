package dev.handoff.launcher.access;

import dev.handoff.launcher.config.NamedPipe;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A file that lines are appended to. Each write goes to the end that the file has at the moment
 * (O_APPEND), so it may be cut to nothing while it is open.
 */
final class LogFile implements LineSink {
    private static final System.Logger LOG = System.getLogger(LogFile.class.getName());
    private static final byte LINE_END = '\n';

    private static final Set<StandardOpenOption> APPENDING =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);

    /** Of a file that is made: targets in it have queries, which may hold secrets. */
    private static final FileAttribute<?>[] NOT_FOR_OTHERS = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----"))
    };

    private static final FileAttribute<?>[] AS_USUAL = {};

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
        try {
            old.close();
        } catch (IOException failure) {
            LOG.log(
                    Level.WARNING,
                    "the access log is in its new file, but the old one cannot be closed, so its last lines may be missing: "
                            + failure.getMessage());
        }
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
        if (NamedPipe.isOne(path)) {
            throw new IOException(path + " is a named pipe, where nobody may ever read");
        }
        boolean hasPermissions =
                path.getFileSystem().supportedFileAttributeViews().contains("posix");
        return FileChannel.open(path, APPENDING, hasPermissions ? NOT_FOR_OTHERS : AS_USUAL);
    }
}
