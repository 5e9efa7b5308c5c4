package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a Unix socket whose backlog is full, as that of a server which comes with a small one. */
final class ConnectorTest implements Connector.Owner {
    @TempDir private Path folder;
    private TurnedLoop turned;
    private ServerSocketChannel listening;
    private final List<SocketChannel> others = new ArrayList<>();
    private @Nullable SocketChannel connected;
    private @Nullable IOException failed;

    @BeforeEach
    void fillTheBacklog() throws IOException {
        turned = new TurnedLoop();
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("s"));
        listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address, 1);
        assertThrows(
                SocketException.class,
                () -> {
                    while (others.size() < 100) {
                        SocketChannel other = SocketChannel.open(StandardProtocolFamily.UNIX);
                        others.add(other);
                        other.configureBlocking(false);
                        other.connect(address);
                    }
                });
    }

    @AfterEach
    void closeAll() throws IOException {
        turned.close();
        listening.close();
        for (SocketChannel other : others) {
            other.close();
        }
        if (connected != null) {
            connected.close();
        }
    }

    @Test
    void waitsForRoomInTheBacklog() throws IOException {
        connect(Duration.ofSeconds(60));
        turned.advance(Duration.ofMillis(10));
        turned.advance(Duration.ofMillis(10));
        assertNull(connected);
        for (int i = 0; i < others.size() - 1; i++) {
            listening.accept().close();
        }
        turned.advance(Duration.ofMillis(10));
        turned.turnUntil(() -> connected != null);
        assertNull(failed);
        try (SocketChannel served = listening.accept()) {
            served.write(ByteBuffer.wrap(new byte[] {7}));
            ByteBuffer read = ByteBuffer.allocate(2);
            turned.turnUntil(() -> {
                try {
                    return connected != null && connected.read(read) > 0;
                } catch (IOException notConnected) {
                    return false;
                }
            });
            assertEquals(7, read.get(0));
        }
    }

    @Test
    void givesUpWhenItsTimeIsOver() {
        connect(Duration.ofMillis(50));
        turned.advance(Duration.ofMillis(10));
        assertNull(failed);
        turned.advance(Duration.ofMillis(40));
        assertInstanceOf(SocketTimeoutException.class, failed);
        assertTrue(
                String.valueOf(failed).contains("no connection within 50 ms: "),
                String.valueOf(failed));
        assertNull(connected);
    }

    private void connect(Duration timeout) {
        var _ =
                new Connector(
                        turned.loop,
                        UnixDomainSocketAddress.of(folder.resolve("s")),
                        timeout,
                        this);
    }

    @Override
    public void connected(SocketChannel channel) {
        connected = channel;
    }

    @Override
    public void failed(IOException why) {
        failed = why;
    }
}
