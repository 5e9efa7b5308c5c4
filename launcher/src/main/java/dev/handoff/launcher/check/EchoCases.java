package dev.handoff.launcher.check;

import dev.handoff.admin.api.JsonLibrary;
import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import jakarta.json.JsonArray;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What reaches a handler and comes back, where a route echoes: the body as it is, {@code
 * Echo-Method}, {@code Echo-Target}, and {@code Echo-Headers} with the headers as JSON in ASCII.
 */
final class EchoCases {
    private static final int LARGE_BYTES = 1024 * 1024;
    private static final int TIGHT_JSON_BYTES = 2048;
    private static final int SEVERAL = 3;
    private static final Duration PAUSE = Duration.ofSeconds(2);

    private EchoCases() {}

    static List<Case> all() {
        return List.of(
                Case.of(
                                "echo-body",
                                "A body is raw bytes, in both directions.",
                                "frame",
                                EchoCases::body)
                        .needing(Need.ECHO),
                Case.of(
                                "echo-target",
                                "Method and target reach the handler as they are.",
                                "request",
                                EchoCases::target)
                        .needing(Need.ECHO)
                        .after(RequestCases.SEVERAL_FRAMES, "every-method"),
                Case.of(
                                "echo-headers",
                                "Headers reach the handler in order, with duplicates and all octets.",
                                "values",
                                EchoCases::headers)
                        .needing(Need.ECHO)
                        .after(RequestCases.SEVERAL_FRAMES, "latin-1-headers"),
                Case.of(
                                "echo-window",
                                "Each response belongs to its request.",
                                "window",
                                EchoCases::window)
                        .needing(Need.ECHO)
                        .after(RequestCases.SEVERAL_FRAMES, WorkCases.FULL_WINDOW, "echo-body"),
                Case.of(
                                "keeps-json-limit",
                                "A response whose JSON is over the limit of welcome becomes a"
                                        + " failure.",
                                "welcome",
                                EchoCases::keepsJsonLimit)
                        .needing(Need.ECHO)
                        .after(RequestCases.SEVERAL_FRAMES, "keeps-limits", "echo-headers"),
                Case.of(
                                "slow-core",
                                "The core may stop reading in a large frame; the worker writes on"
                                        + " when it reads.",
                                "frame",
                                EchoCases::slowCore)
                        .needing(Need.ECHO)
                        .after(RequestCases.SEVERAL_FRAMES, "echo-body", "large-body"));
    }

    private static byte[] content(int size, int seed) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (i * 31 + seed);
        }
        return bytes;
    }

    private static void requireBody(byte[] expected, Answer answer) throws RuleBroken {
        byte[] came = answer.body();
        if (!Arrays.equals(expected, came)) {
            throw new RuleBroken(
                    "a body of %d bytes comes back as %s, which is another from byte %d on"
                            .formatted(
                                    expected.length,
                                    answer.inWords(),
                                    Math.max(0, Arrays.mismatch(expected, came))));
        }
    }

    private static void body(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        int most = Math.min(LARGE_BYTES / 4, worker.awaitHello().bodyBytes());
        for (byte[] each :
                List.of(
                        content(256, 0),
                        content(1, 0),
                        content(most, 1),
                        "\u20ac\r\n".getBytes(StandardCharsets.UTF_8))) {
            requireBody(each, worker.await(worker.request(Asked.post(stage.target(), each))));
        }
    }

    private static void require(String name, String expected, Answer answer) throws RuleBroken {
        String came = answer.headers().first(name);
        if (!expected.equals(came)) {
            throw new RuleBroken(
                    "%s is %s, and not %s (%s)".formatted(name, came, expected, answer.inWords()));
        }
    }

    private static void target(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        String target = stage.target() + "?a=%2F%41+b&a=//../&%zz";
        for (String method : List.of("GET", "POST", "DELETE", "BREW")) {
            Answer answer = worker.await(worker.request(Asked.of(method, target)));
            require("echo-method", method, answer);
            require("echo-target", target, answer);
        }
    }

    private static void headers(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        Headers sent =
                Headers.of(
                        "host",
                        "example.org",
                        "x-b",
                        "2",
                        "cookie",
                        "a=1",
                        "x-a",
                        "J\u00fcrgen \u00ff",
                        "x-b",
                        "1",
                        "x-empty",
                        "",
                        "x-quoted",
                        "\"\\\t,");
        Answer answer = worker.await(worker.request(Asked.get(stage.target()).with(sent)));
        String text = answer.headers().first("echo-headers");
        if (text == null) {
            throw new RuleBroken("there is no echo-headers, but " + answer.inWords());
        }
        Headers came = parsed(text);
        if (!sent.equals(came)) {
            throw new RuleBroken("the handler got " + came + " instead of " + sent);
        }
    }

    private static Headers parsed(String json) throws RuleBroken {
        try (JsonReader reader = JsonLibrary.PROVIDER.createReader(new StringReader(json))) {
            Headers.Builder headers = new Headers.Builder();
            for (JsonArray each : reader.readArray().getValuesAs(JsonArray.class)) {
                headers.add(each.getString(0), each.getString(1));
            }
            return headers.build();
        } catch (RuntimeException other) {
            // Not only a JsonException, as where it is nested too deep.
            throw new RuleBroken("echo-headers is no JSON array of pairs: " + json);
        }
    }

    private static void window(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        List<Answer> answers = new ArrayList<>();
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i < Math.min(worker.window(), 64); i++) {
            Answer answer = worker.expect(worker.nextId());
            answers.add(answer);
            frames.add(
                    Frame.of(Asked.post(stage.target(), content(100 + i, i)).message(answer.id())));
        }
        worker.send(frames);
        for (int i = 0; i < answers.size(); i++) {
            requireBody(content(100 + i, i), worker.await(answers.get(i)));
        }
    }

    private static void keepsJsonLimit(Stage stage) throws RuleBroken, InterruptedException {
        Terms tight = Terms.USUAL.plain().withJsonBytes(TIGHT_JSON_BYTES);
        Conversation worker = stage.ready(stage.start(stage.ofTheCore()), tight);
        Headers headers = Headers.of("host", "example.org", "x", "x".repeat(TIGHT_JSON_BYTES));
        Answer answer = worker.await(worker.request(Asked.get(stage.target()).with(headers)));
        if (answer.failure() == null && answer.headers().contains("echo-headers")) {
            throw new RuleBroken(
                    "limits has jsonBytes %d, and the answer to a larger head is %s"
                            .formatted(TIGHT_JSON_BYTES, answer.inWords()));
        }
        worker.await(worker.request(Asked.get(stage.target())));
    }

    private static void slowCore(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        byte[] large = content(Math.min(LARGE_BYTES, worker.awaitHello().bodyBytes()), 1);
        boolean held = large.length > Terms.STREAM_BYTES;
        if (held) {
            worker.holdReading();
        }
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < Math.min(SEVERAL, worker.window()); i++) {
            answers.add(worker.request(Asked.post(stage.target(), large).with(Body.of(large))));
        }
        if (held && worker.awaitHeld()) {
            // It writes. No event tells that it is stuck: it gets time to be.
            Thread.sleep(PAUSE);
        }
        worker.goOnReading();
        for (Answer each : answers) {
            requireBody(large, worker.await(each));
        }
    }
}
