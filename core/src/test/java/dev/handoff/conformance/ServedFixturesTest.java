package dev.handoff.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.handoff.conformance.Outcome.Ending;
import dev.handoff.http.Request;
import dev.handoff.testing.Splits;
import dev.handoff.testing.Splits.Split;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * What a client sees of a server on real sockets for every fixture, however its bytes are cut. Each
 * portion is read by itself: all splits of a fixture run side by side, each on its own connection,
 * and the server reads from all of them before any sends its next portion.
 *
 * <p>Inputs of more than 400 bytes are cut in two near their ends, and at some places between.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServedFixturesTest {
    private static final int EVERY_PLACE_UP_TO = 400;

    /** One wait for events brings those of so many connections on every system. */
    private static final int CONNECTIONS_AT_ONCE = 200;

    private static final byte[] PROBE =
            "GET /probe HTTP/1.1\r\nHost: probe\r\n\r\n".getBytes(ISO_8859_1);

    /** RFC 9110 section 10.1.1: HTTP/1.0 has no such expectation. */
    private static final Pattern MAY_EXPECT =
            Pattern.compile("(?i) HTTP/1\\.[1-9]\r\n([^\r\n]+\r\n)*?expect:[^\r\n]*100-continue");

    private final Map<FixtureLimits, FixtureServer> servers = new HashMap<>();

    @TestFactory
    Stream<DynamicTest> areServedTheSameHoweverCut() {
        return FixtureSection.all("http").stream()
                .map(section -> dynamicTest(section.name(), () -> serve(section.fixture())));
    }

    @AfterAll
    void stop() {
        servers.values().forEach(FixtureServer::close);
    }

    private void serve(Fixture fixture) throws IOException {
        FixtureServer server = servers.get(fixture.limits());
        if (server == null) {
            server = new FixtureServer(fixture.limits());
            servers.put(fixture.limits(), server);
        }
        List<Split> splits = Splits.of(fixture.bytes().sizeBytes(), EVERY_PLACE_UP_TO);
        for (int from = 0; from < splits.size(); from += CONNECTIONS_AT_ONCE) {
            int to = Math.min(from + CONNECTIONS_AT_ONCE, splits.size());
            serve(fixture, server, splits.subList(from, to));
        }
    }

    private static void serve(Fixture fixture, FixtureServer server, List<Split> splits)
            throws IOException {
        server.begin(fixture.reply());
        byte[] bytes = fixture.bytes().toArray();
        List<Dialogue> dialogues = new ArrayList<>();
        try {
            for (Split split : splits) {
                dialogues.add(new Dialogue(server.port(), bytes, fixture.ended(), split));
            }
            server.awaitOpened(dialogues.size());
            sendAll(server, dialogues);
            for (Dialogue dialogue : dialogues) {
                check(fixture, server, dialogue);
            }
            if (fixture.outcome().ending() == Ending.KEPT) {
                probe(fixture, server, dialogues);
            }
        } finally {
            for (Dialogue dialogue : dialogues) {
                dialogue.close();
            }
        }
        server.assertNoFailure();
    }

    private static void sendAll(FixtureServer server, List<Dialogue> dialogues) {
        List<Dialogue> sending = new ArrayList<>(dialogues);
        while (!sending.isEmpty()) {
            for (Dialogue dialogue : sending) {
                dialogue.sendNext();
            }
            server.settle();
            sending.removeIf(dialogue -> !dialogue.hasMore());
        }
    }

    /** What has not come yet may be on its way through a busy kernel. */
    private static void check(Fixture fixture, FixtureServer server, Dialogue dialogue) {
        Outcome expected = fixture.outcome();
        dialogue.receive();
        if (outcome(fixture, server, dialogue).equals(expected)) {
            return;
        }
        server.settleUntil(() -> {
            dialogue.receive();
            return outcome(fixture, server, dialogue).equals(expected);
        });
        outcome(fixture, server, dialogue)
                .requireSame(expected, () -> fixture.name() + " (" + dialogue.split() + ")");
    }

    private static Outcome outcome(Fixture fixture, FixtureServer server, Dialogue dialogue) {
        boolean closed = dialogue.state() != Dialogue.State.OPEN;
        List<Request> seen = server.seenFrom(dialogue.client());
        List<Event> events =
                new ArrayList<>(Transcript.events(fixture, seen, dialogue.received(), closed));
        if (dialogue.state() == Dialogue.State.RESET) {
            events.add(new Event.Fault("a reset"));
        }
        if (mayBeToldToGoOn(fixture)) {
            events.remove(Event.Continued.CONTINUED);
        }
        // While it is open, only a further request can tell whether it waits.
        Ending open = fixture.outcome().ending() == Ending.KEPT ? Ending.KEPT : Ending.WAITS;
        return new Outcome(events, closed ? Ending.CLOSED : open);
    }

    private static boolean mayBeToldToGoOn(Fixture fixture) {
        String text = new String(fixture.bytes().toArray(), ISO_8859_1);
        return !fixture.outcome().has(Event.Continued.class) && MAY_EXPECT.matcher(text).find();
    }

    /** A connection that was kept has nothing unread and answers a further request. */
    private static void probe(Fixture fixture, FixtureServer server, List<Dialogue> dialogues) {
        List<Integer> before = new ArrayList<>();
        for (Dialogue dialogue : dialogues) {
            before.add(dialogue.received().length);
            dialogue.sendBehind(PROBE);
        }
        server.settle();
        for (int i = 0; i < dialogues.size(); i++) {
            Dialogue dialogue = dialogues.get(i);
            int start = before.get(i);
            boolean answered =
                    server.settleUntil(() -> {
                        dialogue.receive();
                        return isProbed(fixture, server, dialogue, start);
                    });
            assertTrue(
                    answered,
                    () -> fixture.name() + " (" + dialogue.split() + "): waits, not kept");
        }
    }

    private static boolean isProbed(
            Fixture fixture, FixtureServer server, Dialogue dialogue, int start) {
        List<Request> seen = server.seenFrom(dialogue.client());
        if (seen.isEmpty() || !seen.getLast().target().equals("/probe")) {
            return false;
        }
        byte[] received = dialogue.received();
        byte[] response = Arrays.copyOfRange(received, start, received.length);
        List<Event> events = Transcript.events(fixture, List.of(seen.getLast()), response, false);
        return dialogue.state() == Dialogue.State.OPEN
                && events.size() == 2
                && events.getLast() instanceof Event.Answered;
    }
}
