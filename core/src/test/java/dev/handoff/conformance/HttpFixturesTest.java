package dev.handoff.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.handoff.conformance.Outcome.Ending;
import dev.handoff.http.EverySplit;
import dev.handoff.http.Parsed;
import dev.handoff.http.Refusal;
import dev.handoff.http.RequestParser;
import dev.handoff.http.websocket.Handshake;
import dev.handoff.testing.Splits;
import dev.handoff.testing.Splits.Split;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What the parser makes of every fixture, however its bytes are cut: the requests, the refusal and
 * the ending. {@link ServedFixturesTest} sees to the responses.
 */
class HttpFixturesTest {
    private static final int LEAST_FIXTURES = 250;
    private static final Set<String> TOPICS =
            Set.of(
                    "request-line",
                    "target-forms",
                    "version",
                    "host",
                    "header-syntax",
                    "content-length",
                    "transfer-encoding",
                    "chunked",
                    "trailers",
                    "expect",
                    "persistence",
                    "pipelining",
                    "head-and-no-body",
                    "limits",
                    "smuggling");

    @Test
    void coverEveryTopic() {
        Set<String> topics =
                FixtureSection.files("http").stream()
                        .map(file -> String.valueOf(file.getFileName()).replace(".md", ""))
                        .collect(Collectors.toSet());
        assertTrue(topics.containsAll(TOPICS), () -> "not all of " + TOPICS + ": " + topics);
        int fixtures = FixtureSection.all("http").size();
        assertTrue(fixtures >= LEAST_FIXTURES, () -> "no more than " + fixtures);
    }

    @TestFactory
    Stream<DynamicTest> areParsedTheSameHoweverCut() {
        return FixtureSection.all("http").stream()
                .map(section -> dynamicTest(section.name(), () -> parse(section.fixture())));
    }

    private static void parse(Fixture fixture) {
        Outcome expected = fixture.outcome().withoutResponses();
        byte[] bytes = fixture.bytes().toArray();
        for (Split split : Splits.of(bytes.length, EverySplit.EVERY_PLACE_UP_TO)) {
            List<EverySplit.Outcome> verdicts =
                    EverySplit.outcomes(bytes, fixture.limits().request(), split);
            outcome(verdicts, fixture.ended())
                    .requireSame(expected, () -> fixture.name() + " (" + split + ")");
            List<EverySplit.Outcome> arriving =
                    EverySplit.outcomesWithArriving(bytes, fixture.limits().request(), split);
            outcome(arriving, fixture.ended())
                    .requireSame(expected, () -> fixture.name() + " arriving (" + split + ")");
        }
    }

    private static Outcome outcome(List<EverySplit.Outcome> verdicts, boolean ended) {
        List<Event> events = new ArrayList<>();
        Ending ending = ended ? Ending.CLOSED : Ending.KEPT;
        for (EverySplit.Outcome outcome : verdicts) {
            switch (outcome.verdict()) {
                case Parsed.Complete(var request, boolean persistent) -> {
                    events.add(new Event.Seen(request));
                    assertEquals(RequestParser.Phase.IDLE, outcome.phase());
                    // What follows a last request, or a handshake, is not for us.
                    if (!persistent || !Handshake.of(request).equals(Handshake.NONE)) {
                        return new Outcome(events, Ending.CLOSED);
                    }
                }
                case Parsed.ContentEnd end ->
                        throw new IllegalStateException("it is no outcome of its own");
                case Parsed.Refused(Refusal why) -> {
                    events.add(
                            new Event.Refused(
                                    why.status(), why.code(), true, Event.Refused.PLAIN_TEXT));
                    ending = Ending.CLOSED;
                }
                case Parsed.Incomplete incomplete -> {
                    if (!ended) {
                        ending = Ending.WAITS;
                    }
                }
            }
        }
        return new Outcome(events, ending);
    }
}
