package dev.handoff.process.protocol;

import static dev.handoff.testing.FuzzCorpus.requireHolds;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The fuzz targets with the inputs in {@code src/test/fuzz}: seeds, and all that once failed. */
class FuzzCorpusTest {
    @Test
    void frames() throws IOException {
        requireHolds("FramesFuzz", FramesFuzz::fuzzerTestOneInput);
    }

    @Test
    void heads() throws IOException {
        requireHolds("HeadsFuzz", HeadsFuzz::fuzzerTestOneInput);
    }

    @Test
    void messages() throws IOException {
        requireHolds("MessagesFuzz", MessagesFuzz::fuzzerTestOneInput);
    }
}
