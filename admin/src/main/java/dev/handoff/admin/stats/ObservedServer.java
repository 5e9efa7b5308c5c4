package dev.handoff.admin.stats;

import dev.handoff.loop.EventLoops;
import dev.handoff.process.WorkerPool;
import dev.handoff.server.HttpServer;
import dev.handoff.server.files.FileThreads;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The running server that the admin server reports on.
 *
 * @param loops those that the server and its pools share
 * @param pools the pools that serve now, in the order in which they are shown
 * @param retiring the pools that were removed or replaced, and finish what they have
 * @param certificates those that it shows now; none where it speaks no TLS
 * @param counters which listen to all of these
 * @param files which read the disk for clients
 * @param droppedLogLines by the name of the log: the lines that were not read fast enough
 */
public record ObservedServer(
        EventLoops loops,
        HttpServer server,
        Supplier<List<WorkerPool>> pools,
        Supplier<List<WorkerPool>> retiring,
        Supplier<List<ServedCertificate>> certificates,
        Counters counters,
        FileThreads files,
        Map<String, LongSupplier> droppedLogLines) {}
