package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** How much is read of one worker at once. */
final class FrameSocketTest {
    @Test
    void theMoreWorkersThereAreTheLessIsReadOfEach() {
        assertEquals(64 * 1024, FrameSocket.mostReadBytes(0));
        assertEquals(64 * 1024, FrameSocket.mostReadBytes(16));
        assertEquals(32 * 1024, FrameSocket.mostReadBytes(32));
        assertEquals(4 * 1024, FrameSocket.mostReadBytes(1000));
    }
}
