package dev.handoff.loop;

import dev.handoff.testing.SocketPair.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;

/** A process that sends back what it gets. Says its port, then once that accepting failed. */
final class EchoProcess implements LoopListener {
    static final String ACCEPT_FAILED = "accept failed";

    private boolean said;

    private EchoProcess() {}

    public static void main(String[] args) throws IOException {
        EventLoop loop = new EventLoop("echo", Clock.SYSTEM, new EchoProcess());
        ServerSocketChannel listening = Kind.TCP.listen();
        new Acceptor(loop, listening, channel -> serve(loop, channel));
        loop.scheduleAfter(0, () -> {});
        loop.start();
        useOnce(listening.getLocalAddress());
        System.out.println(((InetSocketAddress) listening.getLocalAddress()).getPort());
    }

    @Override
    public void onAcceptFailed(IOException failure) {
        if (!said) {
            said = true;
            System.out.println(ACCEPT_FAILED);
        }
    }

    /** Classes are files: those that are not loaded yet could not be opened later. */
    private static void useOnce(SocketAddress address) throws IOException {
        try (SocketChannel client = SocketChannel.open(address)) {
            client.write(ByteBuffer.wrap(new byte[1]));
            client.read(ByteBuffer.allocate(1));
            client.shutdownOutput();
            client.read(ByteBuffer.allocate(1));
        }
    }

    private static void serve(EventLoop loop, SocketChannel channel) {
        try {
            new Echo(loop, channel);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static final class Echo implements StreamSocket.Owner {
        private final StreamSocket socket;

        Echo(EventLoop loop, SocketChannel channel) throws IOException {
            socket = new StreamSocket(loop, channel, Duration.ofSeconds(10), this);
        }

        @Override
        public void onBytes(byte[] bytes, int from, int to) {
            socket.write(ByteBuffer.wrap(Arrays.copyOfRange(bytes, from, to)));
        }

        @Override
        public void onEnd() {
            socket.close();
        }

        @Override
        public void onClosed(CloseCause cause) {}
    }
}
