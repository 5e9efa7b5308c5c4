package dev.handoff.launcher;

import dev.handoff.launcher.check.CheckPlan;
import dev.handoff.launcher.check.CheckRun;
import dev.handoff.launcher.config.HandlerCommand;
import dev.handoff.launcher.config.Options;
import dev.handoff.launcher.config.Scope;
import dev.handoff.launcher.config.Setting;
import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.Syntax;
import dev.handoff.launcher.config.Units;
import dev.handoff.launcher.config.UsageException;
import dev.handoff.launcher.config.Workers;
import dev.handoff.launcher.logging.Console;
import dev.handoff.process.supervise.RecycleLimits;
import dev.handoff.process.supervise.WorkerCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** {@code handoff check}: plays the core to a worker, and says which rules it breaks. */
final class CheckCommand {
    private static final Syntax<String> TARGET = Syntax.text("PATH", "the path of a route");

    static final Setting<String> ECHO =
            Setting.unset(
                    Scope.OPERATOR,
                    "--echo",
                    TARGET,
                    null,
                    "Route that echoes requests, see docs/PROTOCOL.md.");

    static final Setting<String> STREAM =
            Setting.unset(
                    Scope.OPERATOR, "--stream", TARGET, null, "Route that responds in pieces.");

    static final Setting<String> WEBSOCKET =
            Setting.unset(
                    Scope.OPERATOR,
                    "--websocket",
                    TARGET,
                    null,
                    "Route whose WebSockets send text messages back.");

    static final Setting<String> ONLY =
            Setting.unset(
                    Scope.OPERATOR,
                    "--only",
                    Syntax.text("CASES", "names of cases, with commas between them"),
                    null,
                    "Run only these cases: names, with commas between them.");

    static final Setting<Boolean> LIST =
            Setting.off(Scope.OPERATOR, "--list", "Print the cases, and start nothing.");

    static final Setting<String> JUNIT =
            Setting.unset(
                    Scope.OPERATOR,
                    "--junit",
                    Syntax.text("FILE", "a file"),
                    null,
                    "Write JUnit XML to a file as well.");

    static final Setting<Duration> TIMEOUT =
            Setting.of(
                    Scope.OPERATOR,
                    "--timeout",
                    Units.time(Duration.ofMillis(100)),
                    Duration.ofSeconds(10),
                    "Longest wait for an answer; a start may take six of it.");

    static final Setting<Duration> MEASURE =
            Setting.of(
                    Scope.OPERATOR,
                    "--measure",
                    Units.time(Duration.ZERO),
                    Duration.ofSeconds(1),
                    "How long to measure responses per second; 0s for not.");

    static final Setting<Boolean> JSON =
            Setting.off(Scope.OPERATOR, "--json", "Print the report as JSON, for programs.");

    /** In the order of the help. */
    static final List<Setting<?>> SETTINGS =
            List.of(ECHO, STREAM, WEBSOCKET, ONLY, LIST, TIMEOUT, MEASURE, JSON, JUNIT);

    private CheckCommand() {}

    /** Prints the cases. */
    static int list() {
        Console.STDOUT.print(CheckRun.list());
        return ExitCode.CLEAN;
    }

    /** Tries the worker; returns the exit code. */
    static int run(HandlerCommand command, Options options, Map<String, String> environment)
            throws UsageException, StartException {
        Set<String> only = only(options);
        Path junit = junit(options);
        Leftovers leftovers = Leftovers.removeAtExit();
        try {
            Path folder = Files.createTempDirectory("handoff-check-");
            leftovers.add(folder);
            CheckPlan plan =
                    new CheckPlan(
                            command.title(),
                            command.arguments(),
                            added(command, folder, environment),
                            only,
                            options.find(ECHO),
                            options.find(STREAM),
                            options.find(WEBSOCKET),
                            options.get(TIMEOUT),
                            options.get(MEASURE));
            return switch (CheckRun.run(plan, folder, options.get(JSON), junit)) {
                case PASSED -> ExitCode.CLEAN;
                case FAILED -> ExitCode.FAILED;
                case NO_WORKER -> ExitCode.NO_WORKER;
            };
        } catch (IOException failure) {
            throw new StartException("cannot write: " + failure, failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        }
    }

    /** What workers of {@code handoff run} find besides the variables of the protocol. */
    private static Map<String, String> added(
            HandlerCommand command, Path folder, Map<String, String> environment) {
        Workers workers =
                new Workers(
                        command,
                        1,
                        null,
                        null,
                        false,
                        null,
                        false,
                        new RecycleLimits(0, Duration.ZERO, 0),
                        false,
                        false,
                        Map.of(),
                        null);
        WorkerCommand started = workers.connectingTo(folder, 0, environment);
        return started.environment();
    }

    private static Set<String> only(Options options) throws UsageException {
        String chosen = options.find(ONLY);
        if (chosen == null) {
            return Set.of();
        }
        Set<String> names = new TreeSet<>(List.of(chosen.split(",", -1)));
        for (String name : names) {
            if (!CheckRun.names().contains(name)) {
                throw new UsageException(
                        "there is no case '%s'; 'handoff check --list' prints them"
                                .formatted(name));
            }
        }
        return names;
    }

    private static @Nullable Path junit(Options options) throws UsageException {
        String name = options.find(JUNIT);
        try {
            return name == null ? null : Path.of(name);
        } catch (InvalidPathException impossible) {
            throw new UsageException("there can be no file " + name);
        }
    }
}
