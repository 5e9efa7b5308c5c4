package dev.handoff.launcher.check;

import dev.handoff.process.protocol.Message;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a worker goes: drained, told to end, left alone or refused. */
final class EndCases {
    /** The core waits so long from SIGTERM to SIGKILL. */
    private static final Duration TERM_GRACE = Duration.ofSeconds(5);

    private static final Duration LEAST_OF_THREE_PAUSES = Duration.ofMillis(100);
    private static final String WHY_REFUSED = "this check takes nobody in";

    private EndCases() {}

    static List<Case> all() {
        return List.of(
                Case.of(
                                "drain-in-hand",
                                "After drain the worker answers what it has.",
                                "drain",
                                EndCases::drainInHand)
                        .after(RequestCases.ANSWERS, WorkCases.FULL_WINDOW),
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
                        .after(RequestCases.ANSWERS, "drain-exit"),
                Case.of(
                        "end-of-stream",
                        "A worker that the core started exits when the connection ends.",
                        "transport",
                        EndCases::endOfStream),
                Case.of(
                        "refused",
                        "A worker that the core started exits when it is refused, and says why.",
                        "refused",
                        EndCases::refused),
                Case.of(
                        "reconnects",
                        "A worker that was started elsewhere waits before it connects again.",
                        "transport",
                        EndCases::reconnects));
    }

    private static void drainInHand(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        List<Answer> answers = WorkCases.fillWindow(stage, worker);
        worker.send(new Message.Drain());
        worker.awaitAll(answers);
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
        worker.noteSent("SIGTERM");
        run.terminate();
        Duration longest = TERM_GRACE.compareTo(stage.timeout()) < 0 ? TERM_GRACE : stage.timeout();
        worker.waitFor(longest, () -> worker.drains() || worker.isOver());
        worker.requireNoFault();
        if (!worker.drains()) {
            stage.warn(
                    worker.isOver()
                            ? "SIGTERM ends it at once, and what it has in hand is lost: "
                                    + worker.howItEnded()
                            : "it ignores SIGTERM: the core kills it after 5 s");
            return;
        }
        // The core may have sent this before it read the drain.
        Answer crossing = worker.expect(worker.nextId());
        worker.send(Asked.get(stage.target()).message(crossing.id()));
        worker.awaitAll(List.of(before, crossing));
        leave(stage, run, worker, "the drain of the worker");
    }

    private static void endOfStream(Stage stage) throws RuleBroken, InterruptedException {
        WorkerRun run = stage.start(stage.ofTheCore());
        Conversation worker = stage.ready(run, Terms.USUAL);
        worker.request(Asked.get(stage.target()));
        worker.noteSent("the end of the connection, with the request in hand");
        worker.close();
        run.awaitExit(stage.timeout(), "the end of the connection");
    }

    private static void refused(Stage stage) throws RuleBroken, InterruptedException {
        WorkerRun run = stage.start(stage.ofTheCore());
        Conversation worker = stage.converse(run.accept(stage.startTimeout()), Terms.USUAL);
        worker.awaitHello();
        worker.send(new Message.Refused("unknown_pool", WHY_REFUSED));
        worker.endOutput();
        int code = run.awaitExit(stage.timeout(), "refused");
        if (code == 0) {
            stage.warn("it exits with 0, as if all were well: 1 is for a refused worker");
        }
        if (!run.printed().contains(WHY_REFUSED)) {
            stage.warn("it does not print the message of refused, which says what to do");
        }
    }

    private static void reconnects(Stage stage) throws RuleBroken, InterruptedException {
        WorkerRun run = stage.start(stage.ofElsewhere());
        Conversation first = stage.ready(run, Terms.USUAL);
        first.close();
        long[] pauses = new long[4];
        for (int i = 0; i < pauses.length; i++) {
            long left = System.nanoTime();
            SocketChannel channel = run.tryAccept(stage.timeout());
            if (channel == null) {
                if (run.isAlive()) {
                    throw new RuleBroken("it neither connects again nor exits");
                }
                stage.warn("it exits when its connection ends: somebody has to start it again");
                return;
            }
            pauses[i] = System.nanoTime() - left;
            refuse(stage, channel);
        }
        if (pauses[0] + pauses[1] + pauses[2] < LEAST_OF_THREE_PAUSES.toNanos()) {
            throw new RuleBroken(
                    "it came again three times within %d ms"
                            .formatted((pauses[0] + pauses[1] + pauses[2]) / 1_000_000));
        }
        // They double, by a share of 0.5 to 1.5: the last has at least 2.6 times the first.
        if (pauses[3] < 2 * pauses[0]) {
            stage.warn("its pauses do not grow while nobody takes it in");
        }
    }

    private static void refuse(Stage stage, @Nullable SocketChannel channel)
            throws InterruptedException {
        if (channel == null) {
            return;
        }
        Conversation newcomer = stage.converse(channel, Terms.USUAL);
        newcomer.send(new Message.Refused("draining", WHY_REFUSED));
        newcomer.endOutput();
        newcomer.waitFor(Stage.QUIET, newcomer::isOver);
        newcomer.close();
    }
}
