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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

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

    /** A session that is to end. */
    private static final class Session {
        final GroupLeader leader;
        int looks;

        Session(GroupLeader leader) {
            this.leader = leader;
        }
    }

    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().name("handoff-session-sweep").daemon().factory());
    private final Consumer<GroupLeader> over;

    /** By their leaders' numbers. Belongs to the thread, as does what follows. */
    private final Map<Long, Session> sessions = new HashMap<>();

    private boolean lookIsDue;
    private long restMillis = LEAST_REST_MILLIS;

    /**
     * @param over hears of each session about which nothing more is done, on any thread
     */
    SessionSweep(Consumer<GroupLeader> over) {
        this.over = over;
        thread.prestartCoreThread();
    }

    /** Ends what is in the session that a process leads, or has led. */
    void end(GroupLeader leader) {
        thread.execute(() -> {
            sessions.put(leader.pid(), new Session(leader));
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
        } finally {
            long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
            restMillis = Math.max(LEAST_REST_MILLIS, RESTS_FOR_A_LOOK * tookMillis);
            lookSoon();
        }
    }

    private void forgetAllBut(Set<Long> left) {
        for (Session session : List.copyOf(sessions.values())) {
            session.looks++;
            long pid = session.leader.pid();
            if (!left.contains(pid) || session.looks == MOST_LOOKS) {
                sessions.remove(pid);
                over.accept(session.leader);
            }
        }
    }

    /** Returns the sessions of which something ran. */
    private Set<Long> endAll() throws IOException {
        Set<Long> found = new HashSet<>();
        for (long pid : running()) {
            // Empty also where there is no descriptor to look with.
            Optional<ProcessHandle> process = ProcessHandle.of(pid);
            // Asked again, since only from here on the number means this process.
            ProcessStatus status = ProcessStatus.read(pid);
            if (status != null && isLeft(status)) {
                process.ifPresent(ProcessHandle::destroyForcibly);
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
        List<Long> all = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            folders.forEach(folder -> all.add(Long.parseLong(folder.getFileName().toString())));
        }
        for (long pid : all) {
            ProcessStatus status = ProcessStatus.read(pid);
            if (status != null && isLeft(status)) {
                found.add(pid);
            }
        }
        return found;
    }

    private boolean isLeft(ProcessStatus status) throws IOException {
        Session session = status.hasEnded() ? null : sessions.get(status.session());
        return session != null && session.leader.has(ProcessStatus.read(status.session()));
    }
}
