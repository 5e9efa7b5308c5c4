package dev.handoff.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.handoff.conformance.ResponseFixture.Expected;
import dev.handoff.http.EverySplit;
import dev.handoff.http.ReadResponses;
import dev.handoff.http.ReadResponses.Found;
import dev.handoff.testing.Splits;
import dev.handoff.testing.Splits.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What the parser makes of the responses of every fixture, however their bytes are cut, and what it
 * makes of each beginning of them.
 */
class ResponseFixturesTest {
    private static final int LEAST_FIXTURES = 250;
    private static final Set<String> TOPICS =
            Set.of(
                    "status-line",
                    "fields",
                    "content-length",
                    "transfer-encoding",
                    "chunked",
                    "no-content",
                    "interim",
                    "persistence",
                    "limits");

    @Test
    void coverEveryTopic() {
        Set<String> topics =
                FixtureSection.files(ResponseFixture.FOLDER).stream()
                        .map(file -> String.valueOf(file.getFileName()).replace(".md", ""))
                        .collect(Collectors.toSet());
        assertEquals(TOPICS, topics);
        int fixtures = FixtureSection.all(ResponseFixture.FOLDER).size();
        assertTrue(fixtures >= LEAST_FIXTURES, () -> "no more than " + fixtures);
    }

    @TestFactory
    Stream<DynamicTest> areParsedTheSameHoweverCut() {
        return each(ResponseFixturesTest::parse);
    }

    @TestFactory
    Stream<DynamicTest> areIncompleteWhereverTheyAreCutOff() {
        return each(ResponseFixturesTest::cutOff);
    }

    private static Stream<DynamicTest> each(Consumer<ResponseFixture> test) {
        return FixtureSection.all(ResponseFixture.FOLDER).stream()
                .map(section ->
                        dynamicTest(
                                section.name(), () -> test.accept(ResponseFixture.of(section))));
    }

    private static void parse(ResponseFixture fixture) {
        byte[] bytes = fixture.bytes().toArray();
        List<Found> whole = reading(fixture, bytes, Split.WHOLE).found();
        for (Split split : Splits.of(bytes.length, EverySplit.EVERY_PLACE_UP_TO)) {
            ReadResponses reading = reading(fixture, bytes, split);
            String how = fixture.name() + " (" + split + ")";
            requireSame(fixture, reading, how);
            assertEquals(whole, reading.found(), () -> "other places or fields: " + how);
        }
    }

    private static void requireSame(ResponseFixture fixture, ReadResponses reading, String how) {
        List<Expected> expected = fixture.expected();
        List<Expected> actual = new ArrayList<>();
        for (Found found : reading.found()) {
            boolean more = actual.size() < expected.size();
            Expected model = more ? expected.get(actual.size()) : Expected.NONE;
            actual.add(model.like(found));
        }
        // Long contents take their time to be told, and there are thousands of outcomes.
        String ending = reading.ending();
        if (!actual.equals(expected) || !ending.equals(fixture.ending())) {
            assertEquals(fixture.text(), ResponseFixture.text(actual, ending), how);
            fail("two outcomes are told the same, and differ: " + how);
        }
    }

    /** Nothing is refused too soon, nothing is whole too soon, and no other words are said. */
    private static void cutOff(ResponseFixture fixture) {
        byte[] bytes = fixture.bytes().toArray();
        ReadResponses whole = reading(fixture, bytes, Split.WHOLE);
        int last = whole.found().isEmpty() ? -1 : whole.found().getLast().endsAt();
        int longest = Math.min(bytes.length, EverySplit.EVERY_PLACE_UP_TO);
        for (int length = 0; length < longest; length++) {
            String how = fixture.name() + ", cut off at " + length;
            ReadResponses reading = reading(fixture, Arrays.copyOf(bytes, length), Split.WHOLE);
            requireBeginning(whole.found(), reading.found(), how);
            Set<String> possible = endings(fixture.ending(), last >= 0 && length >= last);
            String ending = reading.ending();
            assertTrue(possible.contains(ending), () -> how + ": " + ending);
        }
    }

    /** What a beginning of the bytes may lead to, if all of them lead to the ending. */
    private static Set<String> endings(String ending, boolean lastHasCome) {
        boolean refused = ending.startsWith(ReadResponses.REFUSED);
        if (lastHasCome) {
            return refused
                    ? Set.of(ending, ReadResponses.KEPT, ReadResponses.WAITS)
                    : Set.of(ending);
        }
        return refused || ending.equals(ReadResponses.UNTIL_END)
                ? Set.of(ending, ReadResponses.WAITS)
                : Set.of(ReadResponses.WAITS);
    }

    private static void requireBeginning(List<Found> whole, List<Found> part, String how) {
        for (int i = 0; i < part.size(); i++) {
            Found found = part.get(i);
            if (found.endsAt() >= 0) {
                assertEquals(whole.get(i), found, how);
            } else {
                assertEquals(part.size() - 1, i, how);
                assertTrue(isBeginning(whole.get(i), found), how);
            }
        }
    }

    private static boolean isBeginning(Found whole, Found part) {
        byte[] all = whole.response().body().toArray();
        byte[] some = part.response().body().toArray();
        return whole.response().headers().equals(part.response().headers())
                && whole.response().status() == part.response().status()
                && whole.contentBytes() == part.contentBytes()
                && some.length <= all.length
                && Arrays.equals(some, Arrays.copyOf(all, some.length));
    }

    private static ReadResponses reading(ResponseFixture fixture, byte[] bytes, Split split) {
        return ReadResponses.of(bytes, fixture.asked(), split);
    }
}
