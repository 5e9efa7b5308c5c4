package dev.handoff.launcher.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WrongTokensTest {
    private static final String ONE = "the admin server refused a request with a wrong token from ";

    private final List<String> lines = new ArrayList<>();
    private final List<Runnable> periodEnds = new ArrayList<>();
    private final WrongTokens wrongTokens =
            new WrongTokens(lines::add, (delayNanos, action) -> periodEnds.add(action));

    @Test
    void tellsTheFirstOfAnAddressAtOnce() {
        wrongTokens.shownBy("10.0.0.7:50000");
        wrongTokens.shownBy("[2001:db8::1]:50000");
        assertEquals(List.of(ONE + "10.0.0.7", ONE + "[2001:db8::1]"), lines);
    }

    @Test
    void tellsHowManyFollowedInAMinute() {
        for (int port = 1; port <= 4; port++) {
            wrongTokens.shownBy("10.0.0.7:" + port);
        }
        endPeriods();
        wrongTokens.shownBy("10.0.0.7:5");
        endPeriods();
        assertEquals(
                List.of(
                        ONE + "10.0.0.7",
                        "the admin server refused 3 more requests with a wrong token from 10.0.0.7"
                                + " in the last minute",
                        "the admin server refused 1 more request with a wrong token from 10.0.0.7"
                                + " in the last minute"),
                lines);
    }

    @Test
    void forgetsAnAddressAfterAQuietMinute() {
        wrongTokens.shownBy("10.0.0.7:1");
        endPeriods();
        wrongTokens.shownBy("10.0.0.7:2");
        assertEquals(List.of(ONE + "10.0.0.7", ONE + "10.0.0.7"), lines);
        assertEquals(1, periodEnds.size());
    }

    @Test
    void tellsOfTooManyAddressesTogether() {
        for (int i = 0; i < WrongTokens.MOST_ADDRESSES; i++) {
            wrongTokens.shownBy("10.0.0." + i + ":1");
        }
        assertEquals(ONE + "10.0.0." + (WrongTokens.MOST_ADDRESSES - 1), lines.getLast());
        wrongTokens.shownBy("10.0.1.1:1");
        wrongTokens.shownBy("10.0.1.2:1");
        wrongTokens.shownBy("10.0.0.1:1");
        assertEquals(WrongTokens.MOST_ADDRESSES + 1, lines.size());
        assertEquals(ONE + "other addresses", lines.getLast());
        assertEquals(WrongTokens.MOST_ADDRESSES + 1, periodEnds.size());
    }

    private void endPeriods() {
        List<Runnable> due = List.copyOf(periodEnds);
        periodEnds.clear();
        due.forEach(Runnable::run);
    }
}
