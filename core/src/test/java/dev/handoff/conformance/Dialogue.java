package dev.handoff.conformance;

import dev.handoff.testing.Splits.Split;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * One client's side of a fixture: sends the bytes in the portions of one split and keeps what comes
 * back. Nothing blocks: it is for the test to have the server turn between two portions.
 */
final class Dialogue implements AutoCloseable {
    /** How the connection is, as the client sees it. */
    enum State {
        OPEN,
        /** The server said that it sends no more. */
        ENDED,
        RESET
    }

    /** So that one read of the server's takes a portion whole. */
    private static final int MOST_BYTES_AT_ONCE = 16 * 1024;

    private static final int READ_BYTES = 4 * 1024;

    private final Split split;
    private final byte[] bytes;
    private final boolean ended;
    private final SocketChannel channel;
    private final String client;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private State state = State.OPEN;
    private int portion;
    private int sent;

    /**
     * @param ended whether to end the output along with the last portion
     */
    Dialogue(int port, byte[] bytes, boolean ended, Split split) throws IOException {
        this.split = split;
        this.bytes = bytes;
        this.ended = ended;
        channel = SocketChannel.open();
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        // A close that resets leaves no port waiting; there are thousands of connections.
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
        client = local.getAddress().getHostAddress() + ":" + local.getPort();
    }

    Split split() {
        return split;
    }

    /** As the server writes the client's address. */
    String client() {
        return client;
    }

    State state() {
        return state;
    }

    boolean hasMore() {
        return portion <= split.cuts().size();
    }

    /** Sends the next portion, or what one read takes of it. */
    void sendNext() {
        List<Integer> cuts = split.cuts();
        int end = portion < cuts.size() ? cuts.get(portion) : bytes.length;
        int count = Math.min(end - sent, MOST_BYTES_AT_ONCE);
        send(ByteBuffer.wrap(bytes, sent, count));
        if (sent == end) {
            portion++;
        }
        if (ended && !hasMore()) {
            endOutput();
        }
    }

    /** Sends as much as the socket takes. */
    private void send(ByteBuffer next) {
        try {
            sent += channel.write(next);
        } catch (IOException reset) {
            state = State.RESET;
            sent += next.remaining();
        }
    }

    private void endOutput() {
        try {
            channel.shutdownOutput();
        } catch (IOException reset) {
            state = State.RESET;
        }
    }

    /** Goes on with bytes that are few and not part of the fixture. */
    void sendBehind(byte[] more) {
        send(ByteBuffer.wrap(more));
    }

    /** Takes what has come. */
    void receive() {
        ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
        try {
            int count = state == State.OPEN ? channel.read(buffer) : 0;
            while (count > 0) {
                received.write(buffer.array(), 0, count);
                count = channel.read(buffer.clear());
            }
            if (count < 0) {
                state = State.ENDED;
            }
        } catch (IOException reset) {
            state = State.RESET;
        }
    }

    byte[] received() {
        return received.toByteArray();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
