package dev.handoff.process;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps the processes of one pool running: one {@link WorkerSlot} each. On the pool's loop. */
final class Supervisor {
    private final WorkerPool pool;
    private final WorkerCommand command;
    private final ProcessStarter starter;
    private final List<WorkerSlot> slots = new ArrayList<>();

    Supervisor(WorkerPool pool, WorkerCommand command, ProcessStarter starter) {
        this.pool = pool;
        this.command = command;
        this.starter = starter;
    }

    void start(int count) {
        for (int i = 1; i <= count; i++) {
            WorkerSlot slot = new WorkerSlot(pool.name() + "-" + i, pool, this, command, starter);
            slots.add(slot);
            slot.start();
        }
    }

    /** The slot whose process was given this token and has not used it yet, or null. */
    @Nullable WorkerSlot claim(@Nullable String token) {
        if (token == null) {
            return null;
        }
        for (WorkerSlot slot : slots) {
            String expected = slot.expectedToken();
            if (expected != null && equalInConstantTime(expected, token)) {
                return slot;
            }
        }
        return null;
    }

    /** Ends all processes; each slot goes when its process has. */
    void stop() {
        List.copyOf(slots).forEach(WorkerSlot::stop);
    }

    void ended(WorkerSlot slot) {
        slots.remove(slot);
        pool.completeIfDrained();
    }

    boolean isEmpty() {
        return slots.isEmpty();
    }

    private static boolean equalInConstantTime(String expected, String given) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }
}
