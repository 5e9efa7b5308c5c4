package dev.handoff.http;

import static dev.handoff.testing.FuzzCorpus.requireHolds;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The fuzz targets with the inputs in {@code src/test/fuzz}: seeds, and all that once failed. */
class FuzzCorpusTest {
    @Test
    void head() throws IOException {
        requireHolds("HeadFuzz", HeadFuzz::fuzzerTestOneInput);
    }

    @Test
    void chunked() throws IOException {
        requireHolds("ChunkedFuzz", ChunkedFuzz::fuzzerTestOneInput);
    }

    @Test
    void requests() throws IOException {
        requireHolds("RequestsFuzz", RequestsFuzz::fuzzerTestOneInput);
    }

    @Test
    void response() throws IOException {
        requireHolds("ResponseFuzz", ResponseFuzz::fuzzerTestOneInput);
    }

    @Test
    void serverResponses() throws IOException {
        requireHolds("ServerResponsesFuzz", ServerResponsesFuzz::fuzzerTestOneInput);
    }
}
