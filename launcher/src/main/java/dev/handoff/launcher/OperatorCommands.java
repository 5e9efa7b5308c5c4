package dev.handoff.launcher;

import dev.handoff.launcher.config.AdminToken;
import dev.handoff.launcher.config.AllSettings;
import dev.handoff.launcher.config.Options;
import dev.handoff.launcher.config.Scope;
import dev.handoff.launcher.config.Setting;
import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.Syntax;
import dev.handoff.launcher.config.Units;
import dev.handoff.launcher.config.UsageException;
import dev.handoff.launcher.logging.Console;
import dev.handoff.launcher.operator.AdminClient;
import dev.handoff.launcher.operator.AdminException;
import dev.handoff.launcher.operator.BearerToken;
import dev.handoff.launcher.operator.Orders;
import dev.handoff.launcher.operator.Reports;
import dev.handoff.launcher.operator.Top;
import dev.handoff.process.WorkerPool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The commands for operators, which talk to a running server and start none. */
final class OperatorCommands {
    static final Setting<Boolean> JSON =
            Setting.off(Scope.OPERATOR, "--json", "Print the server's JSON, for programs.");

    static final Setting<Boolean> PREVIOUS =
            Setting.off(
                    Scope.OPERATOR, "--previous", "Print the window that the last reset closed.");

    static final Setting<Boolean> ONCE =
            Setting.off(Scope.OPERATOR, "--once", "Print the view and end, for scripts.");

    static final Setting<Duration> INTERVAL =
            Setting.of(
                    Scope.OPERATOR,
                    "--interval",
                    Units.time(Duration.ofMillis(100)),
                    Duration.ofSeconds(1),
                    "Time between two updates.");

    static final Setting<Boolean> WAIT =
            Setting.off(Scope.OPERATOR, "--wait", "Wait until it is done, for a minute at most.");

    private static final Setting<Integer> PORT =
            AllSettings.ADMIN_PORT.presetAs(String.valueOf(AllSettings.ADMIN_PORT_UNASKED));

    /** The options that only these commands have. */
    static final List<Setting<?>> OWN = List.of(JSON, PREVIOUS, ONCE, INTERVAL, WAIT);

    private static final Syntax<Integer> WORKERS = Syntax.count(1, WorkerPool.MOST_PROCESSES);

    private static final List<Setting<?>> WHERE =
            List.of(AllSettings.ADMIN_HOST, PORT, AllSettings.ADMIN_TOKEN_FILE);

    /**
     * One command.
     *
     * @param takesNames whether names may follow it
     */
    record Command(List<Setting<?>> settings, boolean takesNames, Action action) {}

    /** What a command does; returns the exit code. */
    interface Action {
        int execute(Options options, List<String> names) throws UsageException, StartException;
    }

    private OperatorCommands() {}

    /** The command with this name, one of {@link HandoffCommandLine#OPERATOR_COMMANDS}. */
    static Command named(String name) {
        return switch (name) {
            case "top" -> new Command(with(ONCE, INTERVAL), false, (options, _) -> top(options));
            case "stats" ->
                    new Command(with(JSON, PREVIOUS), false, (options, _) -> stats(options));
            case "reset" -> new Command(with(JSON), false, (options, _) -> reset(options));
            case "drain" -> new Command(with(WAIT, JSON), true, OperatorCommands::drain);
            case "kill" -> new Command(with(WAIT, JSON), true, OperatorCommands::kill);
            case "reload" -> new Command(with(WAIT, JSON), true, OperatorCommands::reload);
            case "scale" -> new Command(with(WAIT, JSON), true, OperatorCommands::scale);
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static int stats(Options options) throws UsageException, StartException {
        return asking(
                options,
                server -> {
                    Reports reports = new Reports(server, options.get(JSON));
                    Console.STDOUT.print(reports.window(options.get(PREVIOUS)));
                });
    }

    private static int reset(Options options) throws UsageException, StartException {
        return asking(
                options,
                server -> Console.STDOUT.print(new Reports(server, options.get(JSON)).reset()));
    }

    private static int top(Options options) throws UsageException, StartException {
        return asking(
                options,
                server -> {
                    Top top = new Top(server, options.get(INTERVAL));
                    if (options.get(ONCE)) {
                        Console.STDOUT.print(top.once());
                    } else {
                        top.show();
                    }
                });
    }

    private static int drain(Options options, List<String> names)
            throws UsageException, StartException {
        check(names, 0, 1, "'handoff drain WORKER', or 'handoff drain' to end the server");
        return ordering(
                options,
                server ->
                        names.isEmpty()
                                ? server.drainServer()
                                : server.drainWorker(names.getFirst()));
    }

    private static int kill(Options options, List<String> names)
            throws UsageException, StartException {
        check(names, 1, 1, "'handoff kill WORKER'; 'handoff top --once' lists them");
        return ordering(options, server -> server.killWorker(names.getFirst()));
    }

    private static int reload(Options options, List<String> names)
            throws UsageException, StartException {
        check(names, 0, 1, "'handoff reload POOL', or 'handoff reload' for all of them");
        return ordering(
                options,
                server -> names.isEmpty() ? server.reload() : server.reloadPool(names.getFirst()));
    }

    private static int scale(Options options, List<String> names)
            throws UsageException, StartException {
        String usage = "'handoff scale POOL N', 'handoff scale default 4' for example";
        check(names, 2, 2, usage);
        Integer workers = WORKERS.parser().parse(names.getLast());
        if (workers == null) {
            throw new UsageException(
                    "%s is no number of workers: expected %s"
                            .formatted(names.getLast(), WORKERS.expected()));
        }
        return ordering(options, server -> server.scale(names.getFirst(), workers));
    }

    /** Rejects an empty name: a script's unset variable must not mean all workers. */
    private static void check(List<String> names, int least, int most, String usage)
            throws UsageException {
        if (names.size() < least || names.size() > most || names.contains("")) {
            throw new UsageException("say " + usage);
        }
    }

    private interface Order {
        String give(Orders server) throws AdminException;
    }

    private static int ordering(Options options, Order order)
            throws UsageException, StartException {
        return asking(
                options,
                server -> {
                    Orders orders = new Orders(server, options.get(WAIT), options.get(JSON));
                    Console.STDOUT.print(order.give(orders));
                });
    }

    private interface Question {
        void ask(AdminClient server) throws AdminException, UsageException;
    }

    private static int asking(Options options, Question question)
            throws UsageException, StartException {
        AdminClient server = client(options);
        try {
            question.ask(server);
            return ExitCode.CLEAN;
        } catch (AdminException failure) {
            throw new StartException(String.valueOf(failure.getMessage()), failure);
        }
    }

    private static AdminClient client(Options options) throws UsageException, StartException {
        Integer port = options.find(AllSettings.ADMIN_PORT);
        return new AdminClient(
                options.get(AllSettings.ADMIN_HOST),
                port == null ? AllSettings.ADMIN_PORT_UNASKED : port,
                token(options));
    }

    private static @Nullable BearerToken token(Options options)
            throws UsageException, StartException {
        Path file = options.find(AllSettings.ADMIN_TOKEN_FILE);
        return file == null ? null : new BearerToken(AdminToken.read(file), file);
    }

    private static List<Setting<?>> with(Setting<?>... own) {
        return Stream.concat(Stream.of(own), WHERE.stream()).toList();
    }
}
