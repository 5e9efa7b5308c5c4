package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String VALID = "00-" + TRACE + "-00f067aa0ba902b7-01";

    @Test
    void hasTheIdOfTheTrace() {
        assertEquals(TRACE, TraceParent.traceId(Headers.of("Traceparent", VALID)));
    }

    @Test
    void isReadOfALaterVersionAsFarAsItIsKnown() {
        for (String later : new String[] {VALID, VALID + "-what-it-adds"}) {
            String value = "cc" + later.substring(2);
            assertEquals(TRACE, TraceParent.traceId(Headers.of("traceparent", value)));
        }
    }

    @Test
    void isIgnoredWhereItComesTwice() {
        assertNull(TraceParent.traceId(Headers.of("traceparent", VALID, "traceparent", VALID)));
        assertNull(TraceParent.traceId(Headers.EMPTY));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00-4bf92f3577b34da6a3ce929d0e0e473 -00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902bZ-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
                "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
            })
    void isIgnoredWhereItBreaksARule(String value) {
        assertNull(TraceParent.traceId(Headers.of("traceparent", value)));
    }
}
