package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.loop.TurnedLoop;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How slow the client of content is that comes while it is handled. */
class ContentPipeTest {
    private static final int LIMIT_BYTES = 64 << 20;
    private static final int MUCH_BYTES = 16 * 1024;

    private TurnedLoop turned;
    private ContentPipe pipe;

    @BeforeEach
    void start() throws IOException {
        turned = new TurnedLoop();
        pipe = pipe(false);
        pipe.letBegin();
    }

    @AfterEach
    void stop() {
        turned.close();
    }

    /** In bursts that are much for a moment, until the handler takes them. */
    @Test
    void whoTricklesIsSlowAlsoWhereEachPartIsMuchForAMoment() {
        for (int i = 0; i < 3; i++) {
            pipe.add(new byte[MUCH_BYTES], MUCH_BYTES);
            pipe.poll(MUCH_BYTES);
            turned.advance(Duration.ofMillis(900));
        }
        assertTrue(pipe.slownessNanos() > Duration.ofSeconds(1).toNanos());
    }

    @Test
    void theTimeOfAHandlerThatDoesNotReadIsNotItsClients() {
        pipe.add(new byte[MUCH_BYTES], MUCH_BYTES);
        turned.advance(Duration.ofSeconds(30));
        assertEquals(0, pipe.slownessNanos());
        pipe.poll(MUCH_BYTES);
        assertEquals(0, pipe.slownessNanos());
    }

    @Test
    void theTimeOfAClientThatWaitsToBeAskedIsNotItsOwn() {
        ContentPipe expecting = pipe(true);
        turned.advance(Duration.ofSeconds(30));
        assertEquals(0, expecting.slownessNanos());
        expecting.letBegin();
        assertEquals(0, expecting.slownessNanos());
        turned.advance(Duration.ofSeconds(2));
        assertEquals(Duration.ofSeconds(2).toNanos(), expecting.slownessNanos());
    }

    private ContentPipe pipe(boolean expectsContinue) {
        BufferBudget budget = new BufferBudget(LIMIT_BYTES, new ResponseRoom(LIMIT_BYTES));
        return new ContentPipe(budget, turned.loop, expectsContinue, () -> {}, () -> {});
    }
}
