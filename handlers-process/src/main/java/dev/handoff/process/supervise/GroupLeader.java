package dev.handoff.process.supervise;

import org.jspecify.annotations.Nullable;

/**
 * A process that leads a group and a session, which may outlive it.
 *
 * @param startTicks null where the system did not tell
 */
record GroupLeader(Process process, @Nullable Long startTicks) {
    static GroupLeader of(Process process) {
        ProcessStatus status = ProcessStatus.of(process.pid());
        // The number of one that has ended may be another's by now.
        boolean isItsOwn = process.isAlive();
        return new GroupLeader(process, status != null && isItsOwn ? status.startTicks() : null);
    }

    long pid() {
        return process.pid();
    }

    /**
     * Whether the group and the session of this number are still its own. Nobody else gets the
     * number while anything is in them; once nothing is, any process may.
     *
     * @param now what has the number now; null for nothing
     */
    boolean has(@Nullable ProcessStatus now) {
        return now == null
                || process.isAlive()
                || (startTicks != null && startTicks == now.startTicks());
    }
}
