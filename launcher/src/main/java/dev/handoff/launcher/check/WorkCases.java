package dev.handoff.launcher.check;

import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The window, cancels and pings. */
final class WorkCases {
    static final String PING = "ping";

    static final String FULL_WINDOW = "full-window";

    private static final int MOST_AT_ONCE = 64;
    private static final int PINGS = 3;

    private WorkCases() {}

    static List<Case> all() {
        return List.of(
                Case.of(
                        PING,
                        "A worker that has nothing in flight answers each ping by one pong.",
                        "ping-and-pong",
                        WorkCases::ping),
                Case.of(
                                FULL_WINDOW,
                                "All requests that the window lets through are answered.",
                                "window",
                                WorkCases::fullWindow)
                        .after(RequestCases.SEVERAL_FRAMES, "thirty-at-once"),
                Case.of(
                                "answers-once",
                                "Each id is answered exactly once.",
                                "responses-that-nobody-asked-for",
                                WorkCases::answersOnce)
                        .after(RequestCases.SEVERAL_FRAMES, PING),
                Case.of(
                        "cancel-in-hand",
                        "A cancelled request is answered all the same.",
                        "cancel",
                        WorkCases::cancelInHand),
                Case.of(
                        "cancel-unknown",
                        "A cancel with an id that the worker does not know is ignored.",
                        "cancel",
                        stage -> afterCancelOf(stage, stage.worker().nextId())),
                Case.of(
                                "cancel-answered",
                                "A cancel may cross the response, and is ignored then.",
                                "cancel",
                                WorkCases::cancelAnswered)
                        .after(RequestCases.SEVERAL_FRAMES, PING, "answers-once"),
                Case.of(
                                "cancel-other-reason",
                                "A worker treats unknown reasons of a cancel like the others.",
                                "cancel",
                                WorkCases::cancelOtherReason)
                        .after(RequestCases.SEVERAL_FRAMES, "cancel-in-hand"));
    }

    private static void ping(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        for (int i = 0; i < PINGS; i++) {
            worker.send(new Message.Ping());
            worker.awaitPongs(1);
        }
        worker.send(Collections.nCopies(PINGS, Frame.of(new Message.Ping())));
        worker.awaitPongs(PINGS);
    }

    /**
     * As many requests as the window takes, in one write.
     *
     * @param behind what the core says behind them, in the same write
     */
    static List<Answer> fillWindow(Stage stage, Conversation worker, Message... behind) {
        List<Answer> answers = new ArrayList<>();
        List<Frame> frames = new ArrayList<>();
        for (int i = Math.min(worker.window(), MOST_AT_ONCE); i > 0; i--) {
            Answer answer = worker.expect(worker.nextId());
            answers.add(answer);
            frames.add(Frame.of(Asked.get(stage.target()).message(answer.id())));
        }
        for (Message each : behind) {
            frames.add(worker.frame(each));
        }
        worker.send(frames);
        return answers;
    }

    private static void fullWindow(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        worker.awaitAll(fillWindow(stage, worker));
    }

    private static void answersOnce(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        for (int i = 0; i < PINGS; i++) {
            worker.await(worker.request(Asked.get(stage.target())));
        }
        requireNoStrays(worker);
    }

    /** A pong comes behind whatever was sent before. */
    private static void requireNoStrays(Conversation worker)
            throws RuleBroken, InterruptedException {
        worker.send(new Message.Ping());
        worker.awaitPongs(1);
        String stray = worker.heard().stray();
        if (stray != null) {
            throw new RuleBroken(
                    "an id that awaits no answer got one: " + Transcript.shortened(stray));
        }
    }

    private static void cancelInHand(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = worker.expect(worker.nextId());
        cancelled(
                stage,
                worker,
                answer,
                Frame.of(new Message.Cancel(answer.id(), CancelReason.CLIENT_GONE)));
    }

    /** A request and its cancel in one write: the worker cannot have answered in between. */
    private static void cancelled(Stage stage, Conversation worker, Answer answer, Frame cancel)
            throws RuleBroken, InterruptedException {
        worker.send(List.of(Frame.of(Asked.get(stage.target()).message(answer.id())), cancel));
        worker.await(answer);
    }

    private static void afterCancelOf(Stage stage, long id)
            throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        worker.send(new Message.Cancel(id, CancelReason.DEADLINE));
        worker.await(worker.request(Asked.get(stage.target())));
    }

    private static void cancelAnswered(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = worker.await(worker.request(Asked.get(stage.target())));
        afterCancelOf(stage, answer.id());
        requireNoStrays(worker);
    }

    private static void cancelOtherReason(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = worker.expect(worker.nextId());
        cancelled(
                stage,
                worker,
                answer,
                Frame.of(
                        "{\"type\":\"cancel\",\"id\":%d,\"reason\":\"bored\"}"
                                .formatted(answer.id())));
        worker.await(worker.request(Asked.get(stage.target())));
    }
}
