package dev.handoff.launcher.check;

import dev.handoff.http.Body;
import dev.handoff.process.protocol.Message;
import java.util.ArrayList;
import java.util.List;

/** WebSockets of workers that name the feature, on a route that sends text messages back. */
final class WebSocketCases {
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int GOING_AWAY = 1001;
    private static final int LONG_MESSAGE = 40_000;

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
            List<Message.WebSocketMessage> came = new ArrayList<>();
            worker.await(
                    "the message of " + text.length() + " characters",
                    stage.timeout(),
                    () -> {
                        Message.WebSocketMessage next = answer.pollMessage();
                        if (next != null) {
                            came.add(next);
                        }
                        return next != null || answer.isOver();
                    });
            if (came.isEmpty()
                    || !came.getFirst().text()
                    || !came.getFirst().body().toUtf8().equals(text)) {
                throw new RuleBroken("another message came back, or one that is not text");
            }
        }
        end(stage, worker, answer);
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
