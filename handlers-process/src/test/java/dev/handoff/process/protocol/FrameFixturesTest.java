package dev.handoff.process.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.protocol.FrameFixtures.Fixture;
import dev.handoff.process.protocol.Splits.Outcome;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every fixture, however its bytes are cut. */
class FrameFixturesTest {
    private static final int RANDOM_SPLITS = 50;

    static List<Fixture> fixtures() {
        return FrameFixtures.all();
    }

    static List<Fixture> canonicalFixtures() {
        return fixtures().stream().filter(Fixture::canonical).toList();
    }

    @Test
    void findsTheFixtures() {
        assertTrue(fixtures().size() > 100);
        long titles = fixtures().stream().map(Fixture::toString).distinct().count();
        assertEquals(fixtures().size(), titles);
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void meansWhatTheFixtureSays(Fixture fixture) {
        Outcome outcome = whole(fixture);
        assertEquals(fixture.messages(), outcome.messages());
        String reaction = fixture.reaction();
        if (reaction.startsWith("refused: ")) {
            ProtocolFault fault = outcome.fault();
            assertNotNull(fault);
            assertEquals(reaction, "refused: " + fault.wireName());
            return;
        }
        assertNull(outcome.fault());
        assertEquals(reaction.equals("incomplete"), outcome.inFrame());
        switch (reaction) {
            case "accepted" -> assertFalse(outcome.messages().isEmpty());
            case "ignored" -> assertTrue(outcome.messages().isEmpty());
            default -> assertEquals("incomplete", reaction);
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void meansTheSameHoweverItIsCut(Fixture fixture) {
        Outcome whole = whole(fixture);
        byte[] bytes = fixture.bytes().toArray();
        assertEquals(whole, Splits.perByte(fixture.limits(), fixture.from(), bytes), "per byte");
        for (int split = 0; split <= bytes.length; split++) {
            assertEquals(
                    whole,
                    Splits.twoWay(fixture.limits(), fixture.from(), bytes, split),
                    "cut at " + split);
        }
        Random random = new Random(Splits.SEED);
        for (int i = 0; i < RANDOM_SPLITS; i++) {
            assertEquals(
                    whole,
                    Splits.random(fixture.limits(), fixture.from(), bytes, random),
                    Splits.repeatWith());
        }
    }

    @ParameterizedTest
    @MethodSource("canonicalFixtures")
    void isWrittenAsTheFixtureSays(Fixture fixture) {
        FrameEncoder encoder = new FrameEncoder();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (Message message : fixture.messages()) {
            written.writeBytes(encoder.encode(message));
        }
        assertArrayEquals(fixture.bytes().toArray(), written.toByteArray());
    }

    private static Outcome whole(Fixture fixture) {
        return Splits.whole(fixture.limits(), fixture.from(), fixture.bytes().toArray());
    }
}
