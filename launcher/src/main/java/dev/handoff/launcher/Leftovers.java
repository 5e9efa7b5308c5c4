package dev.handoff.launcher;

import dev.handoff.process.supervise.ProcessStarter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Removes what must not outlive this process: its worker processes, and the worker socket with its
 * private folder. It leaves a socket elsewhere alone, which may be another server's by then; a
 * stale one does no harm. A shutdown hook does this, so on every way out but a KILL; then workers
 * end by their death signal or the end of their connection, and what they have started by the shell
 * that {@link ProcessStarter} leaves behind.
 */
final class Leftovers {
    private static final int MOST_ROUNDS = 5;

    private final Deque<Path> files = new ConcurrentLinkedDeque<>();

    static Leftovers removeAtExit() {
        Leftovers leftovers = new Leftovers();
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform().name("handoff-leftovers").unstarted(leftovers::remove));
        return leftovers;
    }

    /** Adds a file to remove if it is still there; the last one added is removed first. */
    void add(Path file) {
        files.push(file);
    }

    void remove() {
        try {
            endProcesses();
        } catch (RuntimeException noDescriptor) {
            // So the JDK says that it cannot open /proc. The workers' death signal ends them.
        }
        for (Path file : files) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException somebodyElsesToo) {
                // For example a folder in which another program put a file. It stays.
            }
        }
    }

    /** Repeats while there are processes, since one may just have been started. */
    private static void endProcesses() {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            var processes =
                    ProcessHandle.current()
                            .descendants()
                            .filter(each -> !ProcessStarter.clearsUp(each))
                            .toList();
            if (processes.isEmpty()) {
                return;
            }
            processes.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
