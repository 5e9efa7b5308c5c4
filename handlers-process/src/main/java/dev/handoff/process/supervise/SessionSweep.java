package dev.handoff.process.supervise;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends what is left of the sessions of processes that have ended, on Linux: what has left the group
 * for one of its own, as below {@code timeout}, is still of the session that the leader began.
 *
 * <p>It looks at all processes of the machine, which may be many, and for all sessions at once. So
 * it has a thread of its own, which keeps nobody else from being ended, and rests three times as
 * long as it has looked. May be called from any thread.
 */
final class SessionSweep {
    private static final Path PROCESSES = Path.of("/proc");

    /** A process that forks may have another one behind the place that was looked at. */
    private static final int MOST_PASSES = 5;

    /** A process that does not end, as it waits for a disk, is not looked for any more. */
    private static final int MOST_LOOKS = 50;

    /** Most end by the signal to their group, which is on its way. */
    private static final long LEAST_REST_MILLIS = 20;

    private static final int RESTS_FOR_A_LOOK = 3;

    /** A session whose leader has ended. */
    private static final class Ended {
        final @Nullable Long startTicks;
        int looks;

        Ended(@Nullable Long startTicks) {
            this.startTicks = startTicks;
        }
    }

    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().name("handoff-session-sweep").daemon().factory());
    private final LongConsumer over;

    /** By their leaders. Belongs to the thread, as does what follows. */
    private final Map<Long, Ended> sessions = new HashMap<>();

    private boolean lookIsDue;
    private long restMillis = LEAST_REST_MILLIS;

    /**
     * @param over hears of each session that nothing more is done about, on any thread
     */
    SessionSweep(LongConsumer over) {
        this.over = over;
        thread.prestartCoreThread();
    }

    /**
     * Ends what is in the session that a process has led.
     *
     * @param startTicks of the leader; null if nobody has seen it run
     */
    void end(long leader, @Nullable Long startTicks) {
        thread.execute(() -> {
            sessions.put(leader, new Ended(startTicks));
            lookSoon();
        });
    }

    private void lookSoon() {
        if (!lookIsDue && !sessions.isEmpty()) {
            lookIsDue = true;
            var _ = thread.schedule(this::look, restMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        lookIsDue = false;
        long begunNanos = System.nanoTime();
        try {
            Set<Long> left = endAll();
            for (int pass = 1; pass < MOST_PASSES && !left.isEmpty(); pass++) {
                left = endAll();
            }
            forgetAllBut(left);
        } catch (IOException | DirectoryIteratorException noDescriptor) {
            // It looks again.
        }
        long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
        restMillis = Math.max(LEAST_REST_MILLIS, RESTS_FOR_A_LOOK * tookMillis);
        lookSoon();
    }

    private void forgetAllBut(Set<Long> left) {
        for (Map.Entry<Long, Ended> each : List.copyOf(sessions.entrySet())) {
            long leader = each.getKey();
            int looks = ++each.getValue().looks;
            if (!left.contains(leader) || looks == MOST_LOOKS) {
                sessions.remove(leader);
                over.accept(leader);
            }
        }
    }

    /** Returns the sessions of which something ran. */
    private Set<Long> endAll() throws IOException {
        Set<Long> found = new HashSet<>();
        for (long pid : running()) {
            ProcessHandle process = ProcessHandle.of(pid).orElse(null);
            // Asked again, since only from here on the number means this process.
            ProcessStatus status = ProcessStatus.read(pid);
            if (process != null && status != null && isLeft(status)) {
                process.destroyForcibly();
                found.add(status.session());
            }
        }
        return found;
    }

    /** What runs in one of the sessions. */
    private List<Long> running() throws IOException {
        List<Long> found = new ArrayList<>();
        if (!Files.exists(PROCESSES)) {
            return found; // no Linux
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            for (Path folder : folders) {
                long pid = Long.parseLong(folder.getFileName().toString());
                ProcessStatus status = ProcessStatus.read(pid);
                if (status != null && isLeft(status)) {
                    found.add(pid);
                }
            }
        }
        return found;
    }

    private boolean isLeft(ProcessStatus status) throws IOException {
        if (status.hasEnded()) {
            return false;
        }
        Ended session = sessions.get(status.session());
        return session != null && isOurs(status.session(), session);
    }

    /**
     * Whether a session is still the one that is meant. Nobody gets its number while anything is in
     * it; once nothing is, any process may.
     */
    private static boolean isOurs(long leader, Ended session) throws IOException {
        ProcessStatus now = ProcessStatus.read(leader);
        return now == null
                || (session.startTicks != null && session.startTicks == now.startTicks());
    }
}
