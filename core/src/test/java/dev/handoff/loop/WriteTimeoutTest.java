package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.testing.SocketPair.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer that takes too little of what waits for it. */
@ParameterizedClass
@EnumSource
class WriteTimeoutTest extends ConnectedSocket {
    WriteTimeoutTest(Kind kind) throws IOException {
        super(kind);
    }

    @Test
    void closesAPeerThatTakesNothingForTheWriteTimeout() {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();

        turned.advance(STALL.minusNanos(1));
        assertEquals(List.of(), owner.events);
        turned.advance(Duration.ofNanos(1));
        if (kind == Kind.TCP) {
            // The kernel may have taken more for the peer since, as it does some 40 ms later.
            turned.turnUntil(() -> {
                turned.clock.advance(STALL);
                return socket.isClosed();
            });
        }

        assertEquals(List.of("closed WRITE_TIMEOUT"), owner.events);
    }

    @Test
    void aPeerThatIsHeldBackIsNotStalledUntilItHasHadItsTime() {
        owner.holdsPeerBack = true;
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();
        turned.advance(STALL);
        turned.advance(STALL);
        assertEquals(List.of(), owner.events);

        owner.holdsPeerBack = false;
        turned.turnUntil(() -> {
            turned.clock.advance(STALL);
            return socket.isClosed();
        });
        assertEquals(List.of("closed WRITE_TIMEOUT"), owner.events);
    }

    @Test
    void aPeerThatTakesEnoughIsNotStalled() throws IOException {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();
        long before = socket.pendingBytes();
        turned.advance(STALL.minusNanos(1));
        far.configureBlocking(false);
        turned.turnUntil(() -> {
            readAvailable();
            return before - socket.pendingBytes() >= ENOUGH_BYTES;
        });

        turned.advance(STALL.minusNanos(1));

        assertFalse(socket.isClosed());
    }

    @Test
    void aPeerThatTakesALittleNowAndThenIsStalled() throws IOException {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();
        ByteBuffer little = ByteBuffer.allocate(ENOUGH_BYTES - 4096);
        // Less than enough, each time; the kernel may take more for a peer that begins to read.
        for (int i = 0; i < 50 && !socket.isClosed(); i++) {
            far.read(little.clear());
            turned.advance(STALL);
        }

        assertEquals(List.of("closed WRITE_TIMEOUT"), owner.events);
    }

    @Test
    void outputThatLeftEntirelyIsNotStalled() throws IOException {
        socket.write(ByteBuffer.wrap(randomBytes(LARGE_BYTES)));
        turned.turn();
        CompletableFuture<byte[]> received = receive(LARGE_BYTES);
        turned.turnUntil(received::isDone);
        turned.turnUntil(() -> socket.pendingBytes() == 0);

        turned.advance(STALL.multipliedBy(2));

        assertFalse(socket.isClosed());
    }
}
