package dev.handoff.launcher.check;

import dev.handoff.process.protocol.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** How a worker reads frames, and the JSON in them. */
final class FrameCases {
    static final String UNKNOWN_TYPES = "unknown-types";

    private static final int FRAMES_AT_ONCE = 30;

    /** Less than the lengths of a frame. */
    private static final int CUT_BYTES = 3;

    private static final long LONGEST_TIME = Message.MAX_ID;
    private static final byte[] CONTENT = "{\"id\": 1}\0\n".getBytes(StandardCharsets.US_ASCII);

    private FrameCases() {}

    static List<Case> all() {
        return List.of(
                Case.of(
                        "byte-by-byte",
                        "A read may hold a part of a frame.",
                        "frame",
                        FrameCases::byteByByte),
                Case.of(
                        UNKNOWN_TYPES,
                        "A type that the worker does not know is ignored, with its body.",
                        "messages",
                        FrameCases::unknownTypes),
                Case.of(
                                "thirty-at-once",
                                "A read may hold thirty frames.",
                                "frame",
                                FrameCases::thirtyAtOnce)
                        .after(RequestCases.SEVERAL_FRAMES, UNKNOWN_TYPES),
                Case.of(
                        "unknown-keys",
                        "Keys that the worker does not know are ignored, whatever their value is.",
                        "values",
                        FrameCases::unknownKeys),
                Case.of(
                        "null-is-absent",
                        "null is the same as leaving the key out.",
                        "values",
                        stage ->
                                answeredAs(
                                        stage,
                                        worker ->
                                                new Frame[] {
                                                    Frame.withKeys(
                                                            Asked.get(stage.target())
                                                                    .message(expected(worker)),
                                                            "\"websocket\":null,\"more\":null")
                                                })),
                Case.of(
                        "other-json",
                        "Order of keys, white space and escapes are the writer's choice.",
                        "frame",
                        FrameCases::otherJson),
                Case.of(
                        "largest-id",
                        "An id has up to 53 bits, and comes back exactly.",
                        "values",
                        FrameCases::largestId),
                Case.of(
                        "largest-time",
                        "timeoutMillis has up to 53 bits.",
                        "request",
                        FrameCases::largestTime),
                Case.of(
                        "broken-json",
                        "A frame without a JSON object ends the connection.",
                        "faults",
                        FrameCases::brokenJson),
                Case.of(
                        "json-not-an-object",
                        "A frame whose JSON is no object ends the connection.",
                        "faults",
                        FrameCases::notAnObject),
                Case.of(
                        "request-without-id",
                        "A request without an id ends the connection.",
                        "faults",
                        FrameCases::withoutId),
                Case.of(
                        "request-without-time",
                        "A request without timeoutMillis is answered, or ends the connection.",
                        "faults",
                        FrameCases::withoutTime));
    }

    private interface Frames {
        Frame[] of(Conversation worker);
    }

    /** The id of a request that is sent next. */
    private static long expected(Conversation worker) {
        return worker.expect(worker.nextId()).id();
    }

    private static void answeredAs(Stage stage, Frames frames)
            throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        for (Frame each : frames.of(worker)) {
            worker.send(each);
        }
        worker.awaitAll(worker.heard().held());
    }

    private static void byteByByte(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer first = worker.expect(worker.nextId());
        Answer second = worker.expect(worker.nextId());
        Frame next = Frame.of(Asked.post(stage.target(), CONTENT).message(second.id()));
        worker.sendWithStartOf(
                Frame.of(Asked.get(stage.target()).message(first.id())), next, CUT_BYTES);
        // Its answer tells that the worker has read a part of the second one.
        worker.await(first);
        worker.trickle(next, CUT_BYTES);
        worker.await(second);
    }

    private static void unknownTypes(Stage stage) throws RuleBroken, InterruptedException {
        answeredAs(
                stage,
                worker ->
                        new Frame[] {
                            Frame.of("{\"type\":\"weather\",\"id\":1,\"code\":\"rain\"}"),
                            Frame.of("{\"type\":\"weather\"}", CONTENT),
                            Frame.of(Asked.get(stage.target()).message(expected(worker)))
                        });
    }

    private static void thirtyAtOnce(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        List<Frame> frames = new ArrayList<>();
        for (int i = FRAMES_AT_ONCE; i > 0; i--) {
            frames.add(
                    i <= worker.window()
                            ? Frame.of(Asked.get(stage.target()).message(expected(worker)))
                            : Frame.of("{\"type\":\"weather\"}"));
        }
        worker.send(frames);
        worker.awaitAll(worker.heard().held());
    }

    private static void unknownKeys(Stage stage) throws RuleBroken, InterruptedException {
        String deep = "[".repeat(20) + "]".repeat(20);
        answeredAs(
                stage,
                worker ->
                        new Frame[] {
                            Frame.withKeys(
                                    Asked.get(stage.target()).message(expected(worker)),
                                    "\"unknown\":{\"id\":0,\"deep\":%s},\"later\":null,\"ratio\":-1.5e3,\"text\":\"\\u20ac\\ud83d\\ude00\",\"flag\":true"
                                            .formatted(deep))
                        });
    }

    private static void otherJson(Stage stage) throws RuleBroken, InterruptedException {
        answeredAs(
                stage,
                worker ->
                        new Frame[] {
                            Frame.of(
                                    """
                                    {
                                    \t"version" : "1.1", "headers" : [ [ "host" , "example.org" ], ["x-a", "\\u00e9\\/\\u0041"] ],
                                    \t"client" : "192.0.2.1:0", "timeoutMillis" : 30000 , "target" : "%s",
                                    \t"\\u006dethod" : "G\\u0045T", "id" : %d,
                                    \t"type" : "re\\u0071uest"
                                    }\r
                                    """
                                            .formatted(stage.target(), expected(worker)))
                        });
    }

    private static void largestId(Stage stage) throws RuleBroken, InterruptedException {
        for (long id :
                new long[] {(1L << 31) + 1, (1L << 32) + 1, Message.MAX_ID - 1, Message.MAX_ID}) {
            Conversation worker = stage.worker();
            Answer answer = worker.expect(id);
            worker.send(Asked.get(stage.target()).message(id));
            worker.await(answer);
        }
    }

    private static void largestTime(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Answer answer = worker.expect(worker.nextId());
        worker.send(Asked.get(stage.target()).message(answer.id(), LONGEST_TIME));
        if (worker.await(answer).failure() != null) {
            Answer usual = worker.await(worker.request(Asked.get(stage.target())));
            if (usual.failure() == null) {
                throw new RuleBroken("with a long timeoutMillis the answer is " + answer.inWords());
            }
        }
    }

    private static void brokenJson(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.expendable();
        worker.send(Frame.of("{\"type\":\"ping\""));
        worker.awaitEnd("a frame whose JSON is broken");
    }

    private static void notAnObject(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.expendable();
        worker.send(Frame.of("[{\"type\":\"ping\"}]"));
        worker.awaitEnd("a frame whose JSON is an array");
    }

    private static void withoutId(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.expendable();
        String json = Frame.json(Asked.get(stage.target()).message(1));
        worker.send(Frame.of(json.replace("\"id\":1,", "")));
        worker.awaitEnd("a request without an id");
    }

    private static void withoutTime(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.expendable();
        Answer answer = worker.expect(worker.nextId());
        String json = Frame.json(Asked.get(stage.target()).message(answer.id(), LONGEST_TIME));
        worker.send(Frame.of(json.replace("\"timeoutMillis\":" + LONGEST_TIME + ",", "")));
        if (!worker.waitFor(stage.timeout(), () -> answer.isOver() || worker.heard().isOver())) {
            throw new RuleBroken("it is neither answered nor does the connection end");
        }
    }
}
