package dev.handoff.process.supervise;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The groups and sessions that our processes lead. A shell signals whole groups, which Java cannot,
 * and {@link SessionSweep} ends what has left them. When the shell's input ends, so also when the
 * core is killed, it ends the groups and sessions that are left: a death signal reaches only the
 * process that the core started, and not what that has started.
 *
 * <p>Belongs to one thread.
 */
final class ProcessGroups {
    /** What the system calls the shell: the name of its script. */
    private static final String NAME = "handoff-groups";

    /**
     * Its lines are {@code + GROUP}, which one is to be ended sometime, {@code - GROUP}, now, and
     * {@code = GROUP}, which is no more. A group is named {@code LEADER:START}, since others may
     * get the number of a leader that has ended, once nothing else is in its group and session.
     *
     * <p>While the core lives the shell does nothing that takes long. Then it looks at all
     * processes for those of the sessions. Linux tells session and start in the sixth field of a
     * file and its twenty-second. The second is the name that any user's process gives itself, with
     * whatever is in it: line ends, parentheses, and patterns, which the shell must not expand. A
     * process that forks may have another behind the place that was looked at, so it looks again.
     */
    private static final String SCRIPT =
            """
            cd /; trap '' HUP INT TERM; groups=' '
            read_fields() {
                fields=
                while read -r line; do fields=${line##*) }; done <"/proc/$1/stat"
            }
            is_ours() {
                read_fields "${1%:*}"
                [ "$fields" ] || return 0
                set -- "$1" $fields
                [ "${1#*:}" = "${21}" ]
            }
            end_sessions() {
                for pass in 1 2 3 4 5; do
                    found=
                    for process in /proc/[0-9]*; do
                        process=${process#/proc/}
                        read_fields "$process"
                        session=${fields#* * * }
                        session=${session%% *}
                        case $fields in [!Z]*) case $groups in *" $session:"*)
                            start=${groups#*" $session:"}
                            is_ours "$session:${start%% *}" && kill -KILL "$process" && found=y ;;
                        esac esac
                    done
                    [ "$found" ] || break
                done
            }
            while read -r what group; do
                case $what in
                    +) groups="$groups$group " ;;
                    -) is_ours "$group" && kill -KILL "-${group%:*}" ;;
                    =) groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
                esac
            done
            for group in $groups; do is_ours "$group" && kill -KILL "-${group%:*}"; done
            end_sessions
            """;

    /** In no session of a terminal, or what ends all processes of that would end it first. */
    private static final List<String> COMMAND = List.of("setsid", "sh", "-c", SCRIPT, NAME);

    /** One that ends sooner is not replaced before it is needed. */
    private static final long LEAST_LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Executor thread;
    private final SessionSweep sweep;

    /** By their leaders. */
    private final Map<Long, Led> led = new LinkedHashMap<>();

    private @Nullable Process shell;

    /**
     * @param startTicks of the leader; null if it had ended before we looked
     */
    private record Led(long leader, @Nullable Long startTicks) {
        /** As the shell knows it. */
        String name() {
            return leader + ":" + (startTicks == null ? "" : startTicks);
        }
    }

    /**
     * @param thread that this belongs to
     */
    ProcessGroups(Executor thread) {
        this.thread = thread;
        sweep = new SessionSweep(leader -> thread.execute(() -> forget(leader)));
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
    void started(Process process) {
        ProcessStatus status = ProcessStatus.of(process.pid());
        // The number of one that has ended may be another's by now.
        boolean isItsOwn = process.isAlive();
        Led group = new Led(process.pid(), status != null && isItsOwn ? status.startTicks() : null);
        led.put(process.pid(), group);
        tell("+ " + group.name());
    }

    /**
     * Ends what is in the group that a process leads, or has led, and soon the rest of its session.
     */
    void end(long pid) {
        Led group = led.get(pid);
        if (group != null) {
            tell("- " + group.name());
            sweep.end(pid, group.startTicks());
        }
    }

    private void forget(long pid) {
        Led group = led.remove(pid);
        if (group != null) {
            tell("= " + group.name());
        }
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
            for (Led group : led.values()) {
                write(running, "+ " + group.name());
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
