package dev.handoff.launcher.check;

import dev.handoff.process.protocol.Message;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** How a worker goes: drained, told to end, left alone or refused. */
final class EndCases {
    static final String RECONNECTS = "reconnects";

    /** The core waits so long from SIGTERM to SIGKILL. */
    private static final Duration TERM_GRACE = Duration.ofSeconds(5);

    /** A code that no core sends: the worker comes again. */
    private static final String NOT_NOW = "not_now";

    private static final int MOST_PAUSES = 12;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

    /** The page allows pauses up to 5 s, each times 1.5 at most. */
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(7_500);

    private EndCases() {}

    static List<Case> all() {
        return List.of(
                Case.of(
                                "drain-in-hand",
                                "After drain the worker answers what it has.",
                                "drain",
                                EndCases::drainInHand)
                        .after(RequestCases.SEVERAL_FRAMES, WorkCases.FULL_WINDOW),
                Case.of(
                        "drain-exit",
                        "A drained worker that the core started exits with 0.",
                        "exit-codes",
                        EndCases::drainExit),
                Case.of(
                                "sigterm",
                                "At SIGTERM a worker says drain, answers what it has, and exits with 0.",
                                "drain",
                                EndCases::sigterm)
                        .after(RequestCases.SEVERAL_FRAMES, "drain-exit"),
                Case.of(
                                "sigterm-elsewhere",
                                "At SIGTERM a worker that was started elsewhere drains and exits too.",
                                "drain",
                                EndCases::sigtermElsewhere)
                        .after("sigterm"),
                Case.of(
                        "end-of-stream",
                        "A worker that the core started exits when the connection ends.",
                        "transport",
                        EndCases::endOfStream),
                Case.of(
                        RECONNECTS,
                        "A worker that was started elsewhere waits before it connects again.",
                        "transport",
                        EndCases::reconnects),
                Case.of(
                        "ready-file",
                        "A file for health checks is there while the worker takes requests.",
                        "exit-codes",
                        EndCases::readyFile));
    }

    private static void drainInHand(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        worker.awaitAll(WorkCases.fillWindow(stage, worker, new Message.Drain()));
    }

    private static void drainExit(Stage stage) throws RuleBroken, InterruptedException {
        WorkerRun run = stage.start(stage.ofTheCore());
        Conversation worker = stage.ready(run, Terms.USUAL);
        worker.await(worker.request(Asked.get(stage.target())));
        worker.send(new Message.Drain());
        leave(stage, run, worker, "a drain");
    }

    /** Ends the connection, as the core does when a drained worker holds nothing. */
    private static void leave(Stage stage, WorkerRun run, Conversation worker, String why)
            throws RuleBroken, InterruptedException {
        worker.endOutput();
        int code = run.awaitExit(stage.timeout(), "the end of the connection behind " + why);
        if (code != 0) {
            throw new RuleBroken("behind " + why + " the process " + run.exitInWords());
        }
    }

    private static void sigterm(Stage stage) throws RuleBroken, InterruptedException {
        WorkerRun run = stage.start(stage.ofTheCore());
        Conversation worker = stage.ready(run, Terms.USUAL);
        worker.await(worker.request(Asked.get(stage.target())));
        Answer before = worker.request(Asked.get(stage.target()));
        if (!drainsAtTerm(stage, run, worker)) {
            stage.warn(
                    worker.heard().isOver()
                            ? "SIGTERM ends it at once, and what it has in hand is lost: "
                                    + worker.heard().howItEnded()
                            : "it ignores SIGTERM: the core kills it after 5 s");
            return;
        }
        // The core may have sent this before it read the drain.
        Answer crossing = worker.expect(worker.nextId());
        worker.send(Asked.get(stage.target()).message(crossing.id()));
        worker.awaitAll(List.of(before, crossing));
        leave(stage, run, worker, "the drain of the worker");
    }

    private static boolean drainsAtTerm(Stage stage, WorkerRun run, Conversation worker)
            throws RuleBroken, InterruptedException {
        worker.noteSent("SIGTERM");
        run.terminate();
        Duration longest = TERM_GRACE.compareTo(stage.timeout()) < 0 ? TERM_GRACE : stage.timeout();
        worker.waitFor(longest, () -> worker.heard().drains() || worker.heard().isOver());
        worker.requireNoFault();
        return worker.heard().drains();
    }

    /** Of a worker that says no drain the case before this one has warned. */
    private static void sigtermElsewhere(Stage stage) throws RuleBroken, InterruptedException {
        Stage.Elsewhere there = stage.elsewhere();
        Conversation worker = stage.greet(there.conversation());
        if (drainsAtTerm(stage, there.run(), worker)) {
            leave(stage, there.run(), worker, "SIGTERM");
        }
    }

    private static void endOfStream(Stage stage) throws RuleBroken, InterruptedException {
        WorkerRun run = stage.start(stage.ofTheCore());
        Conversation worker = stage.ready(run, Terms.USUAL);
        worker.request(Asked.get(stage.target()));
        worker.noteSent("the end of the connection, with the request in hand");
        worker.close();
        run.awaitExit(stage.timeout(), "the end of the connection");
    }

    private static void readyFile(Stage stage) throws RuleBroken, InterruptedException {
        Path file = stage.newFile("ready");
        Map<String, String> environment = stage.ofElsewhere();
        environment.put("HANDOFF_READY_FILE", file.toString());
        Conversation worker = stage.ready(stage.start(environment), Terms.USUAL);
        // Who answers has read the welcome, after which the file is there.
        worker.await(worker.request(Asked.get(stage.target())));
        if (!comesTrue(Stage.QUIET, () -> Files.exists(file))) {
            stage.nothingTried("the worker keeps no HANDOFF_READY_FILE, and need not");
            return;
        }
        worker.send(new Message.Drain());
        if (!comesTrue(stage.timeout(), () -> !Files.exists(file))) {
            throw new RuleBroken(
                    "after drain HANDOFF_READY_FILE is still there: health checks believe that the"
                            + " worker takes requests");
        }
    }

    private static boolean comesTrue(Duration longest, BooleanSupplier condition)
            throws InterruptedException {
        long deadline = System.nanoTime() + longest.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Thread.sleep(BETWEEN_LOOKS);
        }
        return true;
    }

    private static void reconnects(Stage stage) throws RuleBroken, InterruptedException {
        Stage.Elsewhere there = stage.elsewhere();
        WorkerRun run = there.run();
        Conversation last = stage.greet(there.conversation());
        long left = System.nanoTime();
        last.noteSent("the end of the connection");
        last.close();
        Pauses pauses = new Pauses();
        for (int i = 0; i < MOST_PAUSES; i++) {
            Duration longest = stage.timeout().plus(LONGEST_PAUSE);
            SocketChannel channel = run.tryAccept(longest);
            if (channel == null) {
                if (run.isAlive()) {
                    throw new RuleBroken(
                            "it neither connects again nor exits within "
                                    + Conversation.inWords(longest));
                }
                stage.noteComesAgain(false);
                stage.warn("it exits when its connection ends: somebody has to start it again");
                return;
            }
            stage.noteComesAgain(true);
            pauses.add(System.nanoTime() - left);
            if (pauses.areTooShort()) {
                throw new RuleBroken(
                        "it came again three times within %d ms"
                                .formatted(pauses.lastThreeNanos() / 1_000_000));
            }
            if (pauses.haveGrown()) {
                stage.serve(channel);
                stage.keepElsewhere(run);
                return;
            }
            left = System.nanoTime();
            RefusedCases.refuse(stage.converse(channel, Terms.USUAL), NOT_NOW);
        }
        stage.warn("its pauses do not grow while nobody takes it in");
    }
}
