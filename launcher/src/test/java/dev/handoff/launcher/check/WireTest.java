package dev.handoff.launcher.check;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WireTest {
    private static final int FRAMES = 400_000;
    private static final int MOST_READ_BYTES = 17 * 1024 * 1024;
    private static final int PATIENCE_SECONDS = 60;

    @TempDir private Path folder;

    @Test
    void aWorkerThatSendsWithoutEndIsReadAsTheCaseAsks() throws Exception {
        byte[] pong =
                frame("{\"type\":\"pong\"," + "\"padding\":\"%s\"}".formatted("x".repeat(70)));
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                SocketChannel worker = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(address);
            worker.connect(address);
            try (Wire wire = new Wire(listening.accept(), Terms.USUAL)) {
                Thread flood = Thread.ofVirtual().start(() -> send(worker, pong));
                long came = awaitPause(wire);
                assertTrue(came < MOST_READ_BYTES, came + " bytes were read");
                for (int i = 0; i < FRAMES; i++) {
                    assertInstanceOf(
                            FrameSource.Whole.class,
                            wire.next(Duration.ofSeconds(PATIENCE_SECONDS)));
                }
                flood.join();
            }
        }
    }

    private static void send(SocketChannel worker, byte[] frame) {
        try {
            for (int i = 0; i < FRAMES; i++) {
                ByteBuffer left = ByteBuffer.wrap(frame);
                while (left.hasRemaining()) {
                    worker.write(left);
                }
            }
        } catch (IOException closed) {
            // The test has failed.
        }
    }

    /** How much has been read when nothing more is, or all was. */
    private static long awaitPause(Wire wire) throws InterruptedException {
        long before = -1;
        long now = wire.input().cameBytes();
        while (before < now || now == 0) {
            TimeUnit.MILLISECONDS.sleep(200);
            before = now;
            now = wire.input().cameBytes();
        }
        return now;
    }

    private static byte[] frame(String json) {
        byte[] text = json.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 * Integer.BYTES + text.length)
                .putInt(text.length)
                .putInt(0)
                .put(text)
                .array();
    }
}
