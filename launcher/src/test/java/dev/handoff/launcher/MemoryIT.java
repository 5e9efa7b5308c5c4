package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What the server takes of the machine's memory, with the flags that it gives to Java. */
@Isolated("it takes all the processor time that there is")
class MemoryIT extends EndToEnd {
    private static final int CONNECTIONS = 1000;
    private static final int REQUESTS_EACH = 50;

    /** It takes about 100; with Java's own idea of a heap it was 190. */
    private static final int MOST_MIB = 150;

    @Test
    void aThousandConnectionsTakeLittle() throws Exception {
        HandoffProcess handoff = run("examples-python/hello.py");
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            clients.add(client(handoff));
        }
        for (int i = 0; i < REQUESTS_EACH; i++) {
            for (RawClient client : clients) {
                client.get("/");
            }
            for (RawClient client : clients) {
                assertEquals(200, client.readResponse().status());
            }
        }
        long mib = residentMib(handoff.pid());
        assertTrue(mib > 0 && mib <= MOST_MIB, mib + " MiB");
    }

    private static long residentMib(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                .sum();
    }
}
