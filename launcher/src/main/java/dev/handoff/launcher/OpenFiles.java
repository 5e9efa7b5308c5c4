package dev.handoff.launcher;

import dev.handoff.launcher.config.Configuration;
import dev.handoff.launcher.config.PoolPlan;
import dev.handoff.process.dispatch.PoolDispatch;
import dev.handoff.server.ResponseStream;
import dev.handoff.server.files.FileThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.stream.Stream;

/**
 * Divides the file descriptors of this process: it reserves some for workers and operators, so that
 * clients cannot take all of them. Where the system does not tell its limit, it reserves none.
 */
final class OpenFiles {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final String LIMIT_NAME = "Max open files";

    /** For operators, and for what the runtime opens later. */
    private static final int KEPT = 32;

    /** The files of a worker: its connection and its output, twice while a successor starts. */
    private static final int KEPT_FOR_A_WORKER = 8;

    /** The files of an event loop: its selector and what wakes it. */
    private static final int KEPT_FOR_A_LOOP = 3;

    /**
     * The files of a thread that looks for a file: two folders on its way down, each open twice,
     * the file, and one beside it.
     */
    private static final int KEPT_FOR_A_FILE_THREAD = 8;

    /** How many workers started elsewhere are expected. */
    private static final int VISITING_WORKERS = 16;

    /** Operators and scrapers are few, but in a flood places give probes time to speak. */
    private static final int FEWEST_OPERATORS = 100;

    private static final int MOST_OPERATORS = 500;
    private static final int SHARE_OF_OPERATORS = 10;

    /** Large requests wait in files; there are few at a time, unless somebody wants to do harm. */
    private static final int FEWEST_SPOOLED = 16;

    private static final int MOST_SPOOLED = 1000;
    private static final int SHARE_OF_SPOOLED = 10;

    /** Large files that clients take slowly; the small ones are closed at once. */
    private static final int FEWEST_SENT = 16;

    private static final int MOST_SENT = 1000;
    private static final int SHARE_OF_SENT = 10;

    /** The memory that is counted for each: a window on its way, and as much that is written. */
    private static final int WINDOWS_BYTES = 2 * ResponseStream.FIRST_ROOM_BYTES;

    private OpenFiles() {}

    /**
     * How many files may be open for clients that take them.
     *
     * @param bufferedBytes the most that all clients may make the server hold; half of it is for
     *     responses
     */
    static int sentFiles(long bufferedBytes) {
        long share = Math.min(limit() / SHARE_OF_SENT, bufferedBytes / 2 / WINDOWS_BYTES);
        return Math.clamp(share, FEWEST_SENT, MOST_SENT);
    }

    /** How many large requests may wait in files. */
    static int spooledRequests() {
        return Math.clamp(limit() / SHARE_OF_SPOOLED, FEWEST_SPOOLED, MOST_SPOOLED);
    }

    /** How many connections the admin server may have. */
    static int operatorConnections() {
        return Math.clamp(limit() / SHARE_OF_OPERATORS, FEWEST_OPERATORS, MOST_OPERATORS);
    }

    /**
     * What a pool needs.
     *
     * @param workers that are started for it, or are expected to come
     * @param connections to HTTP servers, for requests
     * @param lasting connections to them that a response in pieces or a WebSocket may keep, those
     *     of servers that a reload replaces included
     */
    record OfPool(int workers, int connections, int lasting) {
        OfPool max(OfPool other) {
            return new OfPool(
                    Math.max(workers, other.workers),
                    Math.max(connections, other.connections),
                    Math.max(lasting, other.lasting));
        }
    }

    static OfPool of(PoolPlan plan, int processes) {
        return new OfPool(
                plan.isVisited() ? VISITING_WORKERS : processes,
                plan.connections(processes),
                2 * PoolDispatch.MOST_STREAMS * plan.servers(processes));
    }

    /**
     * How many client connections are possible.
     *
     * @param configuration whose folders are counted
     * @param open the files that are open without any client
     */
    static int connections(
            int wanted,
            int loops,
            Collection<OfPool> pools,
            Configuration configuration,
            long open) {
        int workers = pools.stream().mapToInt(OfPool::workers).sum();
        long lasting = pools.stream().mapToLong(OfPool::lasting).sum();
        long buffered = configuration.core().server().bufferedBytes();
        long others =
                (long) spooledRequests()
                        + pools.stream().mapToLong(OfPool::connections).sum()
                        + (configuration.servesFiles() ? sentFiles(buffered) : 0);
        int fileThreads = configuration.servesFiles() ? FileThreads.mostThreads() : 0;
        return connections(wanted, loops, workers, fileThreads, lasting, limit(), open + others);
    }

    static int connections(
            int wanted,
            int loops,
            int workers,
            int fileThreads,
            long lasting,
            long limit,
            long open) {
        long kept =
                KEPT
                        + (long) KEPT_FOR_A_LOOP * loops
                        + (long) KEPT_FOR_A_WORKER * workers
                        + (long) KEPT_FOR_A_FILE_THREAD * fileThreads;
        long room = limit - open - kept;
        // A client has one lasting response at a time, which needs a connection as well.
        long left = Math.max(room / 2, room - lasting);
        return (int) Math.max(1, Math.min(wanted, left));
    }

    private static long limit() {
        try (Stream<String> lines = Files.lines(LIMITS)) {
            return lines.filter(line -> line.startsWith(LIMIT_NAME))
                    .map(line -> line.substring(LIMIT_NAME.length()).strip().split(" ", 2)[0])
                    .filter(soft -> soft.chars().allMatch(Character::isDigit))
                    .mapToLong(Long::parseLong)
                    .findFirst()
                    .orElse(Long.MAX_VALUE);
        } catch (IOException | UncheckedIOException notLinux) {
            return Long.MAX_VALUE;
        }
    }

    /** How many files are open now; 0 where the system does not tell. */
    static long open() {
        try (Stream<Path> descriptors = Files.list(OPEN)) {
            return descriptors.count();
        } catch (IOException | UncheckedIOException notLinux) {
            return 0;
        }
    }
}
