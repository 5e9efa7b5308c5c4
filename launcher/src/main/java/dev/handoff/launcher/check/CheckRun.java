package dev.handoff.launcher.check;

import dev.handoff.launcher.logging.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What {@code handoff check} does and prints. */
public final class CheckRun {

    /** How it ended. */
    public enum Outcome {
        PASSED,
        FAILED,
        /** The worker never connected, so nothing else was tried. */
        NO_WORKER
    }

    private CheckRun() {}

    /** The names of all cases, and of the measurement. */
    public static Set<String> names() {
        Set<String> names =
                WorkerCheck.cases().stream().map(Case::name).collect(Collectors.toSet());
        names.add(WorkerCheck.MEASUREMENT);
        return names;
    }

    /** A line for each case. */
    public static String list() {
        return WorkerCheck.cases().stream()
                .map(each -> "%-28s%s".formatted(each.name(), each.rule()))
                .collect(Collectors.joining("\n"));
    }

    /**
     * Tries the worker, and prints what is found.
     *
     * @param folder for sockets, which nobody else may enter
     * @param json whether to print JSON at the end, and nothing before
     * @param junit a file to write JUnit XML to, or null
     * @throws IOException if that file cannot be written
     */
    public static Outcome run(CheckPlan plan, Path folder, boolean json, @Nullable Path junit)
            throws IOException, InterruptedException {
        Report report =
                new WorkerCheck(
                                plan,
                                folder,
                                result -> {
                                    if (!json && !TextReport.isConsequence(result)) {
                                        Console.STDOUT.print(TextReport.of(result));
                                    }
                                })
                        .run();
        Console.STDOUT.print(json ? JsonReport.of(report) : TextReport.end(report));
        if (junit != null) {
            Files.writeString(junit, JunitReport.of(report));
        }
        return outcome(report);
    }

    static Outcome outcome(Report report) {
        for (Result each : report.results()) {
            if (each.verdict() instanceof Verdict.Failed) {
                return each.tried().name().equals(GreetingCases.CONNECTS)
                        ? Outcome.NO_WORKER
                        : Outcome.FAILED;
            }
        }
        return Outcome.PASSED;
    }
}
