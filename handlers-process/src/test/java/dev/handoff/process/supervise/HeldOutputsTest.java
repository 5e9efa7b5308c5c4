package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a pool has too many outputs open of processes that have ended. */
final class HeldOutputsTest {
    @Test
    void thoseCountThatAreOpenStill() {
        HeldOutputs held = new HeldOutputs();
        CompletableFuture<Void> last = new CompletableFuture<>();
        for (int i = 0; i < HeldOutputs.MOST - 1; i++) {
            held.ended(CompletableFuture.completedFuture(null));
            held.ended(new CompletableFuture<Void>());
        }
        assertFalse(held.areTooMany());
        held.ended(last);
        assertTrue(held.areTooMany());
        last.complete(null);
        assertFalse(held.areTooMany());
    }
}
