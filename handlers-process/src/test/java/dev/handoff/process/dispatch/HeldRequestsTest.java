package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.loop.TurnedLoop;
import dev.handoff.process.TestExchange;
import dev.handoff.process.protocol.RequestFrame;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a worker holds, under ids that only grow. */
final class HeldRequestsTest {
    private final HeldRequests held = new HeldRequests(0);
    private TurnedLoop turned;

    @BeforeEach
    void start() throws IOException {
        turned = new TurnedLoop();
    }

    @AfterEach
    void stop() {
        turned.close();
    }

    @Test
    void findsWhatItHoldsAndNothingElse() {
        Random random = new Random(1);
        Map<Long, WorkerRequest> expected = new HashMap<>();
        for (int i = 0; i < 2_000; i++) {
            if (random.nextInt(5) < 3) {
                WorkerRequest request = add();
                expected.put(request.id, request);
            } else {
                long id = 1L + random.nextInt(2_000);
                assertSame(expected.remove(id), held.remove(id));
            }
            assertEquals(expected.size(), held.size());
        }
        expected.forEach((id, request) -> assertSame(request, held.find(id)));
        assertEquals(new HashSet<>(expected.values()), new HashSet<>(held.all()));
    }

    @Test
    void handsThemBackInTheOrderInWhichTheyCame() {
        for (int i = 0; i < 100; i++) {
            add();
        }
        held.remove(50);
        List<WorkerRequest> all = held.removeAll();
        assertEquals(99, all.size());
        for (int i = 1; i < all.size(); i++) {
            assertTrue(all.get(i - 1).id < all.get(i).id);
        }
        assertTrue(held.isEmpty());
        assertNull(held.find(1));
    }

    @Test
    void streamsTakePlacesBeyondThoseThatItHasBesides() {
        HeldRequests besidesOne = new HeldRequests(1);
        besidesOne.streamBegan();
        assertEquals(0, besidesOne.placesOfStreams());
        besidesOne.streamBegan();
        assertEquals(1, besidesOne.placesOfStreams());
    }

    private WorkerRequest add() {
        TestExchange exchange = TestExchange.of(turned.loop, "GET", "/", Body.EMPTY);
        WorkerRequest request =
                new WorkerRequest(
                        "default",
                        new PoolLoad(),
                        exchange,
                        new RequestFrame.Encoder()
                                .encode(exchange.request(), "client", "http", null, "", null, null),
                        false,
                        exchange.arrivedNanos(),
                        exchange.deadlineNanos());
        request.id = held.nextId();
        held.add(request);
        return request;
    }
}
