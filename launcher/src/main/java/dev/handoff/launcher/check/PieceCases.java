package dev.handoff.launcher.check;

import dev.handoff.http.Body;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import java.time.Duration;
import java.util.List;

/** Requests and responses in pieces, of workers that name the feature streams. */
final class PieceCases {
    private static final String READS_ON = "stream-reads-on";
    private static final int PIECE_BYTES = 16 * 1024;
    private static final int PIECES = 12;
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(1);

    private PieceCases() {}

    static List<Case> all() {
        return List.of(
                Case.of(
                                "request-in-pieces",
                                "A request in pieces is answered, and gets the credit that it"
                                        + " needs.",
                                "requests-in-pieces",
                                PieceCases::requestInPieces)
                        .needing(Need.STREAMS),
                Case.of(
                                "broken-upload",
                                "A request that is cancelled between its pieces is answered.",
                                "requests-in-pieces",
                                PieceCases::brokenUpload)
                        .needing(Need.STREAMS),
                Case.of(
                                "feature-not-welcome",
                                "A feature counts only if welcome names it too.",
                                "welcome",
                                PieceCases::notWelcome)
                        .needing(Need.STREAMS, Need.STREAM),
                Case.of(
                                "stream-cancel",
                                "A cancelled response in pieces ends with a last piece.",
                                "cancel",
                                PieceCases::cancel)
                        .needing(Need.STREAMS, Need.STREAM),
                Case.of(
                                READS_ON,
                                "A worker with responses in pieces under way goes on reading.",
                                "responses-in-pieces",
                                PieceCases::readsOn)
                        .needing(Need.STREAMS, Need.STREAM)
                        .after(RequestCases.SEVERAL_FRAMES, WorkCases.PING),
                Case.of(
                                "stream-credit",
                                "Pieces come while the credit is above zero.",
                                "responses-in-pieces",
                                PieceCases::credit)
                        .needing(Need.STREAMS, Need.STREAM)
                        .after(RequestCases.SEVERAL_FRAMES, "stream-cancel", READS_ON),
                Case.of(
                                "stream-drain",
                                "A worker that drains ends its responses without an end.",
                                "responses-in-pieces",
                                PieceCases::drain)
                        .needing(Need.STREAMS, Need.STREAM)
                        .after(RequestCases.SEVERAL_FRAMES, "stream-cancel", READS_ON));
    }

    private static void requestInPieces(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        byte[] piece = new byte[PIECE_BYTES];
        Answer answer =
                worker.request(Asked.post(stage.target(), new byte[0], PIECES * PIECE_BYTES));
        for (int i = 1; i <= PIECES && !answer.isOver(); i++) {
            worker.await(
                    "credit for more of the request with the id " + answer.id(),
                    stage.timeout(),
                    () -> answer.uploadCreditBytes() > 0 || answer.isOver());
            if (!answer.isOver()) {
                answer.uploaded(PIECE_BYTES);
                worker.send(new Message.Data(answer.id(), i < PIECES, Body.of(piece)));
            }
        }
        worker.await(answer);
        if (stage.offers(Need.ECHO) && answer.bodyBytes() != PIECES * PIECE_BYTES) {
            throw new RuleBroken(
                    "of %d bytes in pieces the echo is %s"
                            .formatted(PIECES * PIECE_BYTES, answer.inWords()));
        }
    }

    private static void brokenUpload(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = worker.request(Asked.post(stage.target(), new byte[1], PIECE_BYTES));
        worker.cancel(answer, CancelReason.CLIENT_GONE);
        worker.await(answer);
        worker.await(worker.request(Asked.get(stage.target())));
    }

    private static void notWelcome(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.ready(stage.start(stage.ofTheCore()), Terms.USUAL.plain());
        Answer answer = worker.request(Asked.get(stage.stream()));
        // An endless stream cannot become a whole response: it may take its time.
        worker.tryAwait(LONG_ENOUGH, answer::isOver);
    }

    private static Answer begun(Stage stage, Conversation worker)
            throws RuleBroken, InterruptedException {
        Answer answer = worker.request(Asked.get(stage.stream()));
        worker.awaitHead(answer);
        if (!answer.wasStreamed()) {
            throw new RuleBroken(
                    "GET %s was answered at once: %s".formatted(stage.stream(), answer.inWords()));
        }
        return answer;
    }

    private static void credit(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = begun(stage, worker);
        worker.tryAwait(LONG_ENOUGH, () -> answer.isOver() || answer.creditBytes() <= 0);
        worker.send(new Message.Ping());
        worker.awaitPongs(1);
        if (answer.creditBytes() <= 0) {
            // It is there, and would send more.
            worker.tryAwait(Stage.QUIET, () -> answer.isOver() || answer.withoutCredit() > 0);
        }
        if (answer.withoutCredit() > 0) {
            stage.warn("pieces come without credit: the core cuts off slow clients");
        } else if (answer.isStreaming() && answer.creditBytes() <= 0) {
            long had = answer.bodyBytes();
            worker.grant(answer, Terms.STREAM_BYTES);
            worker.await(
                    "more of the response behind its credit",
                    stage.timeout(),
                    () -> answer.isOver() || answer.bodyBytes() > had);
        } else {
            stage.nothingTried(
                    "GET %s did not use up its credit of %d bytes within a second: try a longer one"
                            .formatted(stage.stream(), Terms.STREAM_BYTES));
        }
        worker.cancel(answer, CancelReason.CLIENT_GONE);
        worker.await("the last piece for the id " + answer.id(), stage.timeout(), answer::isOver);
    }

    private static void cancel(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = begun(stage, worker);
        worker.cancel(answer, CancelReason.CLIENT_GONE);
        worker.await("the last piece for the id " + answer.id(), stage.timeout(), answer::isOver);
    }

    private static void drain(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.ready(stage.start(stage.ofTheCore()), Terms.USUAL);
        Answer answer = begun(stage, worker);
        worker.send(new Message.Drain());
        long longest = System.nanoTime() + stage.timeout().toNanos();
        while (!answer.isOver() && System.nanoTime() - longest < 0) {
            if (answer.creditBytes() <= 0) {
                worker.grant(answer, Terms.STREAM_BYTES);
            }
            worker.tryAwait(Stage.QUIET, () -> answer.isOver() || answer.creditBytes() <= 0);
        }
        if (!answer.isOver()) {
            stage.warn(
                    "GET %s goes on for %s after drain: the core waits --drain-timeout for it, and"
                                    .formatted(
                                            stage.stream(), Conversation.inWords(stage.timeout()))
                            + " then cuts it off");
        }
    }

    private static void readsOn(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = begun(stage, worker);
        worker.send(new Message.Ping());
        worker.awaitPongs(1);
        worker.cancel(answer, CancelReason.CLIENT_GONE);
        worker.waitFor(stage.timeout(), answer::isOver);
    }
}
