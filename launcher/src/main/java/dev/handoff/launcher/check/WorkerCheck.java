package dev.handoff.launcher.check;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tries a worker: case by case, then how fast it is. For one thread. */
final class WorkerCheck {
    static final String MEASUREMENT = "measurement";

    private static final Case MEASURED =
            Case.of(
                    MEASUREMENT,
                    "All requests are answered while the window is kept full.",
                    "window",
                    Stage::worker);

    private final CheckPlan plan;
    private final Path folder;
    private final ProcessStart start;
    private final Consumer<Result> listener;

    /** The names of the cases that failed or warned, or were skipped. */
    private final Set<String> notPassed = new HashSet<>();

    /**
     * @param folder for sockets, which nobody else may enter
     * @param listener hears of each case when it is over
     */
    WorkerCheck(CheckPlan plan, Path folder, Consumer<Result> listener) {
        this(plan, folder, ProcessStart.USUAL, listener);
    }

    /** The same, with another way to start processes. */
    WorkerCheck(CheckPlan plan, Path folder, ProcessStart start, Consumer<Result> listener) {
        this.plan = plan;
        this.folder = folder;
        this.start = start;
        this.listener = listener;
    }

    /** All cases, in the order in which they are tried. */
    static List<Case> cases() {
        return Stream.of(
                        GreetingCases.all(),
                        RequestCases.all(),
                        FrameCases.all(),
                        WorkCases.all(),
                        EchoCases.all(),
                        PieceCases.all(),
                        WebSocketCases.all(),
                        EndCases.all(),
                        RefusedCases.all(),
                        GreetingCases.ofOtherStarts())
                .flatMap(List::stream)
                .toList();
    }

    /** Tries the worker of the plan. */
    Report run() throws InterruptedException {
        long begun = System.nanoTime();
        List<Result> results = new ArrayList<>();
        Measurement measured;
        try (Stage stage = new Stage(plan, folder, start)) {
            for (Case each : cases()) {
                if (plan.only().isEmpty() || plan.only().contains(each.name())) {
                    results.add(tried(each, stage));
                }
            }
            measured = measure(stage, results);
        }
        return new Report(plan.title(), results, measured, since(begun));
    }

    private Result tried(Case each, Stage stage) throws InterruptedException {
        long begun = System.nanoTime();
        Verdict verdict = verdict(each, stage);
        boolean passed = verdict instanceof Verdict.Passed || verdict instanceof Verdict.Warned;
        if (!passed) {
            notPassed.add(each.name());
        }
        Result result = new Result(each, verdict, since(begun));
        listener.accept(result);
        return result;
    }

    private Verdict verdict(Case each, Stage stage) throws InterruptedException {
        for (String name : each.after()) {
            if (notPassed.contains(name)) {
                return new Verdict.Skipped("says nothing before the worker passes " + name, true);
            }
        }
        try {
            if (each.needs().stream().anyMatch(Need::isFeature)) {
                stage.worker();
            }
            for (Need need : each.needs()) {
                if (!stage.offers(need)) {
                    return new Verdict.Skipped(need.absence(), false);
                }
            }
        } catch (RuleBroken broken) {
            return new Verdict.Skipped("the worker does not start: " + broken.what(), false);
        }
        stage.begin();
        boolean passed = false;
        try {
            each.steps().run(stage);
            passed = true;
            List<String> warnings = stage.warnings();
            String untried = stage.untried();
            return !warnings.isEmpty()
                    ? new Verdict.Warned(warnings)
                    : untried == null ? new Verdict.Passed() : new Verdict.Skipped(untried, false);
        } catch (RuleBroken broken) {
            // Unless the case has told it itself.
            String afterlife = broken.what().contains("the process ") ? "" : stage.afterlife();
            return new Verdict.Failed(broken.what() + afterlife, stage.transcript());
        } finally {
            stage.end(passed);
        }
    }

    private @Nullable Measurement measure(Stage stage, List<Result> results)
            throws InterruptedException {
        long begun = System.nanoTime();
        boolean isAsked = plan.only().isEmpty() || plan.only().contains(MEASUREMENT);
        if (!isAsked
                || plan.measured().isZero()
                || notPassed.contains(RequestCases.SEVERAL_FRAMES)) {
            return null;
        }
        try {
            return notPassed.contains(GreetingCases.CONNECTS)
                            || notPassed.contains(GreetingCases.READY)
                    ? null
                    : Measurement.of(stage, plan.measured());
        } catch (RuleBroken broken) {
            Verdict failed = new Verdict.Failed(broken.what(), stage.transcript());
            Result result = new Result(MEASURED, failed, since(begun));
            results.add(result);
            listener.accept(result);
            return null;
        }
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
