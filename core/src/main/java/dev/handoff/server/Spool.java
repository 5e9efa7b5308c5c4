package dev.handoff.server;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The files in which the content of large requests waits until it is whole, and until its response
 * has left. A file loses its name as soon as it is open, so nothing is left of it when the process
 * ends, however that happens. One thread writes them all, and a few read them. Any thread.
 *
 * <p>There is one spool for all servers that write to the same directory.
 */
public final class Spool {
    /** Content of up to so many bytes stays in memory, unless something else is said. */
    public static final int DEFAULT_MEMORY_BYTES = 1024 * 1024;

    /** A connection is not read while so much of its request is not written. */
    static final int MOST_UNWRITTEN_BYTES = 1024 * 1024;

    /** This much of the file system is left to others, or the part below if that is less. */
    private static final long LEAST_FREE_BYTES = 64L * 1024 * 1024;

    private static final int LEAST_FREE_PART = 16;

    /** How much is written between two looks at what is free. */
    private static final long LOOK_BYTES = 8L * 1024 * 1024;

    /**
     * From this part on, requests that come slowly have to make room, until no more than this is
     * filled.
     */
    private static final double NEARLY = 0.75;

    /**
     * The loops are asked to make room each time that one more such part of the space, or of the
     * files, is filled. Before that, the room that they gave back last has to show. It is free only
     * when what waited before it is written.
     */
    private static final int PART = 64;

    private static final long LEAST_PART_BYTES = 2L * MOST_UNWRITTEN_BYTES;

    /** The disk is late when something has waited for so long to be written. */
    private static final long BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** How long content waits for the room that the loops make. Then there is none for it. */
    private static final long MOST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The time between two calls to make room for content that waits. */
    private static final long CALL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** More than one, so that a read that takes long holds up few others. */
    static final int READERS = 4;

    /** Content that has found no room. On the thread that writes. */
    interface Waiting {
        /** There may be room again; returns whether nothing waits any more. */
        boolean retry();

        /** No room came in time. */
        void waitedInVain();
    }

    private record Place(Waiting content, long sinceNanos) {}

    /** The file system that the files are in. */
    interface Space {
        long totalBytes();

        long usableBytes();
    }

    /** Tells the space also in a chroot, where Java finds no FileStore. */
    private record SpaceOf(File directory) implements Space {
        @Override
        public long totalBytes() {
            return directory.getTotalSpace();
        }

        @Override
        public long usableBytes() {
            return directory.getUsableSpace();
        }
    }

    /** What waits for the thread that writes. */
    record Task(Runnable action, long sinceNanos) {}

    private final Path directory;
    private final int memoryBytes;
    private final long limitBytes;
    private final int mostFiles;

    private final Space space;

    /** The most bytes that the files may have, by the latest look at what is free. */
    private volatile long roomBytes;

    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong files = new AtomicLong();

    /** The bytes of files that nobody needs any more: they will be given back. */
    private final AtomicLong leavingBytes = new AtomicLong();

    private final AtomicLong leavingFiles = new AtomicLong();
    private final BlockingQueue<Task> work = new LinkedBlockingQueue<>();

    /** Reads hold their files, so that no more wait than a few for each file. */
    private final BlockingQueue<Runnable> reads = new LinkedBlockingQueue<>();

    private final SharedArrays spare = new SharedArrays();

    private final List<Runnable> whenNearlyFull = new CopyOnWriteArrayList<>();

    /** Content that has found no room. Belongs to the thread that writes, as all below. */
    private final ArrayDeque<Place> waiting = new ArrayDeque<>();

    private long lastCallNanos = System.nanoTime() - CALL_NANOS;

    /** The bytes that may be written before the loops are asked for room again. */
    private long untilToldBytes;

    /** The same for files that are begun. */
    private long untilToldFiles;

    /** The bytes that may be written before the next look at what is free. */
    private long untilLookBytes;

    private Spool(Path directory, int memoryBytes, long limitBytes, int mostFiles, Space space) {
        this.directory = directory;
        this.memoryBytes = memoryBytes;
        this.limitBytes = limitBytes;
        this.mostFiles = mostFiles;
        this.space = space;
        this.roomBytes = limitBytes;
    }

    /**
     * Begins to take content. Its threads last as long as the process.
     *
     * @param directory where a file is made at once, to see whether that is possible
     * @param memoryBytes content of up to this size stays in memory
     * @param limitBytes the most bytes of all files together
     * @param mostFiles how many there may be: each takes a descriptor
     * @throws IOException if no file can be made there
     */
    public static Spool open(Path directory, int memoryBytes, long limitBytes, int mostFiles)
            throws IOException {
        return open(directory, memoryBytes, limitBytes, mostFiles, new SpaceOf(directory.toFile()));
    }

    static Spool open(Path directory, int memoryBytes, long limitBytes, int mostFiles, Space space)
            throws IOException {
        if (memoryBytes < 0 || limitBytes < 1 || mostFiles < 1) {
            throw new IllegalArgumentException(
                    "in memory " + memoryBytes + ", " + limitBytes + " in " + mostFiles + " files");
        }
        openWithoutName(directory).close();
        Spool spool = new Spool(directory, memoryBytes, limitBytes, mostFiles, space);
        Thread.ofPlatform().daemon().name("handoff-spool").start(spool::write);
        // All of them now: later the system may let this process start no more.
        for (int number = 1; number <= READERS; number++) {
            Thread.ofPlatform().daemon().name("handoff-spool-read-" + number).start(spool::read);
        }
        return spool;
    }

    /** The bytes that the files have by now. */
    public long bytes() {
        return bytes.get();
    }

    /** How many there are. */
    public long files() {
        return files.get();
    }

    /** The most bytes that all files together may have. */
    public long limitBytes() {
        return limitBytes;
    }

    /** Whether the disk does not keep up, so that what goes there has to wait. */
    boolean isBehind() {
        Task oldest = work.peek();
        return oldest != null && System.nanoTime() - oldest.sinceNanos >= BEHIND_NANOS;
    }

    int memoryBytes() {
        return memoryBytes;
    }

    /** An array for content, whatever is in it. */
    byte[] room() {
        return spare.take();
    }

    /** What was in it is written, or nobody wants it. */
    void written(ByteBuffer content) {
        if (content.arrayOffset() == 0) {
            spare.giveBack(content.array());
        }
    }

    /**
     * Calls back from the thread that writes when little room is left, and now and then while more
     * is written.
     */
    void whenNearlyFull(Runnable action) {
        whenNearlyFull.add(action);
    }

    private void tellIfNearlyFull() {
        boolean nearlyFull = excessBytes() > 0 || excessFiles() > 0;
        if (nearlyFull && (untilToldBytes < 0 || untilToldFiles < 0)) {
            tell();
        }
    }

    private void tell() {
        untilToldBytes = Math.max(limitBytes / PART, LEAST_PART_BYTES);
        untilToldFiles = mostFiles / PART;
        whenNearlyFull.forEach(Runnable::run);
    }

    /** How much each of those who are called should make room for. */
    long excessBytes() {
        return part(bytes.get() - leavingBytes.get() - (long) (NEARLY * roomBytes));
    }

    /** How many files each of them should give back. */
    long excessFiles() {
        return part(files.get() - leavingFiles.get() - (long) (NEARLY * mostFiles));
    }

    private long part(long excess) {
        int parts = Math.max(1, whenNearlyFull.size());
        return Math.max(0, (excess + parts - 1) / parts);
    }

    /** Notes that this much will be given back or, if it is negative, has been. */
    void leaving(long moreBytes, int moreFiles) {
        leavingBytes.addAndGet(moreBytes);
        leavingFiles.addAndGet(moreFiles);
    }

    /** Has the content retry when there may be room. On the thread that writes. */
    void awaitRoom(Waiting content) {
        long now = System.nanoTime();
        waiting.add(new Place(content, now));
        if (now - lastCallNanos >= CALL_NANOS) {
            lastCallNanos = now;
            tell();
        }
    }

    private void retryWaiting() {
        Place first = waiting.peek();
        while (first != null && first.content.retry()) {
            waiting.remove();
            first = waiting.peek();
        }
    }

    /** Runs behind all that was given before, on the thread that writes. */
    Task execute(Runnable action) {
        Task task = new Task(action, System.nanoTime());
        work.add(task);
        return task;
    }

    /** The task need not run any more, and holds no memory if it has not begun. */
    void forget(Task task) {
        var _ = work.remove(task);
    }

    /** How many tasks wait for the thread that writes, for tests. */
    int waitingTasks() {
        return work.size();
    }

    /** Runs a read on a thread that may wait for the disk. */
    void executeRead(Runnable read) {
        reads.add(read);
    }

    /**
     * A file without a name; null if there are as many as may be. On the thread that writes.
     *
     * @throws IOException if it cannot be made
     */
    @Nullable FileChannel newFile() throws IOException {
        untilToldFiles--;
        tellIfNearlyFull();
        if (files.get() >= mostFiles) {
            return null;
        }
        FileChannel file = openWithoutName(directory);
        files.incrementAndGet();
        return file;
    }

    /** Takes room for this many bytes; returns whether there is any. On the thread that writes. */
    boolean take(int wanted) {
        untilToldBytes -= wanted;
        untilLookBytes -= wanted;
        if (untilLookBytes < 0) {
            look();
        }
        tellIfNearlyFull();
        if (bytes.addAndGet(wanted) > roomBytes) {
            bytes.addAndGet(-wanted);
            untilLookBytes = 0;
            return false;
        }
        return true;
    }

    /** The file system may be small, or others fill it: then it has room for fewer bytes. */
    private void look() {
        long leastFree = Math.min(LEAST_FREE_BYTES, space.totalBytes() / LEAST_FREE_PART);
        long free = space.usableBytes() - leastFree;
        roomBytes = Math.min(limitBytes, bytes.get() + free);
        untilLookBytes = Math.clamp(free / 2, 0, LOOK_BYTES);
    }

    /**
     * Gives this much room back. On the thread that writes.
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
        retryWaiting();
    }

    private static FileChannel openWithoutName(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, "handoff-", ".spool");
        try {
            return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } finally {
            // A cleaner of old files may have been faster.
            Files.deleteIfExists(file);
        }
    }

    private void write() {
        while (true) {
            try {
                Task next = next();
                if (next != null) {
                    next.action.run();
                }
            } catch (InterruptedException nobodyDoesThat) {
                return;
            }
        }
    }

    private void read() {
        while (true) {
            try {
                reads.take().run();
            } catch (InterruptedException nobodyDoesThat) {
                return;
            }
        }
    }

    /** The next thing to do; null if some content has waited in vain, and was told so. */
    private @Nullable Task next() throws InterruptedException {
        Place first = waiting.peek();
        if (first == null) {
            return work.take();
        }
        long leftNanos = first.sinceNanos + MOST_WAIT_NANOS - System.nanoTime();
        if (leftNanos <= 0) {
            waiting.remove();
            first.content.waitedInVain();
            return null;
        }
        return work.poll(leftNanos, TimeUnit.NANOSECONDS);
    }
}
