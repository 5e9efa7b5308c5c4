package dev.handoff.server;

import static dev.handoff.server.ConnectionState.ANSWERING;
import static dev.handoff.server.ConnectionState.CLOSED;
import static dev.handoff.server.ConnectionState.FINISHING;
import static dev.handoff.server.ConnectionState.IDLE;
import static dev.handoff.server.ConnectionState.LINGERING;
import static dev.handoff.server.ConnectionState.READING_BODY;
import static dev.handoff.server.ConnectionState.READING_HEAD;
import static dev.handoff.server.ConnectionState.WEBSOCKET;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ConnectionStateTest {
    /** From the first of them on, the end only comes nearer. */
    private static final Set<ConnectionState> ENDING =
            EnumSet.of(FINISHING, WEBSOCKET, LINGERING, CLOSED);

    /** The arrows of the picture in the comment of {@link ConnectionState}. */
    private static final Map<ConnectionState, Set<ConnectionState>> PICTURE =
            Map.of(
                    IDLE,
                    EnumSet.of(READING_HEAD, READING_BODY, ANSWERING, FINISHING, CLOSED),
                    READING_HEAD,
                    EnumSet.of(READING_BODY, ANSWERING, FINISHING, CLOSED),
                    READING_BODY,
                    EnumSet.of(ANSWERING, FINISHING, CLOSED),
                    ANSWERING,
                    EnumSet.of(IDLE, READING_HEAD, READING_BODY, FINISHING, WEBSOCKET, CLOSED),
                    WEBSOCKET,
                    EnumSet.of(LINGERING, CLOSED),
                    FINISHING,
                    EnumSet.of(LINGERING, CLOSED),
                    LINGERING,
                    EnumSet.of(CLOSED),
                    CLOSED,
                    EnumSet.noneOf(ConnectionState.class));

    @ParameterizedTest
    @EnumSource
    void takesRequestsUntilItEnds(ConnectionState state) {
        assertEquals(!ENDING.contains(state), state.takesRequests());
    }

    @ParameterizedTest
    @EnumSource
    void goesWhereThePictureHasAnArrow(ConnectionState state) {
        for (ConnectionState next : arrows(state)) {
            assertDoesNotThrow(() -> state.requireMayBecome(next), () -> state + " to " + next);
        }
    }

    @ParameterizedTest
    @EnumSource
    void throwsWhereThePictureHasNoArrow(ConnectionState state) {
        for (ConnectionState next : missing(state)) {
            assertThrows(
                    IllegalStateException.class,
                    () -> state.requireMayBecome(next),
                    () -> state + " to " + next);
        }
    }

    @Test
    void whatEndsDoesNotTurnBack() {
        for (ConnectionState state : ENDING) {
            for (ConnectionState next : arrows(state)) {
                assertTrue(next.compareTo(state) > 0, () -> state + " to " + next);
            }
        }
    }

    @Test
    void anIdleConnectionAndAClosedOneHaveNothingToDo() {
        Set<ConnectionState> atRest = EnumSet.noneOf(ConnectionState.class);
        for (ConnectionState state : ConnectionState.values()) {
            if (!state.isActive()) {
                atRest.add(state);
            }
        }
        assertEquals(EnumSet.of(IDLE, CLOSED), atRest);
    }

    private static Set<ConnectionState> arrows(ConnectionState from) {
        return Objects.requireNonNull(PICTURE.get(from));
    }

    private static Set<ConnectionState> missing(ConnectionState from) {
        Set<ConnectionState> missing = EnumSet.allOf(ConnectionState.class);
        missing.removeAll(arrows(from));
        return missing;
    }
}
