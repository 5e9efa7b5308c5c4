package dev.handoff.process.join;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the process at the other end of a Unix socket may be a worker: it runs as the
 * socket's owner, as root, or with the socket's group as its own.
 *
 * <p>The file's mode says much the same, but a folder may be shared more widely than was meant, and
 * a mode be changed. Names are compared as the system gives them, which are numbers for users
 * without an entry, as in many containers.
 */
final class PeerCheck {
    private static final Set<String> ROOT = Set.of("root", "0");

    private final String owner;
    private final String group;

    private PeerCheck(String owner, String group) {
        this.owner = owner;
        this.group = group;
    }

    static PeerCheck forOwnerOf(Path socket) throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(socket, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return new PeerCheck(attributes.owner().getName(), attributes.group().getName());
    }

    /** The reason why the peer may not come in, or null if it may. */
    @Nullable String refuses(SocketChannel channel) {
        UnixDomainPrincipal peer;
        try {
            peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
        } catch (IOException | UnsupportedOperationException unknown) {
            return "the system does not say which user connects: " + unknown.getMessage();
        }
        String user = peer.user().getName();
        String itsGroup = peer.group().getName();
        boolean allowed = user.equals(owner) || ROOT.contains(user) || itsGroup.equals(group);
        return allowed
                ? null
                : "it runs as user %s with group %s; run it as user %s, or with %s as its primary group: the supplementary groups do not count"
                        .formatted(user, itsGroup, owner, group);
    }
}
