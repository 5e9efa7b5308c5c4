package dev.handoff.admin.api;

import dev.handoff.loop.SocketTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which user of this machine calls. On loopback everybody can connect, but Linux lists
 * the owner of each socket. Other systems do not, and there every user is let in.
 *
 * <p>The list has a row for each connection, so a thread of its own reads it, and probes do not
 * wait. At most as many calls wait as the admin server has connections.
 */
final class LocalPeers {
    private static final int ROOT = 0;

    private final Executor reader =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("handoff-admin-peers").daemon().factory());

    private final SocketTable sockets;
    private final @Nullable Integer own;
    private volatile int port;

    /**
     * @param own the user who runs the server; null where the system does not tell
     */
    LocalPeers(SocketTable sockets, @Nullable Integer own) {
        this.sockets = sockets;
        this.own = own;
    }

    static LocalPeers ofThisMachine() {
        try {
            Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            return new LocalPeers(SocketTable.ofThisMachine(), (Integer) uid);
        } catch (IOException | UnsupportedOperationException notLinux) {
            return new LocalPeers(SocketTable.of(List.of()), null);
        }
    }

    /** Sets the port that the server listens on. Comes before any call. */
    void calledOn(int adminPort) {
        port = adminPort;
    }

    /**
     * Whether a client is the server's own user or root; false if its socket is closed already.
     *
     * @param client address and port, as of an exchange
     */
    CompletableFuture<Boolean> isOurs(String client) {
        if (own == null || !sockets.isKnown()) {
            return CompletableFuture.completedFuture(true);
        }
        return CompletableFuture.supplyAsync(() -> isOwnersOrRoots(client), reader);
    }

    /** Looks twice for root, as a socket may close while its row is written. */
    private boolean isOwnersOrRoots(String client) {
        Integer user = userOf(client);
        return user != null && (user.equals(own) || (user == ROOT && user.equals(userOf(client))));
    }

    private @Nullable Integer userOf(String client) {
        int colon = client.lastIndexOf(':');
        InetAddress address = InetAddress.ofLiteral(client.substring(0, colon));
        int clientPort = Integer.parseInt(client.substring(colon + 1));
        try {
            SocketTable.Row row =
                    sockets.find(each ->
                            each.localPort() == clientPort
                                    && each.remotePort() == port
                                    && each.localAddress().equals(address));
            return row == null || row.isClosed() ? null : Integer.valueOf(row.user());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
