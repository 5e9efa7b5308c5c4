package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The limit for what TLS connections keep of incomplete records. */
final class TlsBuffersTest {
    private final TlsBuffers buffers = new TlsBuffers(100);
    private final List<String> crowdedOut = new ArrayList<>();
    private final TlsBuffers.Keeper first = () -> crowdedOut.add("first");
    private final TlsBuffers.Keeper second = () -> crowdedOut.add("second");
    private final TlsBuffers.Keeper third = () -> crowdedOut.add("third");

    @Test
    void whoBeganFirstGoesForOneByteTooMuch() {
        buffers.keep(first, 50, true);
        buffers.keep(second, 50, true);
        assertEquals(List.of(), crowdedOut);
        buffers.keep(third, 1, true);
        assertEquals(List.of("first"), crowdedOut);
        assertEquals(51, buffers.keptBytes());
    }

    @Test
    void whoHasCompletedItsRecordIsTheLastAgain() {
        buffers.keep(first, 40, true);
        buffers.keep(second, 40, true);
        buffers.keep(first, 40, true);
        buffers.keep(third, 40, true);
        assertEquals(List.of("second"), crowdedOut);
    }

    @Test
    void whoSendsMoreOfTheSameRecordKeepsItsPlace() {
        buffers.keep(first, 20, true);
        buffers.keep(second, 40, true);
        buffers.keep(first, 40, false);
        assertEquals(80, buffers.keptBytes());
        buffers.keep(third, 40, true);
        assertEquals(List.of("first"), crowdedOut);
    }

    @Test
    void whatIsReleasedCountsNoMore() {
        buffers.keep(first, 90, true);
        buffers.release(first);
        buffers.release(first);
        buffers.keep(second, 100, true);
        assertEquals(List.of(), crowdedOut);
        assertEquals(100, buffers.keptBytes());
    }

    /** It alone is within what a record may have. */
    @Test
    void theOnlyOneStays() {
        buffers.keep(first, 101, true);
        assertEquals(List.of(), crowdedOut);
    }
}
