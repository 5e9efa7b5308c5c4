package dev.handoff.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The files in which the content of large requests waits until it is whole, and until its response
 * has left. Each has lost its name as soon as it is open, so nothing is left of it when the process
 * ends, however that happens. One thread writes them all. Any thread.
 *
 * <p>One for all servers that write to the same directory.
 */
public final class Spool {
    /** Content of up to so many bytes stays in memory, unless something else is said. */
    public static final int DEFAULT_MEMORY_BYTES = 1024 * 1024;

    /** A connection is not read while so much of its request is not written. */
    static final int MOST_UNWRITTEN_BYTES = 1024 * 1024;

    /** So much of the file system is left to others, or a part of it if it is small. */
    private static final long LEAST_FREE_BYTES = 64L * 1024 * 1024;

    private static final int LEAST_FREE_PART = 16;

    /** How much is written between two looks at what is free. */
    private static final long LOOK_BYTES = 8L * 1024 * 1024;

    /** From here on those that come slowly have to make room. */
    private static final double NEARLY = 0.75;

    /**
     * They are called for each time that such a part of the space or of the files is filled, but
     * not before the room that the last of them gave back can show: that is done behind what waits
     * to be written. They give as much back.
     */
    private static final int PART = 64;

    private static final long LEAST_PART_BYTES = 2L * MOST_UNWRITTEN_BYTES;

    private final Path directory;
    private final int memoryBytes;
    private final long limitBytes;
    private final int mostFiles;
    private final FileStore fileStore;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong files = new AtomicLong();
    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();

    private final List<Runnable> whenNearlyFull = new CopyOnWriteArrayList<>();

    /** What may be written before that is told again. Belongs to the thread that writes. */
    private long untilToldBytes;

    /** The same for files that are begun. */
    private long untilToldFiles;

    /** What may be written before the next look. Belongs to the thread that writes. */
    private long untilLookBytes;

    private Spool(
            Path directory, int memoryBytes, long limitBytes, int mostFiles, FileStore fileStore) {
        this.directory = directory;
        this.memoryBytes = memoryBytes;
        this.limitBytes = limitBytes;
        this.mostFiles = mostFiles;
        this.fileStore = fileStore;
    }

    /**
     * Begins to take content. Its thread lasts as long as the process.
     *
     * @param directory where a file is made at once, to see whether that is possible
     * @param memoryBytes content of up to so many bytes stays in memory
     * @param limitBytes what all files together may have
     * @param mostFiles how many there may be: each takes a descriptor
     * @throws IOException if no file can be made there
     */
    public static Spool open(Path directory, int memoryBytes, long limitBytes, int mostFiles)
            throws IOException {
        if (memoryBytes < 0 || limitBytes < 1 || mostFiles < 1) {
            throw new IllegalArgumentException(
                    "in memory " + memoryBytes + ", " + limitBytes + " in " + mostFiles + " files");
        }
        openWithoutName(directory).close();
        Spool spool =
                new Spool(
                        directory,
                        memoryBytes,
                        limitBytes,
                        mostFiles,
                        Files.getFileStore(directory));
        Thread.ofPlatform().daemon().name("handoff-spool").start(spool::write);
        return spool;
    }

    /** What the files have by now. */
    public long bytes() {
        return bytes.get();
    }

    /** How many there are. */
    public long files() {
        return files.get();
    }

    /** What all files together may have. */
    public long limitBytes() {
        return limitBytes;
    }

    int memoryBytes() {
        return memoryBytes;
    }

    /**
     * Calls back from the thread that writes when little room is left, and now and then while more
     * is written.
     */
    void whenNearlyFull(Runnable action) {
        whenNearlyFull.add(action);
    }

    private void tellIfNearlyFull() {
        boolean nearlyFull = bytes.get() > NEARLY * limitBytes || files.get() > NEARLY * mostFiles;
        if (nearlyFull && (untilToldBytes < 0 || untilToldFiles < 0)) {
            untilToldBytes = partBytes();
            untilToldFiles = partFiles();
            whenNearlyFull.forEach(Runnable::run);
        }
    }

    /** How much has to be given back when little room is left, if not {@link #partFiles}. */
    long partBytes() {
        return Math.max(limitBytes / PART, LEAST_PART_BYTES);
    }

    int partFiles() {
        return Math.max(mostFiles / PART, 1);
    }

    /** Runs behind all that was given before, on the thread that writes. */
    void execute(Runnable action) {
        work.add(action);
    }

    /**
     * A file without a name. On the thread that writes.
     *
     * @throws IOException if it cannot be made, or there are as many as may be
     */
    FileChannel newFile() throws IOException {
        untilToldFiles--;
        tellIfNearlyFull();
        if (files.get() >= mostFiles) {
            throw new IOException("there are " + mostFiles + " files");
        }
        FileChannel file = openWithoutName(directory);
        files.incrementAndGet();
        return file;
    }

    /** Gives so many bytes room; returns whether there is any. On the thread that writes. */
    boolean take(int wanted) throws IOException {
        untilToldBytes -= wanted;
        tellIfNearlyFull();
        untilLookBytes -= wanted;
        if (untilLookBytes < 0) {
            long leastFree =
                    Math.min(LEAST_FREE_BYTES, fileStore.getTotalSpace() / LEAST_FREE_PART);
            if (fileStore.getUsableSpace() < leastFree) {
                return false;
            }
            untilLookBytes = LOOK_BYTES;
        }
        if (bytes.addAndGet(wanted) > limitBytes) {
            bytes.addAndGet(-wanted);
            return false;
        }
        return true;
    }

    /**
     * So much room is free again. On the thread that writes.
     *
     * @param file is closed; null if none was made
     */
    void giveBack(@Nullable FileChannel file, long hadBytes) {
        bytes.addAndGet(-hadBytes);
        if (file != null) {
            try {
                file.close();
            } catch (IOException ignored) {
                // Its descriptor is released all the same.
            }
            files.decrementAndGet();
        }
    }

    private static FileChannel openWithoutName(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, "handoff-", ".spool");
        try {
            return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } finally {
            Files.delete(file);
        }
    }

    private void write() {
        while (true) {
            try {
                work.take().run();
            } catch (InterruptedException nobodyDoesThat) {
                return;
            }
        }
    }
}
