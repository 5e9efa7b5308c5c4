package dev.handoff.process.supervise;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Where one process listens that is an HTTP server.
 *
 * @param port 0 for a Unix socket
 * @param socket in a folder of its own; null for a port
 * @param user that the process runs as; null for the core's own
 */
record ServerPlace(int port, @Nullable Path socket, @Nullable String user) {
    /** By a custom of platforms and frameworks. */
    private static final String PORT = "PORT";

    private static final String FILE = "http";

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** Some servers listen at one of these alone where they are told {@code localhost}. */
    private static final List<byte[]> LOOPBACKS =
            List.of(
                    new byte[] {127, 0, 0, 1},
                    new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});

    /** Chooses a place for a process that is about to start. */
    static ServerPlace choose(WorkerCommand command, HttpServing http) throws IOException {
        String user = command.user();
        if (HttpServing.asksForSocket(command.arguments())) {
            return new ServerPlace(0, makeFolder(command.socket(), user).resolve(FILE), user);
        }
        return new ServerPlace(http.port() == 0 ? freePort() : http.port(), null, user);
    }

    /**
     * Beside the worker socket, for the process alone: other users could connect to a socket that a
     * server opens to all, or put another in its place.
     */
    private static Path makeFolder(Path workerSocket, @Nullable String user) throws IOException {
        Path made =
                Files.createTempDirectory(
                        workerSocket.toAbsolutePath().getParent(), "http-", OWNER_ONLY);
        if (user != null) {
            try {
                giveTo(user, made);
            } catch (IOException noSuchUser) {
                Files.delete(made);
                throw noSuchUser;
            }
        }
        return made;
    }

    private static void giveTo(String user, Path folder) throws IOException {
        UserPrincipal owner =
                folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user);
        Files.getFileAttributeView(folder, FileOwnerAttributeView.class, NOFOLLOW_LINKS)
                .setOwner(owner);
    }

    /**
     * Removes what the process has left behind. The folder is the server's user's, who may have put
     * a link in its place: it is not followed.
     */
    void remove() {
        if (socket == null) {
            return;
        }
        Path folder = Objects.requireNonNull(socket.getParent());
        try (DirectoryStream<Path> around =
                Files.newDirectoryStream(Objects.requireNonNull(folder.getParent()))) {
            if (around instanceof SecureDirectoryStream<Path> parent) {
                try (SecureDirectoryStream<Path> own =
                        parent.newDirectoryStream(folder.getFileName(), NOFOLLOW_LINKS)) {
                    own.deleteFile(socket.getFileName());
                } catch (NoSuchFileException neverListened) {
                    // There is only the folder.
                }
                parent.deleteDirectory(folder.getFileName());
            }
        } catch (IOException somethingElseIsThere) {
            // It is the server's, and does no harm.
        }
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

    /**
     * Whether a connection to a Unix socket has led to a process of the right user. The server owns
     * the folder, and may have put a link there that leads to where only the core may connect.
     */
    boolean isOf(SocketChannel connected) {
        if (socket == null || user == null) {
            return true;
        }
        try {
            return user.equals(
                    connected.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName());
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
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
                of.user(),
                of.http());
    }
}
