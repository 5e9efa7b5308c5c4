package dev.handoff.conformance;

import dev.handoff.conformance.ResponseReader.Received;
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
 * What one connection has shown, on both of its sides, told as events. What every response has to
 * have, whatever the fixture, is judged here and left out.
 */
final class Transcript {
    private static final String DATE =
            new String(
                    HttpDate.format(new ManualClock().epochSeconds()), StandardCharsets.US_ASCII);

    private final Fixture fixture;
    private final List<Request> seen;
    private final boolean closed;
    private final ResponseReader responses;
    private final List<Event> events = new ArrayList<>();

    private Transcript(Fixture fixture, List<Request> seen, byte[] received, boolean closed) {
        this.fixture = fixture;
        this.seen = seen;
        this.closed = closed;
        this.responses = new ResponseReader(received);
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

    /** The requests, each with its response; more responses are refusals. */
    private void tell() {
        try {
            for (Request request : seen) {
                Received response = finalResponse(!request.method().equals("HEAD"));
                events.add(new Event.Seen(request));
                if (response != null) {
                    answered(request, response);
                }
            }
            boolean refusalHasContent =
                    fixture.outcome().events().stream()
                            .noneMatch(e ->
                                    e instanceof Event.Refused(_, _, var content, _) && !content);
            Received response = finalResponse(refusalHasContent);
            if (response != null) {
                refused(response, refusalHasContent);
            }
            if (responses.hasMore()) {
                fault("behind it: " + responses.rest());
            }
        } catch (IllegalArgumentException malformed) {
            fault(malformed.getMessage() + ": " + responses.rest());
        }
    }

    /** The next final response, or null if there is none, with interim ones told before. */
    private @Nullable Received finalResponse(boolean hasContent) {
        while (responses.hasMore()) {
            Received response = responses.next(hasContent);
            if (response.status() >= 200) {
                return response;
            }
            events.add(Event.Continued.CONTINUED);
            if (response.status() != 100 || !response.fields().isEmpty()) {
                fault("an interim response " + response.status() + " with " + response.fields());
            }
        }
        return null;
    }

    private void answered(Request request, Received response) {
        Headers.Builder fields = new Headers.Builder();
        for (int i = 0; i < response.fields().size(); i++) {
            String name = response.fields().name(i);
            if (!name.equals("date") && !name.equals("connection")) {
                fields.add(name, response.fields().value(i));
            }
        }
        Message message = new Message(fields.build(), response.content());
        events.add(Event.Answered.of(response.status(), message));

        String given = fixture.reply().headers().first("date");
        require(response, "date", List.of(given == null ? DATE : given));
        boolean last = closed && !responses.hasMore();
        List<String> onOthers =
                request.version() == HttpVersion.HTTP_1_0 ? List.of("keep-alive") : List.of();
        // Whether the client's end has come along with its request is not said.
        boolean maySayEither = last && fixture.ended();
        if (!maySayEither || !response.fields().all("connection").equals(onOthers)) {
            require(response, "connection", last ? List.of("close") : onOthers);
        }
    }

    private void refused(Received response, boolean hasContent) {
        Headers fields = response.fields();
        String rule = String.join(",", fields.all("handoff-error"));
        String type = String.join(",", fields.all("content-type"));
        events.add(new Event.Refused(response.status(), rule, hasContent, type));
        require(response, "date", List.of(DATE));
        require(response, "connection", List.of("close"));
        require(response, "cache-control", List.of("no-store"));
        for (int i = 0; i < fields.size(); i++) {
            switch (fields.name(i)) {
                case "date", "connection", "cache-control", "content-type", "handoff-error" -> {}
                case "content-length" -> requireMatch("[1-9][0-9]*", fields.value(i));
                default -> fault("an unexpected field " + fields.name(i));
            }
        }
        if (hasContent) {
            String content = response.content().toUtf8();
            boolean plain = type.equals(Event.Refused.PLAIN_TEXT);
            requireMatch(
                    plain
                            ? "[A-Z][^\\n]+\\.\\n"
                            : "\\{[^\\n]*\"code\":\"" + rule + "\"[^\\n]*}\\n?",
                    content);
        }
    }

    private void require(Received response, String name, List<String> values) {
        List<String> actual = response.fields().all(name);
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
