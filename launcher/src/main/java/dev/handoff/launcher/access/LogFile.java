package dev.handoff.launcher.access;

import dev.handoff.launcher.config.NamedPipe;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A file that lines are appended to. Each write goes to the end that the file has at the moment
 * (O_APPEND), so it may be cut to nothing while it is open.
 */
final class LogFile implements LineSink {
    private static final System.Logger LOG = System.getLogger(LogFile.class.getName());
    private static final byte LINE_END = '\n';

    /** How long a named pipe may be without a reader when it is opened. */
    private static final int MOST_WAIT_SECONDS = 2;

    private static final Set<StandardOpenOption> APPENDING =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);

    /** Of a file that is made: targets in it have queries, which may hold secrets. */
    private static final FileAttribute<?>[] NOT_FOR_OTHERS = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----"))
    };

    private static final FileAttribute<?>[] AS_USUAL = {};

    private final Path path;
    private FileChannel channel;

    /** Whether the file ends in the middle of a line. */
    private boolean torn;

    LogFile(Path path) throws IOException {
        this.path = path;
        this.channel = open(path);
        this.torn = endsInTheMiddle(path);
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
        torn = endsInTheMiddle(path);
        try {
            old.close();
        } catch (IOException failure) {
            LOG.log(
                    Level.WARNING,
                    "the access log is in its new file, but the old one cannot be closed, so its last lines may be missing: "
                            + failure.getMessage());
        }
    }

    /** Whether a disk that was full, or a killed server, has left a part of a line at its end. */
    private static boolean endsInTheMiddle(Path path) {
        if (!Files.isRegularFile(path)) {
            return false;
        }
        ByteBuffer last = ByteBuffer.allocate(1);
        try (FileChannel read = FileChannel.open(path, StandardOpenOption.READ)) {
            long size = read.size();
            return size > 0 && read.read(last, size - 1) == 1 && last.get(0) != LINE_END;
        } catch (IOException unreadable) {
            // It may be there to be written alone.
            return false;
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
        return NamedPipe.isOne(path) ? openPipe(path) : openNow(path);
    }

    /** Whoever opens a named pipe waits for a reader, which may never come. */
    private static FileChannel openPipe(Path path) throws IOException {
        CompletableFuture<FileChannel> opened = new CompletableFuture<>();
        Thread.ofPlatform()
                .name("handoff-log-pipe")
                .daemon()
                .start(() -> {
                    try {
                        FileChannel channel = openNow(path);
                        if (!opened.complete(channel)) {
                            channel.close();
                        }
                    } catch (IOException failure) {
                        opened.completeExceptionally(failure);
                    }
                });
        try {
            return opened.orTimeout(MOST_WAIT_SECONDS, TimeUnit.SECONDS).join();
        } catch (CompletionException none) {
            if (none.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException(path + " is a named pipe, and nobody reads it", none);
        }
    }

    private static FileChannel openNow(Path path) throws IOException {
        boolean hasPermissions =
                path.getFileSystem().supportedFileAttributeViews().contains("posix");
        return FileChannel.open(path, APPENDING, hasPermissions ? NOT_FOR_OTHERS : AS_USUAL);
    }
}
