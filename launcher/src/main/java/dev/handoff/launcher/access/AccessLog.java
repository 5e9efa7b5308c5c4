package dev.handoff.launcher.access;

import dev.handoff.launcher.config.AccessTarget;
import dev.handoff.launcher.config.LogFormat;
import dev.handoff.server.ServerListener;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes a line for each request that was answered, refused or given up. An event loop only notes
 * what there is to say; a line that finds no room there is dropped and counted. Any thread.
 */
public final class AccessLog {
    /** The part of the heap that lines may hold which wait to be written, of all loops together. */
    private static final int PART_OF_HEAP = 32;

    /** A loop may hold so much, however many there are and however small the heap. */
    private static final long LEAST_BYTES = 64 * 1024;

    private final List<EntryRing> rings;
    private final AccessWriter writer;

    private AccessLog(List<EntryRing> rings, AccessWriter writer) {
        this.rings = rings;
        this.writer = writer;
    }

    /**
     * @param stdout takes whole lines, of which it may keep the writer's thread waiting
     * @param loops how many event loops there are
     * @throws IOException if the file cannot be opened
     */
    public static AccessLog open(AccessTarget target, LogFormat format, LineSink stdout, int loops)
            throws IOException {
        LineSink sink =
                target instanceof AccessTarget.ToFile file ? new LogFile(file.path()) : stdout;
        AccessFormat lines =
                switch (format) {
                    case TEXT -> new TextAccessFormat(ZoneId.systemDefault());
                    case JSON -> new JsonAccessFormat();
                };
        long ringBytes = ringBytes(Runtime.getRuntime().maxMemory(), loops);
        List<EntryRing> rings =
                Stream.generate(() -> new EntryRing(ringBytes)).limit(loops).toList();
        AccessWriter writer = new AccessWriter(lines, sink, rings);
        writer.start();
        return new AccessLog(rings, writer);
    }

    /**
     * How much one loop may hold.
     *
     * @param heapBytes the most that Java's heap may grow to
     */
    static long ringBytes(long heapBytes, int loops) {
        return Math.max(LEAST_BYTES, heapBytes / PART_OF_HEAP / loops);
    }

    /** The listener for requests, with one of its own for each loop. */
    public ServerListener listener() {
        return new ServerListener() {
            @Override
            public ServerListener forLoop(int index) {
                return new LoopAccessLog(rings.get(index), writer);
            }
        };
    }

    /** How many lines have been dropped since the start. */
    public long droppedLines() {
        return writer.droppedLines();
    }

    /** Continues in a new file of the same name, after the entries so far. */
    public void reopen() {
        writer.reopen();
    }

    /** Writes the remaining entries and ends; waits for that at most {@code limit}. */
    public void close(Duration limit) {
        writer.close(limit);
    }
}
