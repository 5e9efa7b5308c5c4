package dev.handoff.http.websocket;

import static dev.handoff.testing.FuzzCorpus.requireHolds;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The fuzz target with the inputs in {@code src/test/fuzz}: seeds, and all that once failed. */
class FuzzCorpusTest {
    @Test
    void webSocket() throws IOException {
        requireHolds("WebSocketFuzz", WebSocketFuzz::fuzzerTestOneInput);
    }
}
