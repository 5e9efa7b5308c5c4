package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.process.dispatch.OldestRequests;
import dev.handoff.process.dispatch.RequestSnapshot;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperatorSignalsTest {
    @Test
    void leavesOutQueriesAsTheyMayHoldSecrets() {
        RequestSnapshot request =
                new RequestSnapshot(
                        RequestSnapshot.State.RUNNING,
                        null,
                        null,
                        "site-1",
                        "GET",
                        "/a?token=secret",
                        "192.0.2.1:47",
                        Duration.ofMillis(12),
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO,
                        0,
                        0);
        assertEquals(
                "requests in hand in pool site: 1\n    12 ms  site-1  GET /a",
                OperatorSignals.describe("site", new OldestRequests(1, List.of(request))));
    }
}
