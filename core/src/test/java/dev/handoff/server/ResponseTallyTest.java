package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** What a loop tells of the responses that its clients hold. */
final class ResponseTallyTest {
    private static final int LIMIT_BYTES = 64 * 1024 * 1024;
    private static final int STEP_BYTES = 256 * 1024;

    private final ResponseRoom room = new ResponseRoom(LIMIT_BYTES);
    private final ResponseTally tally = new ResponseTally(room);

    @Test
    void tellsSteps() {
        tally.tell(STEP_BYTES - 1, 0, 0);
        assertEquals(0, room.bytes());
        tally.tell(STEP_BYTES, 0, 0);
        assertEquals(STEP_BYTES, room.bytes());
        tally.tell(STEP_BYTES + 1, STEP_BYTES - 1, 0);
        assertEquals(STEP_BYTES, room.bytes());
    }

    @Test
    void tellsStepsOfMessages() {
        tally.tell(0, 0, STEP_BYTES - 1);
        assertEquals(0, room.bytes());
        tally.tell(0, 0, STEP_BYTES);
        assertEquals(STEP_BYTES, room.bytes());
    }

    @Test
    void tellsThatNothingIsLeftHoweverLittleItWas() {
        tally.tellExactly(4096, 1, 0);
        assertEquals(4097, room.bytes());
        tally.tell(0, 0, 0);
        assertEquals(0, room.bytes());
    }
}
