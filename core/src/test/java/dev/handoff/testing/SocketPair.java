package dev.handoff.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Two ends of one connection, both blocking.
 *
 * @param near the end under test
 * @param far the end that the test plays
 */
public record SocketPair(SocketChannel near, SocketChannel far) implements AutoCloseable {
    /** The kinds of stream sockets that a loop serves. */
    public enum Kind {
        TCP,
        UNIX;

        /** A listening channel on an address of the system's choice. */
        public ServerSocketChannel listen() throws IOException {
            if (this == TCP) {
                return ServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            }
            Path directory = Files.createTempDirectory("pair");
            return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                    .bind(UnixDomainSocketAddress.of(directory.resolve("socket")));
        }

        public SocketPair open() throws IOException {
            try (ServerSocketChannel listening = listen()) {
                SocketAddress address = listening.getLocalAddress();
                SocketChannel far = SocketChannel.open(address);
                SocketChannel near = listening.accept();
                delete(address);
                return new SocketPair(near, far);
            }
        }

        private static void delete(SocketAddress address) throws IOException {
            if (address instanceof UnixDomainSocketAddress unix) {
                Path socket = unix.getPath();
                Files.delete(socket);
                Files.delete(socket.resolveSibling(""));
            }
        }
    }

    @Override
    public void close() throws IOException {
        near.close();
        far.close();
    }
}
