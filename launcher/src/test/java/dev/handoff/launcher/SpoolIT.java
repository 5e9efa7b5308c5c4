package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Large requests, and the disk on which they wait. */
class SpoolIT extends EndToEnd {
    private static final int MIB = 1024 * 1024;

    /** No file of the process can be larger than 2 MiB, as on a disk that has no more space. */
    private static final List<String> SMALL_DISK =
            List.of("sh", "-c", "ulimit -f 4096; exec \"$0\" \"$@\"");

    @Test
    void aDiskThatTakesNoMoreCostsThatUploadOnly() throws Exception {
        HandoffProcess handoff =
                HandoffProcess.startBy(SMALL_DISK, "run", "--port", "0", "--admin-port", "0", ECHO);
        closeAtEnd(handoff);
        RawResponse refused = client(handoff).post("/", new byte[3 * MIB]).readResponse();
        assertEquals(503, refused.status());
        assertEquals("spool_full", refused.header("handoff-error"));
        RawResponse taken = client(handoff).post("/", new byte[3 * MIB / 2]).readResponse();
        assertEquals(200, taken.status());
        assertEquals(1, handoff.metric("handoff_spool_full_total"));
        Await.until("no file", () -> handoff.metric("handoff_spooled_requests") == 0);
        assertEquals(0, handoff.metric("handoff_spooled_bytes"));
    }

    @Test
    void nothingIsLeftOnTheDiskWhenTheCoreIsKilled(@TempDir Path directory) throws Exception {
        HandoffProcess handoff = run("--spool-directory", directory.toString(), ECHO);
        RawClient client = client(handoff);
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(4 * MIB));
        client.send(new byte[3 * MIB]);
        Await.until("a file", () -> handoff.metric("handoff_spooled_bytes") > 2 * MIB);
        handoff.signal("KILL");
        handoff.awaitExit();
        assertEquals(List.of(), filesIn(directory));
    }

    private static List<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}
