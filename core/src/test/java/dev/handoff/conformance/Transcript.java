package dev.handoff.conformance;

import dev.handoff.conformance.AnswerReader.Answer;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpDate;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.testing.ManualClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one connection has shown, on both of its sides, told as events. What every answer has to
 * have, whatever the fixture, is judged here and left out.
 */
final class Transcript {
    private static final String DATE =
            new String(
                    HttpDate.format(new ManualClock().epochSeconds()), StandardCharsets.US_ASCII);

    private final Fixture fixture;
    private final List<Request> seen;
    private final boolean closed;
    private final AnswerReader answers;
    private final List<Event> events = new ArrayList<>();

    private Transcript(Fixture fixture, List<Request> seen, byte[] received, boolean closed) {
        this.fixture = fixture;
        this.seen = seen;
        this.closed = closed;
        this.answers = new AnswerReader(received);
    }

    /**
     * @param seen by the handler, in order
     * @param received by the client, all of it
     * @param closed whether the server ended the connection
     */
    static List<Event> events(
            Fixture fixture, List<Request> seen, byte[] received, boolean closed) {
        Transcript transcript = new Transcript(fixture, seen, received, closed);
        transcript.tell();
        return transcript.events;
    }

    /** The requests, each with its answer; more answers are refusals. */
    private void tell() {
        try {
            for (Request request : seen) {
                Answer answer = finalAnswer(!request.method().equals("HEAD"));
                events.add(new Event.Seen(request));
                if (answer != null) {
                    answered(request, answer);
                }
            }
            boolean refusalHasContent =
                    fixture.outcome().events().stream()
                            .noneMatch(e ->
                                    e instanceof Event.Refused(_, _, var content, _) && !content);
            Answer answer = finalAnswer(refusalHasContent);
            if (answer != null) {
                refused(answer, refusalHasContent);
            }
            if (answers.hasMore()) {
                fault("behind it: " + answers.rest());
            }
        } catch (IllegalArgumentException malformed) {
            fault(malformed.getMessage() + ": " + answers.rest());
        }
    }

    /** The next final answer, or null if there is none, with interim ones told before. */
    private @Nullable Answer finalAnswer(boolean hasContent) {
        while (answers.hasMore()) {
            Answer answer = answers.next(hasContent);
            if (answer.status() >= 200) {
                return answer;
            }
            events.add(Event.Continued.CONTINUED);
            if (answer.status() != 100 || !answer.fields().isEmpty()) {
                fault("an interim answer " + answer.status() + " with " + answer.fields());
            }
        }
        return null;
    }

    private void answered(Request request, Answer answer) {
        Headers.Builder fields = new Headers.Builder();
        for (int i = 0; i < answer.fields().size(); i++) {
            String name = answer.fields().name(i);
            if (!name.equals("date") && !name.equals("connection")) {
                fields.add(name, answer.fields().value(i));
            }
        }
        Message message = new Message(fields.build(), answer.content());
        events.add(Event.Answered.of(answer.status(), message));

        String given = fixture.reply().headers().first("date");
        require(answer, "date", List.of(given == null ? DATE : given));
        boolean last = closed && !answers.hasMore();
        List<String> onOthers =
                request.version() == HttpVersion.HTTP_1_0 ? List.of("keep-alive") : List.of();
        // Whether the client's end has come along with its request is not said.
        boolean maySayEither = last && fixture.ended();
        if (!maySayEither || !answer.fields().all("connection").equals(onOthers)) {
            require(answer, "connection", last ? List.of("close") : onOthers);
        }
    }

    private void refused(Answer answer, boolean hasContent) {
        Headers fields = answer.fields();
        String rule = String.join(",", fields.all("handoff-error"));
        String type = String.join(",", fields.all("content-type"));
        events.add(new Event.Refused(answer.status(), rule, hasContent, type));
        require(answer, "date", List.of(DATE));
        require(answer, "connection", List.of("close"));
        require(answer, "cache-control", List.of("no-store"));
        for (int i = 0; i < fields.size(); i++) {
            switch (fields.name(i)) {
                case "date", "connection", "cache-control", "content-type", "handoff-error" -> {}
                case "content-length" -> requireMatch("[1-9][0-9]*", fields.value(i));
                default -> fault("an unexpected field " + fields.name(i));
            }
        }
        if (hasContent) {
            String content = answer.content().toUtf8();
            boolean plain = type.equals(Event.Refused.PLAIN_TEXT);
            requireMatch(
                    plain
                            ? "[A-Z][^\\n]+\\.\\n"
                            : "\\{[^\\n]*\"code\":\"" + rule + "\"[^\\n]*}\\n?",
                    content);
        }
    }

    private void require(Answer answer, String name, List<String> values) {
        List<String> actual = answer.fields().all(name);
        if (!actual.equals(values)) {
            fault("%s: %s instead of %s".formatted(name, actual, values));
        }
    }

    private void requireMatch(String pattern, String text) {
        if (!text.matches(pattern)) {
            fault("%s does not match %s".formatted(Escapes.encodeText(text), pattern));
        }
    }

    private void fault(String what) {
        events.add(new Event.Fault(what));
    }
}
