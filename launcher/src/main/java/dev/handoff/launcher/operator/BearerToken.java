package dev.handoff.launcher.operator;

import dev.handoff.loop.SocketTable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The token of an admin server, from a file. It goes to nobody on this machine who could not read
 * that file anyway: while no server runs, any user can listen at its port. Linux tells who listens;
 * on other systems, and for other machines, the token goes to whoever does.
 */
public record BearerToken(String text, Path file) {
    private static final int ROOT = 0;
    private static final Path SELF = Path.of("/proc/self");

    /** Refuses to be told to the listeners at an address, if one of them should not know it. */
    void requireTrusted(String host, int port) throws AdminException {
        try {
            InetAddress address = InetAddress.getByName(host);
            if (!isHere(address)) {
                return;
            }
            for (int user : listeners(address, port)) {
                if (!mayKnow(user)) {
                    throw new AdminException(
                            "the token is not sent: user %d listens at port %d, who may not read %s: is Handoff running?"
                                    .formatted(user, port, file));
                }
            }
        } catch (IOException | UnsupportedOperationException notTold) {
            // There is no such host, which connecting tells, or no such list here.
        }
    }

    /** Whether it is this machine's: each of 127.0.0.0/8 is, though few are an interface's. */
    private static boolean isHere(InetAddress address) throws IOException {
        return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    }

    private static Set<Integer> listeners(InetAddress address, int port) throws IOException {
        Set<Integer> users = new LinkedHashSet<>();
        SocketTable.ofThisMachine()
                .forEach(row -> {
                    if (row.listens() && row.localPort() == port) {
                        InetAddress at = row.localAddress();
                        if (at.equals(address) || at.isAnyLocalAddress()) {
                            users.add(row.user());
                        }
                    }
                });
        return users;
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
