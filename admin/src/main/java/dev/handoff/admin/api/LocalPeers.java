package dev.handoff.admin.api;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
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
    private static final List<Path> TABLES =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int UID = 7;
    private static final int INODE = 9;
    private static final int ROOT = 0;

    /** The inode of a closed socket, whose row says root, even if it was another user's. */
    private static final String NO_INODE = "0";

    private final Executor reader =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("handoff-admin-peers").daemon().factory());

    private final List<Path> tables;
    private final @Nullable Integer own;
    private volatile int port;

    /**
     * @param tables the lists that Linux writes
     * @param own the user who runs the server; null where the system does not tell
     */
    LocalPeers(List<Path> tables, @Nullable Integer own) {
        this.tables = tables.stream().filter(Files::isReadable).toList();
        this.own = own;
    }

    static LocalPeers ofThisMachine() {
        try {
            Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            return new LocalPeers(TABLES, (Integer) uid);
        } catch (IOException | UnsupportedOperationException notLinux) {
            return new LocalPeers(List.of(), null);
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
        if (own == null || tables.isEmpty()) {
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
        try {
            InetAddress address = InetAddress.ofLiteral(client.substring(0, colon));
            int clientPort = Integer.parseInt(client.substring(colon + 1));
            for (Path table : tables) {
                try (BufferedReader rows =
                        Files.newBufferedReader(table, StandardCharsets.US_ASCII)) {
                    String row = rows.readLine();
                    while ((row = rows.readLine()) != null) {
                        String[] columns = row.strip().split("\\s+", INODE + 2);
                        if (columns.length > INODE
                                && isAt(columns[LOCAL], clientPort)
                                && isAt(columns[REMOTE], port)
                                && address(columns[LOCAL]).equals(address)) {
                            return columns[INODE].equals(NO_INODE)
                                    ? null
                                    : Integer.valueOf(columns[UID]);
                        }
                    }
                }
            }
            return null;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static boolean isAt(String addressAndPort, int wanted) {
        int colon = addressAndPort.indexOf(':');
        return Integer.parseInt(addressAndPort, colon + 1, addressAndPort.length(), 16) == wanted;
    }

    /** Parses words of 32 bits, each in the byte order of the machine. */
    private static InetAddress address(String addressAndPort) throws IOException {
        int digits = addressAndPort.indexOf(':');
        ByteBuffer bytes = ByteBuffer.allocate(digits / 2).order(ByteOrder.nativeOrder());
        for (int at = 0; at < digits; at += 8) {
            bytes.putInt(Integer.parseUnsignedInt(addressAndPort, at, at + 8, 16));
        }
        return InetAddress.getByAddress(bytes.array());
    }
}
