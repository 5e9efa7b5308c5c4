package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who gets room for a response, and when. */
class ResponseRoomTest {
    private static final int LIMIT_BYTES = 800;

    /** Of the limit, what responses of all sizes may take, and what only modest ones may. */
    private static final int COMMON_BYTES = 650;

    private static final int MODEST_PART_BYTES = 100;
    private static final int HEAD_PART_BYTES = 50;
    private static final int MESSAGE_PART_BYTES = 100;

    /** With half of the common part. */
    private static final int MOST_OF_MESSAGES_BYTES = MESSAGE_PART_BYTES + COMMON_BYTES / 2;

    /** The most that a modest one has. */
    private static final int MODEST_BYTES = 12;

    private final ResponseRoom room = new ResponseRoom(LIMIT_BYTES);
    private final ResponseRoom.Share share = room.newShare();
    private final List<String> granted = new ArrayList<>();

    @Test
    void grantsUpToTheLimitAndNotOneByteMore() {
        assertTrue(share.claim(400, ResponseRoomTest::nobody).isGranted());
        assertTrue(share.claim(250, ResponseRoomTest::nobody).isGranted());
        assertFalse(claim("late", MODEST_BYTES + 1).isGranted());
        assertEquals(COMMON_BYTES, room.bytes());
    }

    @Test
    void oneThatIsLargerThanTheRoomIsGrantedWhenItIsTheOnlyOne() {
        ResponseRoom.Claim other = share.claim(50, ResponseRoomTest::nobody);
        ResponseRoom.Claim large = claim("large", 1000);
        assertFalse(large.isGranted());
        other.end();
        assertTrue(large.isGranted());
        assertFalse(claim("next", 50).isGranted());
        assertEquals(1000, room.bytes());
    }

    @Test
    void passesTheLimitByOneClaimAndNotWhileClientsPassIt() {
        room.add(COMMON_BYTES, 0, 0);
        assertTrue(share.claim(50, ResponseRoomTest::nobody).isGranted());
        ResponseRoom other = new ResponseRoom(LIMIT_BYTES);
        other.add(COMMON_BYTES + 1, 0, 0);
        assertFalse(other.newShare().claim(50, () -> granted.add("50")).isGranted());
        assertEquals(1, other.missingBytes());
        other.add(-1, 0, 0);
        assertEquals(List.of("50"), granted);
    }

    @Test
    void grantsInTheOrderInWhichTheyCame() {
        ResponseRoom.Claim first = share.claim(COMMON_BYTES, ResponseRoomTest::nobody);
        claim("large", 600);
        claim("smaller", 60);
        claim("smallest", 50);
        first.end();
        assertEquals(List.of("large"), granted);
        assertEquals(2, room.waiting());
    }

    @Test
    void oneThatIsGivenUpLetsTheNextInAndReturnsWhatItHad() {
        ResponseRoom.Claim first = share.claim(COMMON_BYTES, ResponseRoomTest::nobody);
        ResponseRoom.Claim second = claim("second", 350);
        claim("third", 350);
        second.giveUp();
        assertEquals(1, room.givenUp());
        first.end();
        assertEquals(List.of("third"), granted);
        assertEquals(350, room.bytes());
        assertFalse(room.isWanted());
        assertThrows(IllegalStateException.class, first::end);
        assertEquals(1, room.givenUp());
    }

    @Test
    void nothingIsMissingWhileAGrantedOneStillComes() {
        ResponseRoom.Claim comes = share.claim(420, ResponseRoomTest::nobody);
        claim("waits", 420);
        room.add(1400, 0, 0);
        assertEquals(0, room.missingBytes());
        comes.end();
        assertEquals(1400 - COMMON_BYTES, room.missingBytes());
    }

    @Test
    void tellsThoseWhoHoldRoomThatItIsWanted() {
        room.onWanted(() -> granted.add("wanted"));
        share.claim(COMMON_BYTES, ResponseRoomTest::nobody);
        assertEquals(List.of(), granted);
        claim("late", 50);
        assertEquals(List.of("wanted"), granted);
    }

    @Test
    void modestOnesHaveAPartThatLargeOnesDoNotFill() {
        room.add(10 * LIMIT_BYTES, 0, 0);
        claim("large", 50);
        for (int taken = 0; taken + MODEST_BYTES <= MODEST_PART_BYTES; taken += MODEST_BYTES) {
            assertTrue(share.claim(MODEST_BYTES, ResponseRoomTest::nobody).isGranted());
        }
        assertFalse(claim("modest", MODEST_BYTES).isGranted());
    }

    @Test
    void modestOnesComeFirstWhenRoomIsMade() {
        room.add(COMMON_BYTES + 1, MODEST_PART_BYTES, 0);
        claim("large", 50);
        claim("modest", MODEST_BYTES);
        assertEquals(MODEST_BYTES, room.missingBytes());
        room.add(0, -MODEST_BYTES, 0);
        assertEquals(List.of("modest"), granted);
        assertEquals(1, room.missingBytes());
        room.add(-1, 0, 0);
        assertEquals(List.of("modest", "large"), granted);
    }

    @Test
    void modestOnesTakeTheCommonPartToo() {
        room.add(0, COMMON_BYTES, 0);
        share.claim(MODEST_BYTES, ResponseRoomTest::nobody).end();
        room.add(0, MODEST_PART_BYTES + MODEST_BYTES, 0);
        assertFalse(claim("modest", MODEST_BYTES).isGranted());
        assertEquals(2 * MODEST_BYTES, room.missingBytes());
        assertFalse(claim("large", 50).isGranted());
    }

    @Test
    void headsHaveAPartOfTheirOwnAndWaitForNoResponse() {
        room.add(10 * LIMIT_BYTES, 0, 0);
        ResponseRoom.Claim first = share.claimForHead(HEAD_PART_BYTES, ResponseRoomTest::nobody);
        assertTrue(first.isGranted());
        ResponseRoom.Claim second = share.claimForHead(1, () -> granted.add("head"));
        assertFalse(second.isGranted());
        assertFalse(room.isWanted());
        assertEquals(0, room.missingBytes());
        first.end();
        assertEquals(List.of("head"), granted);
        assertEquals(0, room.grants());
        second.end();
        ResponseRoom.Claim single = share.claimForHead(1000, ResponseRoomTest::nobody);
        assertTrue(single.isGranted());
        assertEquals(10 * LIMIT_BYTES + 1000, room.bytes());
    }

    /** However much room its responses have. */
    @Test
    void thePoolWithFewerHeadsComesFirst() {
        ResponseRoom.Share other = room.newShare();
        other.claim(COMMON_BYTES, ResponseRoomTest::nobody);
        int half = HEAD_PART_BYTES / 2;
        ResponseRoom.Claim first = share.claimForHead(half, ResponseRoomTest::nobody);
        share.claimForHead(half, ResponseRoomTest::nobody);
        share.claimForHead(2, () -> granted.add("another head of the same"));
        other.claimForHead(1, () -> granted.add("a head of the other"));
        assertTrue(first.keepsOthersOut());
        assertFalse(other.claimForHead(1, () -> granted.add("its second")).keepsOthersOut());
        first.end();
        assertEquals("a head of the other", granted.getFirst());
    }

    @Test
    void oneThatRestsCountsOnlyWhatCame() {
        ResponseRoom.Claim first = share.claim(COMMON_BYTES, ResponseRoomTest::nobody);
        claim("second", 600);
        assertTrue(first.came(50, false));
        assertEquals(List.of("second"), granted);
        assertEquals(50 + 600, room.bytes());
    }

    @Test
    void oneThatStandsRestsWithoutBeingRead() {
        ResponseRoom.Claim first = share.claim(COMMON_BYTES, ResponseRoomTest::nobody);
        assertTrue(first.came(50, true));
        claim("second", 600);
        assertEquals(List.of(), granted);
        first.stands();
        first.stands();
        assertEquals(List.of("second"), granted);
    }

    @Test
    void oneThatGoesOnComesBeforeThoseThatAskedLater() {
        ResponseRoom.Claim first = claim("first", 500);
        first.came(100, false);
        ResponseRoom.Claim second = claim("second", 500);
        claim("third", 500);
        assertFalse(first.came(150, true));
        assertEquals(2, room.waiting());
        second.end();
        assertEquals(List.of("first"), granted);
        first.end();
        assertEquals(List.of("first", "third"), granted);
    }

    @Test
    void oneThatGoesOnWhileThereIsRoomDoesNotWait() {
        ResponseRoom.Claim claim = share.claim(500, ResponseRoomTest::nobody);
        assertTrue(claim.came(100, false));
        assertTrue(claim.came(200, true));
        assertEquals(500, room.bytes());
        assertTrue(claim.came(300, false));
        assertEquals(300, room.bytes());
        claim.end();
        assertEquals(0, room.bytes());
        assertThrows(IllegalStateException.class, () -> claim.came(400, true));
    }

    /** Parts that rest may fill the room; then one of them has to be able to come whole. */
    @Test
    void partsThatFillTheRoomDoNotKeepEachOtherOut() {
        ResponseRoom.Claim first = share.claim(600, ResponseRoomTest::nobody);
        first.came(400, false);
        ResponseRoom.Claim second = claim("second", 600);
        assertTrue(second.isGranted());
        second.came(200, false);
        assertEquals(600, room.bytes());
        assertTrue(first.came(410, true));
        assertFalse(second.came(210, true));
        assertTrue(first.came(600, true));
        first.end();
        assertEquals(List.of("second"), granted);
    }

    /** Else each of many could send a little more than the room has, one after the other. */
    @Test
    void noneRestsBeyondTheLimit() {
        ResponseRoom.Claim first = share.claim(2 * LIMIT_BYTES, ResponseRoomTest::nobody);
        claim("second", 50);
        assertTrue(first.came(COMMON_BYTES + 1, false));
        first.stands();
        assertEquals(2 * LIMIT_BYTES, room.bytes());
        assertEquals(List.of(), granted);
        first.giveUp();
        assertEquals(List.of("second"), granted);
    }

    @Test
    void clientsDoNotPayForPartsThatRest() {
        ResponseRoom.Claim part = share.claim(COMMON_BYTES, ResponseRoomTest::nobody);
        part.came(COMMON_BYTES, false);
        room.add(COMMON_BYTES + 50, 0, 0);
        claim("waits", 600);
        assertEquals(50, room.missingBytes());
        room.add(-50, 0, 0);
        assertEquals(List.of("waits"), granted);
    }

    @Test
    void roomGoesToTheShareThatHasLeastOfIt() {
        ResponseRoom.Claim first = claim("first", 300);
        ResponseRoom.Claim second = claim("second", 300);
        claim("third", 300);
        claim("fourth", 300);
        ResponseRoom.Share other = room.newShare();
        other.claim(300, () -> granted.add("other"));
        other.claim(300, () -> granted.add("other's next"));
        first.end();
        assertEquals(List.of("other"), granted);
        second.end();
        assertEquals(List.of("other", "third"), granted);
    }

    @Test
    void whatComesBackWaitsForOtherSharesWithLess() {
        ResponseRoom.Claim back = claim("back", 500);
        back.came(400, false);
        ResponseRoom.Claim comes = room.newShare().claim(200, ResponseRoomTest::nobody);
        room.newShare().claim(200, () -> granted.add("other"));
        assertFalse(back.came(410, true));
        comes.end();
        assertEquals(List.of("other"), granted);
    }

    @Test
    void messagesHaveAPartThatResponsesDoNotFill() {
        room.add(10 * LIMIT_BYTES, 10 * LIMIT_BYTES, 0);
        claim("large", 50);
        assertTrue(claimForMessage("first", MESSAGE_PART_BYTES).isGranted());
        assertFalse(claimForMessage("second", 1).isGranted());
        assertEquals(0, room.missingForMessagesBytes());
    }

    @Test
    void messagesThatNobodyTakesLeaveResponsesTheirs() {
        room.add(0, 0, 10 * LIMIT_BYTES);
        assertTrue(share.claim(COMMON_BYTES - COMMON_BYTES / 2, () -> {}).isGranted());
        assertTrue(share.claim(MODEST_BYTES, () -> {}).isGranted());
        assertFalse(claimForMessage("message", 1).isGranted());
        assertFalse(claim("large", 50).isGranted());
        assertFalse(room.isFullOfClients());
    }

    @Test
    void messagesTakeHalfOfTheCommonPartAndNotOneByteMore() {
        ResponseRoom.Claim comes = claimForMessage("first", MOST_OF_MESSAGES_BYTES - 1);
        assertTrue(comes.isGranted());
        assertTrue(claimForMessage("second", 1).isGranted());
        assertFalse(claimForMessage("third", 1).isGranted());
        assertTrue(room.isWantedForMessages());
        assertFalse(room.isWanted());
        comes.end();
        assertEquals(List.of("third"), granted);
        assertEquals(0, room.grants());
        assertEquals(3, room.messageGrants());
    }

    @Test
    void aMessagePassesTheLimitAloneAndNotWhileWebSocketsPassIt() {
        room.add(0, 0, MOST_OF_MESSAGES_BYTES + 1);
        ResponseRoom.Claim message = claimForMessage("message", 2 * LIMIT_BYTES);
        assertFalse(message.isGranted());
        assertEquals(1, room.missingForMessagesBytes());
        room.add(0, 0, -1);
        assertEquals(List.of("message"), granted);
        assertFalse(claimForMessage("next", 1).isGranted());
        assertEquals(0, room.missingForMessagesBytes());
        message.end();
        assertEquals(0, room.missingForMessagesBytes());
    }

    @Test
    void aMessageKeepsOutMessagesAndNoResponses() {
        ResponseRoom.Claim message = claimForMessage("message", 2 * LIMIT_BYTES);
        ResponseRoom.Claim response = share.claim(COMMON_BYTES, () -> {});
        claim("response", 50);
        assertFalse(message.keepsOthersOut());
        assertFalse(message.isItsRoomWanted());
        assertTrue(response.keepsOthersOut());
        assertTrue(response.isItsRoomWanted());
        claimForMessage("next", 1);
        assertTrue(message.keepsOthersOut());
        assertTrue(message.isItsRoomWanted());
    }

    private ResponseRoom.Claim claim(String name, long bytes) {
        return share.claim(bytes, () -> granted.add(name));
    }

    private ResponseRoom.Claim claimForMessage(String name, long bytes) {
        return share.claimForMessage(bytes, () -> granted.add(name));
    }

    private static void nobody() {
        throw new AssertionError("granted at once, or not at all");
    }
}
