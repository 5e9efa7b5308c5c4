package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.SocketPair.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class AcceptorTest {
    private final TurnedLoop turned;
    private final ServerSocketChannel listening;
    private final List<SocketChannel> accepted = new ArrayList<>();
    private final List<SocketChannel> clients = new ArrayList<>();

    AcceptorTest(Kind kind) throws IOException {
        turned = new TurnedLoop();
        listening = kind.listen();
    }

    @AfterEach
    void closeAll() throws IOException {
        turned.close();
        for (SocketChannel channel : accepted) {
            channel.close();
        }
        for (SocketChannel channel : clients) {
            channel.close();
        }
    }

    @Test
    void givesEveryConnectionToItsReceiver() throws IOException {
        acceptTo(accepted::add);
        for (int i = 0; i < 40; i++) {
            connect();
        }

        turned.turnUntil(() -> accepted.size() == 40);
    }

    @Test
    void acceptsNothingWhilePaused() throws IOException {
        Acceptor acceptor = acceptTo(accepted::add);
        acceptor.pause();
        connect();
        turned.loop.turn(Duration.ofMillis(20).toNanos());
        assertEquals(0, accepted.size());

        acceptor.resume();
        turned.turnUntil(() -> accepted.size() == 1);
    }

    @Test
    void leavesABorrowedChannelAndItsBacklogToOthers() throws IOException {
        Acceptor first = Acceptor.borrowing(turned.loop, listening, accepted::add);
        connect();
        turned.turnUntil(() -> accepted.size() == 1);
        first.close();
        connect();
        turned.loop.turn(Duration.ofMillis(20).toNanos());
        assertEquals(1, accepted.size());

        Acceptor.borrowing(turned.loop, listening, accepted::add);
        turned.turnUntil(() -> accepted.size() == 2);
        turned.close();
        assertTrue(listening.isOpen());
        listening.close();
    }

    @Test
    void stopsAtOnceWhenItsReceiverPausesIt() throws IOException {
        Acceptor[] acceptor = new Acceptor[1];
        acceptor[0] =
                acceptTo(channel -> {
                    accepted.add(channel);
                    acceptor[0].pause();
                });
        connect();
        connect();
        turned.turnUntil(() -> !accepted.isEmpty());
        turned.loop.turn(Duration.ofMillis(20).toNanos());

        assertEquals(1, accepted.size());
    }

    @Test
    void aReceiverThatThrowsLosesOneSocketOnly() throws IOException {
        acceptTo(channel -> {
            accepted.add(channel);
            if (accepted.size() == 1) {
                throw new IllegalStateException("on purpose");
            }
        });
        SocketChannel first = connect();
        connect();
        turned.turnUntil(() -> accepted.size() == 2);

        assertEquals(1, turned.takeFailures().size());
        assertEquals(-1, first.read(ByteBuffer.allocate(1)));
        assertTrue(accepted.get(1).isOpen());
    }

    @Test
    void refusesConnectionsOnceClosed() throws IOException {
        Acceptor acceptor = acceptTo(accepted::add);
        var address = listening.getLocalAddress();
        acceptor.close();
        turned.turn();

        assertThrows(IOException.class, () -> SocketChannel.open(address).close());
    }

    @Test
    void closesWhenTheLoopStops() throws IOException {
        acceptTo(accepted::add);
        turned.close();

        assertEquals(false, listening.isOpen());
    }

    private Acceptor acceptTo(Acceptor.Receiver receiver) throws IOException {
        return new Acceptor(turned.loop, listening, receiver);
    }

    private SocketChannel connect() throws IOException {
        SocketChannel client = SocketChannel.open(listening.getLocalAddress());
        clients.add(client);
        return client;
    }
}
