package dev.handoff.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** What some bytes lead to: what happens, in order, and how it ends. */
record Outcome(List<Event> events, Ending ending) {

    enum Ending {
        /** Nothing is unfinished, the next request is welcome. */
        KEPT,
        /** A request has begun, or the client's next bytes decide. */
        WAITS,
        /** The server ends the connection. */
        CLOSED;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    boolean has(Class<? extends Event> kind) {
        return events.stream().anyMatch(kind::isInstance);
    }

    /** Without what only a client sees. */
    Outcome withoutResponses() {
        return new Outcome(
                events.stream()
                        .filter(event ->
                                event instanceof Event.Seen || event instanceof Event.Refused)
                        .map(Outcome::withoutContent)
                        .toList(),
                ending);
    }

    private static Event withoutContent(Event event) {
        return event instanceof Event.Refused(int status, String rule, boolean content, String type)
                ? new Event.Refused(status, rule, true, Event.Refused.PLAIN_TEXT)
                : event;
    }

    /** Demands that this, the actual outcome, is the expected one. */
    void requireSame(Outcome expected, Supplier<String> what) {
        // Long contents take their time to be told, and there are thousands of outcomes.
        if (!equals(expected)) {
            assertEquals(expected.text(), text(), what);
            fail("two outcomes are told the same, and differ: " + what.get());
        }
    }

    /** In the format of the fixtures. */
    String text() {
        StringBuilder out = new StringBuilder();
        for (Event event : events) {
            out.append(event.text());
        }
        return out.append(ending.text()).append('\n').toString();
    }
}
