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
     * Its lines are {@code + LEADER START}, whose group is to be ended sometime, {@code - LEADER},
     * now, and {@code = LEADER}, whose is no more. It keeps {@code LEADER:START} of each, since
     * others may get the number of a leader that has ended, once nothing else is in its group and
     * session. Where the core does not know the start it looks itself.
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
            start_of() {
                read_fields "$1"
                set -- $fields
                now=${20}
            }
            is_ours() {
                case $groups in *" $1:"*) ;; *) return 1 ;; esac
                led=${groups#*" $1:"}
                start_of "$1"
                [ -z "$now" ] || [ "$now" = "${led%% *}" ]
            }
            end_sessions() {
                for pass in 1 2 3 4 5; do
                    found=
                    for process in /proc/[0-9]*; do
                        process=${process#/proc/}
                        read_fields "$process"
                        session=${fields#* * * }
                        session=${session%% *}
                        case $fields in [!Z]*)
                            is_ours "$session" && kill -KILL "$process" && found=y ;;
                        esac
                    done
                    [ "$found" ] || break
                done
            }
            while read -r what leader start; do
                case $what in
                    +) [ "$start" ] || { start_of "$leader"; start=$now; }
                        groups="$groups$leader:$start " ;;
                    -) is_ours "$leader" && kill -KILL "-$leader" ;;
                    =) case $groups in *" $leader:"*)
                        rest=${groups#*" $leader:"}
                        groups="${groups%%" $leader:"*} ${rest#* }" ;;
                    esac ;;
                esac
            done
            for group in $groups; do
                leader=${group%:*}
                is_ours "$leader" && kill -KILL "-$leader"
            done
            end_sessions
            """;

    /** In no session of a terminal, or what ends all processes of that would end it first. */
    private static final List<String> COMMAND = List.of("setsid", "sh", "-c", SCRIPT, NAME);

    /** One that ends sooner is not replaced before it is needed. */
    private static final long LEAST_LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Executor thread;
    private final SessionSweep sweep;

    /** By their leaders. */
    private final Map<Long, GroupLeader> led = new LinkedHashMap<>();

    private @Nullable Process shell;

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
        GroupLeader leader = GroupLeader.of(process);
        GroupLeader before = led.remove(leader.pid());
        if (before != null) {
            tellOfEnd(before);
        }
        tell(knownAs(leader));
        led.put(leader.pid(), leader);
    }

    /**
     * Ends what is in the group that a process leads, or has led, and soon the rest of its session.
     */
    void end(long pid) {
        GroupLeader leader = led.get(pid);
        if (leader != null) {
            tell("- " + pid);
            sweep.end(leader);
        }
    }

    /** Nothing more is found in a session. While its leader is on its way out, that may change. */
    private void forget(GroupLeader leader) {
        if (!leader.process().isAlive() && led.remove(leader.pid(), leader)) {
            tellOfEnd(leader);
        }
    }

    private static String knownAs(GroupLeader leader) {
        Long start = leader.startTicks();
        return start == null ? "+ " + leader.pid() : "+ %d %d".formatted(leader.pid(), start);
    }

    /** A shell that is not there has nothing to forget. */
    private void tellOfEnd(GroupLeader leader) {
        if (shell != null && shell.isAlive()) {
            tell("= " + leader.pid());
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
            for (GroupLeader leader : led.values()) {
                write(running, knownAs(leader));
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
