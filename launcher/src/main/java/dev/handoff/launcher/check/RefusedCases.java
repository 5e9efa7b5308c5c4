package dev.handoff.launcher.check;

import dev.handoff.process.protocol.Message;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What a worker does when it is refused: it exits, or it comes again. */
final class RefusedCases {
    static final String WHY = "this check takes nobody in";

    /** No core sends it, and a later one may send others. */
    private static final String UNKNOWN_CODE = "not_today";

    /**
     * What a worker that was started elsewhere does at these differs; the core's own always exits.
     */
    private static final List<String> CODES_FOR_THE_CORES_OWN = List.of("unknown_pool", "draining");

    /** When the core refuses. */
    private enum Moment {
        BEFORE_HELLO,
        AFTER_HELLO,
        /** Behind a frame that broke a rule. */
        AFTER_WELCOME
    }

    /**
     * How the core refuses a worker that was started elsewhere.
     *
     * @param mayExit whether that worker may exit as well as come again
     */
    private record Refusal(String name, String code, Moment moment, boolean mayExit) {
        static Refusal of(String code, Moment moment, boolean mayExit) {
            return new Refusal(code.replace('_', '-'), code, moment, mayExit);
        }

        Case tried() {
            return Case.of(
                            "refused-" + name,
                            "A worker that was started elsewhere %s when it is refused with %s."
                                    .formatted(
                                            mayExit ? "comes again or exits" : "comes again", code),
                            "refused",
                            stage -> refused(stage, this))
                    .needing(mayExit ? new Need[0] : new Need[] {Need.COMES_AGAIN})
                    .after(RequestCases.SEVERAL_FRAMES, EndCases.RECONNECTS);
        }
    }

    private static final List<Refusal> REFUSALS =
            List.of(
                    Refusal.of("bad_protocol", Moment.AFTER_HELLO, true),
                    Refusal.of("unknown_pool", Moment.AFTER_HELLO, true),
                    Refusal.of("bad_token", Moment.AFTER_HELLO, true),
                    Refusal.of("bad_user", Moment.BEFORE_HELLO, true),
                    Refusal.of("hello_timeout", Moment.BEFORE_HELLO, false),
                    Refusal.of("no_hello", Moment.BEFORE_HELLO, false),
                    Refusal.of("too_many_newcomers", Moment.BEFORE_HELLO, false),
                    Refusal.of("too_many_workers", Moment.AFTER_HELLO, false),
                    Refusal.of("draining", Moment.AFTER_HELLO, false),
                    Refusal.of("lost", Moment.AFTER_HELLO, false),
                    new Refusal("fault", "not_json", Moment.AFTER_WELCOME, false),
                    new Refusal("other-code", UNKNOWN_CODE, Moment.AFTER_HELLO, false));

    /**
     * To start a new worker takes less time than to wait for one whose pauses have grown so long.
     */
    private static final Duration LONG_PAUSE = Duration.ofMillis(500);

    private RefusedCases() {}

    static List<Case> all() {
        return Stream.concat(
                        Stream.of(
                                Case.of(
                                        "refused",
                                        "A worker that the core started exits when it is refused,"
                                                + " and says why.",
                                        "refused",
                                        RefusedCases::ofTheCore)),
                        REFUSALS.stream().map(Refusal::tried))
                .toList();
    }

    private static void ofTheCore(Stage stage) throws RuleBroken, InterruptedException {
        for (String code : CODES_FOR_THE_CORES_OWN) {
            WorkerRun run = stage.start(stage.ofTheCore());
            Conversation worker = stage.converse(run.accept(stage.startTimeout()), Terms.USUAL);
            worker.awaitHello();
            worker.send(new Message.Refused(code, WHY));
            worker.endOutput();
            int exit = run.awaitExit(stage.timeout(), "it was refused with " + code);
            if (exit == 0) {
                stage.warn("it exits with 0, as if all were well: 1 is for a refused worker");
            }
            if (!run.printed().contains(WHY)) {
                stage.warn("it does not print the message of refused, which says what to do");
            }
        }
    }

    private static void refused(Stage stage, Refusal refusal)
            throws RuleBroken, InterruptedException {
        Stage.Elsewhere there = stage.elsewhere();
        Conversation worker = there.conversation();
        switch (refusal.moment()) {
            case BEFORE_HELLO -> {}
            case AFTER_HELLO -> worker.awaitHello();
            case AFTER_WELCOME -> stage.greet(worker);
        }
        refuse(worker, refusal.code());
        WorkerRun run = there.run();
        long closed = System.nanoTime();
        SocketChannel again = run.tryAccept(stage.timeout());
        if (again == null) {
            requireMayStayAway(stage, run, refusal);
            return;
        }
        stage.serve(again);
        if (System.nanoTime() - closed < LONG_PAUSE.toNanos()) {
            stage.keepElsewhere(run);
        }
    }

    /** Sends the frame and ends the connection, as the core does. */
    static void refuse(Conversation worker, String code) throws InterruptedException {
        worker.send(new Message.Refused(code, WHY));
        worker.endOutput();
        worker.waitFor(Stage.QUIET, worker.heard()::isOver);
        worker.close();
    }

    private static void requireMayStayAway(Stage stage, WorkerRun run, Refusal refusal)
            throws RuleBroken, InterruptedException {
        if (run.isAlive()) {
            throw new RuleBroken(
                    "it neither exits nor connects again within "
                            + Conversation.inWords(stage.timeout()));
        }
        if (!refusal.mayExit()) {
            throw new RuleBroken("it does not come again: the process " + run.exitInWords());
        }
    }
}
