package dev.handoff.launcher.check;

import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseFault;
import dev.handoff.process.protocol.FrameLimits;
import dev.handoff.process.protocol.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a worker makes of requests, however unusual they are. */
final class RequestCases {
    static final String ANSWERS = "answers";

    /** Many other cases send several frames, and would tell of this alone. */
    static final String SEVERAL_FRAMES = "several-frames";

    private static final int LARGE_BYTES = 1024 * 1024;
    private static final int LONG_VALUE = 100 * 1024;
    private static final int SMALL_BYTES = 10;

    private RequestCases() {}

    static List<Case> all() {
        return List.of(
                new Case(
                        ANSWERS,
                        "A request is answered by a response or a failure with its id.",
                        "response",
                        List.of(),
                        List.of(GreetingCases.READY),
                        RequestCases::answers),
                new Case(
                        SEVERAL_FRAMES,
                        "A read may hold several frames: each of them counts.",
                        "frame",
                        List.of(),
                        List.of(ANSWERS),
                        RequestCases::severalFrames),
                Case.of(
                        "response-is-http",
                        "Status, reason and headers of a response are as HTTP allows them.",
                        "response",
                        RequestCases::responseIsHttp),
                Case.of(
                        "every-method",
                        "Unknown methods come too, and the target may be *.",
                        "request",
                        RequestCases::everyMethod),
                Case.of(
                        "http-1.0",
                        "A request of HTTP/1.0 may have no header at all.",
                        "request",
                        stage ->
                                answered(
                                        stage,
                                        Asked.get(stage.target())
                                                .withVersion("1.0")
                                                .with(Headers.EMPTY))),
                Case.of(
                        "latin-1-headers",
                        "A header is octets: characters from U+0000 to U+00FF.",
                        "values",
                        stage ->
                                answered(
                                        stage,
                                        Asked.get(stage.target())
                                                .with(
                                                        Headers.of(
                                                                "host",
                                                                "example.org",
                                                                "x-name",
                                                                "J\u00fcrgen \u00ff\u00e9")))),
                Case.of(
                        "large-body",
                        "A worker takes bodies of megabytes, unless its hello has bodyBytes.",
                        "frame",
                        RequestCases::largeBody),
                Case.of(
                        "large-head",
                        "The JSON of a frame may have up to 1 MiB.",
                        "frame",
                        RequestCases::largeHead),
                Case.of(
                        "keeps-limits",
                        "A response over the limits of welcome becomes a failure.",
                        "welcome",
                        RequestCases::keepsLimits),
                Case.of(
                        "hop-by-hop",
                        "Fields of the connection belong to the core, which drops them.",
                        "response",
                        RequestCases::hopByHop),
                Case.of(
                        "content-length",
                        "A content-length is that of the body; the core replaces it.",
                        "response",
                        RequestCases::contentLength),
                Case.of(
                        "body-behind-json",
                        "The body stands behind the JSON; the core ignores a key body.",
                        "frame",
                        RequestCases::bodyInJson));
    }

    private static void answered(Stage stage, Asked asked) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        worker.await(worker.request(asked));
    }

    private static void answers(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        // So welcome and request come in two reads: the next case has several frames in one.
        worker.waitForAny(Stage.QUIET);
        Answer answer = worker.await(worker.request(Asked.get(stage.target())));
        if (answer.failure() != null) {
            stage.warn("GET " + stage.target() + " is answered by " + answer.inWords());
        }
    }

    private static void severalFrames(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        for (int i = 0; i < 2; i++) {
            Answer answer = worker.expect(worker.nextId());
            Message request = Asked.get(stage.target()).message(answer.id());
            worker.send(List.of(Frame.of(new Message.Ping()), Frame.of(request)));
            worker.await(answer);
        }
    }

    private static void responseIsHttp(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        for (Asked asked :
                List.of(
                        Asked.get(stage.target()),
                        Asked.post(stage.target(), "a=b".getBytes(StandardCharsets.US_ASCII)),
                        Asked.get("/no/such/page?a=b"))) {
            Response head = worker.await(worker.request(asked)).head();
            ResponseFault broken = head == null ? null : ResponseFault.of(head);
            if (broken != null) {
                throw new RuleBroken(broken.message() + " The client gets 502 bad_response.");
            }
        }
    }

    private static void everyMethod(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        for (String method : List.of("HEAD", "OPTIONS", "DELETE", "PATCH", "BREW", "m-search")) {
            worker.await(worker.request(Asked.of(method, stage.target())));
        }
        worker.await(worker.request(Asked.of("OPTIONS", "*")));
    }

    private static void largeBody(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        int most = Math.min(LARGE_BYTES, worker.awaitHello().bodyBytes());
        worker.await(worker.request(Asked.post(stage.target(), new byte[most])));
    }

    private static void largeHead(Stage stage) throws RuleBroken, InterruptedException {
        Headers headers = Headers.of("host", "example.org", "x-long", "x".repeat(LONG_VALUE));
        answered(stage, Asked.get(stage.target()).with(headers));
        // In a key that the worker does not know, so that no handler sends it back.
        Conversation worker = stage.worker();
        Answer answer = worker.expect(worker.nextId());
        Message request = Asked.get(stage.target()).message(answer.id());
        int room = FrameLimits.DEFAULT_JSON_BYTES - Frame.withKeys(request, padding(0)).jsonBytes();
        worker.send(Frame.withKeys(request, padding(room)));
        worker.await(answer);
    }

    private static String padding(int size) {
        return "\"padding\":\"" + "x".repeat(size) + "\"";
    }

    private static void keepsLimits(Stage stage) throws RuleBroken, InterruptedException {
        Terms tiny = Terms.USUAL.plain().withBodyBytes(SMALL_BYTES);
        Conversation worker = stage.ready(stage.start(stage.ofTheCore()), tiny);
        worker.await(worker.request(Asked.get(stage.target())));
        worker.await(worker.request(Asked.post(stage.target(), new byte[LARGE_BYTES / 100])));
        worker.await(worker.request(Asked.get("/no/such/page")));
    }

    private static void hopByHop(Stage stage) throws RuleBroken, InterruptedException {
        Headers headers = get(stage).headers();
        for (String name :
                List.of(
                        "connection",
                        "keep-alive",
                        "proxy-connection",
                        "te",
                        "trailer",
                        "transfer-encoding",
                        "upgrade")) {
            if (headers.contains(name)) {
                stage.warn("the field " + name + " of a response is dropped");
            }
        }
    }

    private static void contentLength(Stage stage) throws RuleBroken, InterruptedException {
        Answer answer = get(stage);
        for (String value : answer.headers().all("content-length")) {
            // A stream that was cut short by the check itself tells nothing.
            if (!value.equals(Long.toString(answer.bodyBytes())) && !answer.wasStreamed()) {
                stage.warn(
                        "content-length is %s, and the body has %d bytes"
                                .formatted(Transcript.shortened(value), answer.bodyBytes()));
            }
        }
    }

    private static void bodyInJson(Stage stage) throws RuleBroken, InterruptedException {
        Answer answer = get(stage);
        if (JsonKeys.of(answer.headJson()).contains("body")) {
            stage.warn("the key body of a response means nothing: the body stands behind the JSON");
        }
    }

    private static Answer get(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        return worker.await(worker.request(Asked.get(stage.target())));
    }
}
