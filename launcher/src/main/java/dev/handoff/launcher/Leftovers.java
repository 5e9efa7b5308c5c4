package dev.handoff.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * What must not outlive this process: its worker processes, and the socket in a folder of its own.
 * A socket elsewhere may be another server's by then; a stale one harms nobody. Removed by a
 * shutdown hook, so on every way out but a KILL; after that one, the workers' death signal and the
 * end of their socket remain.
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

    /** To be removed if it is still there; the last that was added is the first to go. */
    void add(Path file) {
        files.push(file);
    }

    void remove() {
        endProcesses();
        for (Path file : files) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException somebodyElsesToo) {
                // Such as a folder in which somebody else put a file: it is left as it is.
            }
        }
    }

    /** Again while there are some, since one may just have been started. */
    private static void endProcesses() {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            var processes = ProcessHandle.current().descendants().toList();
            if (processes.isEmpty()) {
                return;
            }
            processes.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
