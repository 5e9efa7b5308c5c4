package dev.handoff.admin.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LoopPollTest {
    private final List<CompletableFuture<String>> asked = new ArrayList<>();
    private final List<String> taken = new ArrayList<>();
    private EventLoops loops;
    private LoopPoll<String> poll;

    @BeforeEach
    void start() throws Exception {
        loops = EventLoops.start("asking", 1, Clock.SYSTEM, LoopListener.NONE);
        EventLoop askingLoop = loops.get(0);
        poll = new LoopPoll<>(this::asked, taken::add, askingLoop);
    }

    @AfterEach
    void stop() throws Exception {
        loops.stop();
    }

    @Test
    void doesNotAskAnewWhoHasNotAnswered() {
        ask();
        ask();
        assertEquals(1, asked.size());
        assertFalse(onLoop(poll::isAnswered));
    }

    @Test
    void takesTheResponseThatComesLate() {
        ask();
        asked.getFirst().complete("late");
        assertTrue(onLoop(poll::isAnswered));
        assertEquals(List.of("late"), taken);
    }

    @Test
    void asksAnewWhoHasAnswered() {
        for (String response : List.of("one", "two")) {
            CompletableFuture<Void> done = onLoop(poll::ask);
            asked.getLast().complete(response);
            done.join();
        }
        assertEquals(List.of("one", "two"), taken);
    }

    /** Returns when patience has ended. */
    private void ask() {
        onLoop(poll::ask).join();
    }

    private CompletableFuture<String> asked() {
        CompletableFuture<String> response = new CompletableFuture<>();
        asked.add(response);
        return response;
    }

    private <T> T onLoop(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, loops.get(0))
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }
}
