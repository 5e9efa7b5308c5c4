package dev.handoff.conformance;

import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One thing that happens on a connection. */
sealed interface Event {

    /** As an outcome says it, every line with its end. */
    String text();

    /** The handler sees a request. */
    record Seen(Request request) implements Event {
        @Override
        public String text() {
            String line =
                    "request %s %s HTTP/%s\n"
                            .formatted(
                                    Escapes.encodeText(request.method()),
                                    Escapes.encodeText(request.target()),
                                    request.version().number());
            Message below = new Message(request.headers(), request.body());
            return line + below.text();
        }
    }

    /**
     * The client gets the handler's response.
     *
     * @param response without Date and Connection, its names in lower case and in alphabetical
     *     order
     */
    record Answered(Response response) implements Event {
        static Answered of(int status, Message message) {
            Headers fields = message.fields();
            Map<String, List<String>> byName = new TreeMap<>();
            for (int i = 0; i < fields.size(); i++) {
                byName.putIfAbsent(fields.name(i), fields.all(fields.name(i)));
            }
            Headers.Builder sorted = new Headers.Builder();
            byName.forEach((name, values) -> values.forEach(value -> sorted.add(name, value)));
            return new Answered(Response.of(status, sorted.build(), message.content()));
        }

        @Override
        public String text() {
            Message below = new Message(response.headers(), response.body());
            String line = "answer " + response.status() + "\n";
            if (below.equals(Message.USUAL_RESPONSE)) {
                return line;
            }
            return line + (below.equals(Message.NOTHING) ? "  no content\n" : below.text());
        }
    }

    /** The server answers by itself. */
    record Refused(int status, String rule, boolean hasContent, String contentType)
            implements Event {
        static final String PLAIN_TEXT = "text/plain; charset=utf-8";

        @Override
        public String text() {
            return "refused %d %s\n".formatted(status, rule)
                    + (hasContent ? "" : "  no content\n")
                    + (contentType.equals(PLAIN_TEXT)
                            ? ""
                            : "  content-type: " + contentType + "\n");
        }
    }

    /** The client is told to go on. */
    enum Continued implements Event {
        CONTINUED;

        @Override
        public String text() {
            return "answer 100\n";
        }
    }

    /** What no outcome may have: something that is always so was not. */
    record Fault(String what) implements Event {
        @Override
        public String text() {
            return "! " + what + "\n";
        }
    }
}
