package dev.handoff.process;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Connections to a worker that one thread can have both ends of. */
final class SocketPairs implements AutoCloseable {
    /** As small as the system allows, so that frames leave in pieces. */
    private static final int SMALL_BUFFER_BYTES = 4096;

    private final Path path;
    private final ServerSocketChannel listening;

    SocketPairs(Path path) throws IOException {
        this.path = path;
        this.listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listening.bind(UnixDomainSocketAddress.of(path));
    }

    TestWorker connect() throws IOException {
        return TestWorker.connect(path);
    }

    /** The core's end of the latest connection. */
    SocketChannel accept() throws IOException {
        SocketChannel channel = listening.accept();
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SMALL_BUFFER_BYTES);
        return channel;
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
