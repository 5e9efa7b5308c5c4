package dev.handoff.process.supervise;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where one process listens that is an HTTP server.
 *
 * @param port 0 for a Unix socket
 * @param socket null for a port
 */
record ServerPlace(int port, @Nullable Path socket) {
    /** By a custom of platforms and frameworks. */
    private static final String PORT = "PORT";

    /** Some servers listen at one of these alone where they are told {@code localhost}. */
    private static final List<byte[]> LOOPBACKS =
            List.of(
                    new byte[] {127, 0, 0, 1},
                    new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});

    /**
     * Chooses a place for a process that is about to start.
     *
     * @param worker the id of the worker
     */
    static ServerPlace choose(WorkerCommand command, HttpServing http, String worker)
            throws IOException {
        if (HttpServing.asksForSocket(command.arguments())) {
            Path file = command.socket().toAbsolutePath().resolveSibling(worker + ".http");
            Files.deleteIfExists(file);
            return new ServerPlace(0, file);
        }
        return new ServerPlace(http.port() == 0 ? freePort() : http.port(), null);
    }

    /** The system gives a port out again only when it has been through the others. */
    private static int freePort() throws IOException {
        try (ServerSocket found =
                new ServerSocket(0, 1, InetAddress.getByAddress(LOOPBACKS.getFirst()))) {
            return found.getLocalPort();
        }
    }

    /** The places to try, in turn. */
    List<SocketAddress> addresses() throws IOException {
        if (socket != null) {
            return List.of(UnixDomainSocketAddress.of(socket));
        }
        return List.of(
                new InetSocketAddress(InetAddress.getByAddress(LOOPBACKS.getFirst()), port),
                new InetSocketAddress(InetAddress.getByAddress(LOOPBACKS.getLast()), port));
    }

    /**
     * Whether it is that process which listens here, or one that it has started, as far as the
     * system tells: another user's may have been faster. Blocks.
     */
    boolean isServedBy(long pid) {
        return socket != null
                || !ListeningPorts.areKnown(pid)
                || ListeningPorts.of(pid).contains(port);
    }

    /** As operators read it. */
    String text() {
        return socket == null ? "port " + port : socket.toString();
    }

    /** The command for a process that is to listen here. */
    WorkerCommand command(WorkerCommand of) {
        String path = socket == null ? "" : socket.toString();
        List<String> arguments =
                of.arguments().stream()
                        .map(word ->
                                word.replace(HttpServing.PORT_WORD, Integer.toString(port))
                                        .replace(HttpServing.SOCKET_WORD, path))
                        .toList();
        Map<String, String> environment = new HashMap<>(of.environment());
        if (socket == null) {
            environment.put(PORT, Integer.toString(port));
        }
        return new WorkerCommand(
                arguments,
                environment,
                of.socket(),
                of.workingDirectory(),
                of.stopFirst(),
                of.attended(),
                of.http());
    }
}
