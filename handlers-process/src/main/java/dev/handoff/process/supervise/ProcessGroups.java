package dev.handoff.process.supervise;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The groups and sessions that our processes lead, in the hands of a shell. It ends one when it is
 * told to, and those that are left when its input ends, so also when the core is killed: a death
 * signal reaches only the process that the core started, and not what that has started. Java could
 * not do the first either, since it signals single processes only.
 *
 * <p>Belongs to one thread.
 */
final class ProcessGroups {
    /** What the system calls the shell: the name of its script. */
    private static final String NAME = "handoff-groups";

    /**
     * Its lines are {@code + GROUP}, which one is to be ended sometime, {@code - GROUP}, now, and
     * {@code =}, to end the sessions of those that were ended. What has left a group for another,
     * as below {@code timeout}, is still of the session that the leader began. Linux tells that in
     * the sixth field of a file. The second is the name that any user's process gives itself, with
     * whatever is in it: line ends, parentheses, and patterns, which the shell must not expand. A
     * process that forks may have another behind the place that was looked at, so it looks again.
     */
    private static final String SCRIPT =
            """
            cd /; trap '' HUP INT TERM; groups=' '
            ended=' '
            end_sessions() {
                for pass in 1 2 3 4 5; do
                    found=
                    for process in /proc/[0-9]*; do
                        fields=
                        while read -r line; do fields=${line##*) }; done <"$process/stat"
                        session=${fields#* * * }
                        session=${session%% *}
                        case $fields in [!Z]*) case $ended in *" $session "*)
                            kill -KILL "${process#/proc/}" && found=y ;;
                        esac esac
                    done
                    [ "$found" ] || break
                done
                ended=' '
            }
            while read -r what group; do
                case $groups in *" $group "*)
                    groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
                esac
                case $what in
                    +) groups="$groups$group " ;;
                    -) kill -KILL "-$group"; ended="$ended$group " ;;
                    =) end_sessions ;;
                esac
            done
            for group in $groups; do kill -KILL "-$group"; done
            ended="$ended$groups"; end_sessions
            """;

    /** In no session of a terminal, or what ends all processes of that would end it first. */
    private static final List<String> COMMAND = List.of("setsid", "sh", "-c", SCRIPT, NAME);

    /** One that ends sooner is not replaced before it is needed. */
    private static final long LEAST_LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A look at all processes of the machine takes milliseconds; workers may end in crowds. */
    private static final long LOOK_MILLIS = 1000;

    private final Executor thread;
    private final Set<Long> led = new LinkedHashSet<>();
    private @Nullable Process shell;
    private boolean lookIsDue;

    /**
     * @param thread that this belongs to
     */
    ProcessGroups(Executor thread) {
        this.thread = thread;
    }

    /** Whether a process is the shell of some core. */
    static boolean isShell(ProcessHandle process) {
        return process.info()
                .arguments()
                .filter(arguments -> arguments[arguments.length - 1].equals(NAME))
                .isPresent();
    }

    /**
     * A process will soon lead a group: the shell takes longer to start than it takes to tell it.
     */
    void starting() {
        try {
            running();
        } catch (IOException noShell) {
            shell = null;
        }
    }

    /** A process leads a group from now on. */
    void started(long pid) {
        led.add(pid);
        tell("+ " + pid);
    }

    /**
     * Ends what is in the group that a process leads, or has led, and within a second the rest of
     * its session.
     */
    void end(long pid) {
        led.remove(pid);
        tell("- " + pid);
        if (!lookIsDue) {
            lookIsDue = true;
            CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS, thread)
                    .execute(this::endSessions);
        }
    }

    private void endSessions() {
        lookIsDue = false;
        tell("=");
    }

    private void tell(String line) {
        try {
            write(running(), line);
        } catch (IOException ended) {
            // It has been killed, or was out of memory. A new one knows all that its input is told.
            shell = null;
            startAnew(line);
        }
    }

    /** Somebody has killed it. */
    private void ended(long begunNanos) {
        Process last = shell;
        boolean isNeeded = last != null && !last.isAlive() && !led.isEmpty();
        if (isNeeded && System.nanoTime() - begunNanos >= LEAST_LIFE_NANOS) {
            try {
                running();
            } catch (IOException noShell) {
                shell = null;
            }
        }
    }

    private void startAnew(String line) {
        try {
            write(running(), line);
        } catch (IOException noShell) {
            // The processes themselves are signalled all the same; their children are left to init.
            shell = null;
        }
    }

    private Process running() throws IOException {
        Process running = shell;
        // What is written to one that has ended is lost without a word.
        if (running == null || !running.isAlive()) {
            running = start();
            shell = running;
            long begunNanos = System.nanoTime();
            var _ = running.onExit().thenRunAsync(() -> ended(begunNanos), thread);
            for (long pid : led) {
                write(running, "+ " + pid);
            }
        }
        return running;
    }

    private static Process start() throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(COMMAND)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        // It outlives the core, whose secrets may be here.
        builder.environment().clear();
        try {
            return builder.start();
        } catch (RuntimeException | OutOfMemoryError noThread) {
            // An error, such as having no thread left, must not end the thread that this belongs
            // to.
            throw new IOException(noThread);
        }
    }

    private static void write(Process shell, String line) throws IOException {
        shell.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
        shell.getOutputStream().flush();
    }
}
