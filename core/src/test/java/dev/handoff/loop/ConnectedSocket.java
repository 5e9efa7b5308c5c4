package dev.handoff.loop;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.handoff.testing.SocketPair;
import dev.handoff.testing.SocketPair.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;

/** One end of a connected pair of sockets, TCP or Unix, on a loop that the test turns. */
abstract class ConnectedSocket {
    static final Duration STALL = Duration.ofSeconds(30);
    static final int LARGE_BYTES = 5 * 1024 * 1024;

    /** What a peer has to take within the write timeout. */
    static final int ENOUGH_BYTES = 64 * 1024;

    final Kind kind;
    final TurnedLoop turned;
    final SocketPair pair;
    final SocketChannel far;
    final RecordingOwner owner = new RecordingOwner();
    final StreamSocket socket;

    ConnectedSocket(Kind kind) throws IOException {
        this.kind = kind;
        turned = new TurnedLoop();
        pair = kind.open();
        far = pair.far();
        socket = new StreamSocket(turned.loop, pair.near(), STALL, owner);
    }

    @AfterEach
    void closeAll() throws IOException {
        turned.close();
        pair.close();
    }

    static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(US_ASCII));
    }

    static byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    /** Reads until {@code count} bytes or the end, on a thread of its own. */
    CompletableFuture<byte[]> receive(int count) {
        InputStream in = Channels.newInputStream(far);
        return CompletableFuture.supplyAsync(() -> {
            try {
                return in.readNBytes(count);
            } catch (IOException failure) {
                throw new IllegalStateException(failure);
            }
        });
    }

    int readAvailable() {
        try {
            return far.read(ByteBuffer.allocate(64 * 1024));
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    void reset() throws IOException {
        if (far.supportedOptions().contains(StandardSocketOptions.SO_LINGER)) {
            far.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        far.close();
    }
}
