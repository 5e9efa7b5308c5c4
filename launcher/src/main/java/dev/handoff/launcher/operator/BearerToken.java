package dev.handoff.launcher.operator;

import dev.handoff.loop.SocketTable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The token of an admin server, from a file. It goes to nobody on this machine who could not read
 * that file anyway: while no server runs, any user can listen at its port. Linux tells whose
 * process has the other end of a connection; on other systems, and for other machines, the token
 * goes to whoever has it.
 */
public record BearerToken(String text, Path file) {
    private static final int ROOT = 0;
    private static final Path SELF = Path.of("/proc/self");
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * Refuses to be told on a connection if the user at its other end should not know it. Says
     * nothing of any other connection: a moment later somebody else may listen at the same port.
     *
     * @param limit how long the other end may take to accept the connection
     * @throws IOException if the system does not tell in time who has accepted it
     */
    void requireTrusted(Socket connected, SocketTable sockets, Duration limit)
            throws AdminException, IOException {
        if (!sockets.isKnown() || !isHere(connected.getInetAddress())) {
            return;
        }
        long deadline = System.nanoTime() + limit.toNanos();
        var _ = accepted(connected, sockets, deadline);
        // Read again: if it was accepted while its row was written, the user there is not the new.
        int user = accepted(connected, sockets, deadline).user();
        if (!mayKnow(user)) {
            throw new AdminException(
                    "the token is not sent: user %d listens at port %d, who may not read %s: is Handoff running?"
                            .formatted(user, connected.getPort(), file));
        }
    }

    /** Whether it is this machine's: each of 127.0.0.0/8 is, though few are an interface's. */
    private static boolean isHere(InetAddress address) throws IOException {
        return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    }

    /** The other end, once a process has it: until then it is of no user. */
    private static SocketTable.Row accepted(Socket connected, SocketTable sockets, long deadline)
            throws IOException {
        while (true) {
            SocketTable.Row row = sockets.find(each -> isOtherEnd(each, connected));
            if (row != null && !row.isClosed()) {
                return row;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(
                        "the token is not sent, as the system does not tell who accepts the connection");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static boolean isOtherEnd(SocketTable.Row row, Socket connected) {
        return row.localPort() == connected.getPort()
                && row.remotePort() == connected.getLocalPort()
                && row.localAddress().equals(connected.getInetAddress())
                && row.remoteAddress().equals(connected.getLocalAddress());
    }

    private boolean mayKnow(int user) throws IOException {
        if (user == ROOT || Integer.valueOf(user).equals(Files.getAttribute(SELF, "unix:uid"))) {
            return true;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        return Integer.valueOf(user).equals(Files.getAttribute(file, "unix:uid"))
                || permissions.contains(PosixFilePermission.OTHERS_READ)
                || (permissions.contains(PosixFilePermission.GROUP_READ)
                        && groups(user)
                                .contains(String.valueOf(Files.getAttribute(file, "unix:gid"))));
    }

    /** The numbers of the groups that a user is in; none where the system does not tell. */
    private static List<String> groups(int user) {
        ProcessBuilder id = new ProcessBuilder("id", "-G", String.valueOf(user));
        try (InputStream numbers =
                id.redirectError(ProcessBuilder.Redirect.DISCARD).start().getInputStream()) {
            String text = new String(numbers.readAllBytes(), StandardCharsets.US_ASCII);
            return List.of(text.strip().split(" ", -1));
        } catch (IOException noSuchProgram) {
            return List.of();
        }
    }

    /** Without the token, for messages. */
    @Override
    public String toString() {
        return "the token in " + file;
    }
}
