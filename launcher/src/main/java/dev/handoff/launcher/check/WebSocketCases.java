package dev.handoff.launcher.check;

import dev.handoff.http.Body;
import dev.handoff.process.protocol.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** WebSockets of workers that name the feature, on a route that sends text messages back. */
final class WebSocketCases {
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int GOING_AWAY = 1001;
    private static final int LONG_MESSAGE = 40_000;

    /** More than the credit of a WebSocket, in characters of three bytes. */
    private static final int LARGE_MESSAGE = 50_000;

    private WebSocketCases() {}

    static List<Case> all() {
        return List.of(
                Case.of(
                                "websocket-close",
                                "The close of the core is answered by one of the worker.",
                                "websockets",
                                WebSocketCases::close)
                        .needing(Need.WEBSOCKETS, Need.WEBSOCKET),
                Case.of(
                                "websocket-messages",
                                "Messages come whole, and go back as they came.",
                                "websockets",
                                WebSocketCases::messages)
                        .needing(Need.WEBSOCKETS, Need.WEBSOCKET)
                        .after(RequestCases.SEVERAL_FRAMES, "websocket-close"),
                Case.of(
                                "websocket-fragments",
                                "A large message comes in fragments, as credit allows.",
                                "messages-in-fragments",
                                WebSocketCases::fragments)
                        .needing(Need.FRAGMENTS, Need.WEBSOCKET)
                        .after("websocket-messages"),
                Case.of(
                                "websocket-not-asked",
                                "101 is for requests that have the key websocket.",
                                "websockets",
                                WebSocketCases::notAsked)
                        .needing(Need.WEBSOCKETS, Need.WEBSOCKET));
    }

    private static Answer accepted(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = worker.request(Asked.webSocket(stage.webSocket()));
        worker.awaitHead(answer);
        var head = answer.head();
        if (head == null || head.status() != SWITCHING_PROTOCOLS || !answer.isStreaming()) {
            throw new RuleBroken(
                    "the WebSocket was not accepted, but answered by " + answer.inWords());
        }
        return answer;
    }

    private static void messages(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = accepted(stage);
        for (String text : List.of("hello", "", "\u20ac\ud83d\ude00", "x".repeat(LONG_MESSAGE))) {
            worker.send(new Message.WebSocketMessage(answer.id(), true, Body.utf8(text)));
            expect(text, message(stage, worker, answer));
        }
        end(stage, worker, answer);
    }

    private static void fragments(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = accepted(stage);
        String text = "\u20ac".repeat(LARGE_MESSAGE);
        worker.send(new Message.WebSocketMessage(answer.id(), true, Body.utf8(text)));
        worker.await(
                "as much of the message as credit allows",
                stage.timeout(),
                () -> answer.creditBytes() <= 0 || answer.isOver());
        worker.tryAwait(Stage.QUIET, () -> answer.isOver() || answer.withoutCredit() > 0);
        if (answer.withoutCredit() > 0) {
            stage.warn("fragments come without credit: the core cuts off slow clients");
        }
        worker.grant(answer, 2L * 3 * LARGE_MESSAGE);
        expect(text, message(stage, worker, answer));
        if (answer.fragments() == 0) {
            stage.warn("the message came whole: others wait behind it");
        }
        end(stage, worker, answer);
    }

    /** Waits for the next whole message, and joins it where it comes in fragments. */
    private static Message.@Nullable WebSocketMessage message(
            Stage stage, Conversation worker, Answer answer)
            throws RuleBroken, InterruptedException {
        worker.await(
                "a message of the WebSocket with the id " + answer.id(),
                stage.timeout(),
                () -> answer.hasMessage() || answer.isOver());
        return answer.takeMessage();
    }

    private static void expect(String text, Message.@Nullable WebSocketMessage came)
            throws RuleBroken {
        if (came == null || !came.text() || !came.body().toUtf8().equals(text)) {
            throw new RuleBroken("another message came back, or one that is not text");
        }
    }

    private static void close(Stage stage) throws RuleBroken, InterruptedException {
        end(stage, stage.worker(), accepted(stage));
    }

    private static void end(Stage stage, Conversation worker, Answer answer)
            throws RuleBroken, InterruptedException {
        worker.send(new Message.Close(answer.id(), GOING_AWAY, ""));
        worker.await("a close for the id " + answer.id(), stage.timeout(), answer::isOver);
    }

    private static void notAsked(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = worker.request(Asked.get(stage.webSocket()));
        worker.awaitHead(answer);
        var head = answer.head();
        if (head != null && head.status() == SWITCHING_PROTOCOLS) {
            throw new RuleBroken("a request that asks for no WebSocket was answered by 101");
        }
        worker.await(answer);
    }
}
