package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ConnectionStateTest {
    /** From the first of them on, the end only comes nearer. */
    private static final Set<ConnectionState> ENDING =
            EnumSet.range(ConnectionState.FINISHING, ConnectionState.CLOSED);

    @ParameterizedTest
    @EnumSource
    void takesRequestsUntilItEnds(ConnectionState state) {
        assertEquals(!ENDING.contains(state), state.isOpen());
    }

    @ParameterizedTest
    @EnumSource
    void whatEndsDoesNotTurnBack(ConnectionState next) {
        for (ConnectionState state : ConnectionState.values()) {
            if (legal(state).contains(next)) {
                assertDoesNotThrow(() -> state.requireMayBecome(next));
            } else {
                assertThrows(IllegalStateException.class, () -> state.requireMayBecome(next));
            }
        }
    }

    private static Set<ConnectionState> legal(ConnectionState state) {
        return ENDING.contains(state)
                ? EnumSet.range(state, ConnectionState.CLOSED)
                : EnumSet.allOf(ConnectionState.class);
    }

    @Test
    void anIdleConnectionAndAClosedOneHaveNothingToDo() {
        Set<ConnectionState> atRest = EnumSet.noneOf(ConnectionState.class);
        for (ConnectionState state : ConnectionState.values()) {
            if (!state.isActive()) {
                atRest.add(state);
            }
        }
        assertEquals(EnumSet.of(ConnectionState.IDLE, ConnectionState.CLOSED), atRest);
    }
}
