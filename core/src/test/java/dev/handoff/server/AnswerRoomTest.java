package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who gets room for an answer, and when. */
class AnswerRoomTest {
    private final AnswerRoom room = new AnswerRoom(100);
    private final List<String> granted = new ArrayList<>();

    @Test
    void grantsUpToTheLimitAndNotOneByteMore() {
        assertTrue(room.claim(60, AnswerRoomTest::nobody).isGranted());
        assertTrue(room.claim(40, AnswerRoomTest::nobody).isGranted());
        assertFalse(claim("late", 1).isGranted());
        assertEquals(100, room.bytes());
    }

    @Test
    void oneThatIsLargerThanTheRoomIsGrantedWhenItIsTheOnlyOne() {
        AnswerRoom.Claim other = room.claim(1, AnswerRoomTest::nobody);
        AnswerRoom.Claim large = claim("large", 1000);
        assertFalse(large.isGranted());
        other.end();
        assertTrue(large.isGranted());
        assertFalse(claim("next", 1).isGranted());
        assertEquals(1000, room.bytes());
    }

    @Test
    void passesTheLimitByOneClaimAndNotWhileClientsPassIt() {
        room.add(100);
        assertTrue(room.claim(50, AnswerRoomTest::nobody).isGranted());
        AnswerRoom other = new AnswerRoom(100);
        other.add(101);
        assertFalse(other.claim(50, () -> granted.add("50")).isGranted());
        assertEquals(1, other.missingBytes());
        other.add(-1);
        assertEquals(List.of("50"), granted);
    }

    @Test
    void grantsInTheOrderInWhichTheyCame() {
        AnswerRoom.Claim first = room.claim(100, AnswerRoomTest::nobody);
        claim("large", 90);
        claim("small", 20);
        claim("smallest", 1);
        first.end();
        assertEquals(List.of("large"), granted);
        assertEquals(2, room.waiting());
    }

    @Test
    void oneThatIsGivenUpLetsTheNextInAndReturnsWhatItHad() {
        AnswerRoom.Claim first = room.claim(100, AnswerRoomTest::nobody);
        AnswerRoom.Claim second = claim("second", 50);
        claim("third", 50);
        second.end();
        first.end();
        assertEquals(List.of("third"), granted);
        assertEquals(50, room.bytes());
        assertFalse(room.isWanted());
        assertThrows(IllegalStateException.class, first::end);
    }

    @Test
    void nothingIsMissingWhileAGrantedOneStillComes() {
        AnswerRoom.Claim comes = room.claim(60, AnswerRoomTest::nobody);
        claim("waits", 60);
        room.add(200);
        assertEquals(0, room.missingBytes());
        comes.end();
        assertEquals(100, room.missingBytes());
    }

    @Test
    void tellsThoseWhoHoldRoomThatItIsWanted() {
        room.onWanted(() -> granted.add("wanted"));
        room.claim(100, AnswerRoomTest::nobody);
        assertEquals(List.of(), granted);
        claim("late", 1);
        assertEquals(List.of("wanted"), granted);
    }

    private AnswerRoom.Claim claim(String name, long bytes) {
        return room.claim(bytes, () -> granted.add(name));
    }

    private static void nobody() {
        throw new AssertionError("granted at once, or not at all");
    }
}
