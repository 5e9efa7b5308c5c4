package dev.handoff.process.join;

import dev.handoff.loop.SocketFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the process at the other end of a Unix socket may be a worker: it runs as the
 * socket's owner, as root, or as {@link WorkerAccount} says of its pool.
 *
 * <p>The file's mode says much the same, but it is open to everybody where pools run as users of
 * several groups, a folder may be shared more widely than was meant, and a mode be changed. Names
 * are compared as the system gives them, which are numbers for users without an entry, as in many
 * containers.
 */
final class PeerCheck {
    private static final Set<String> ROOT = Set.of("root", "0");

    private final String owner;
    private final String ownGroup;

    private PeerCheck(String owner, String ownGroup) {
        this.owner = owner;
        this.ownGroup = ownGroup;
    }

    static PeerCheck of(SocketFile file) throws IOException {
        return new PeerCheck(
                Files.getOwner(file.path(), LinkOption.NOFOLLOW_LINKS).getName(),
                file.ownGroup().getName());
    }

    /**
     * The reason why the peer may not come in, or null if it may.
     *
     * @param accounts of the pools that it may be for
     */
    @Nullable String refuses(UnixDomainPrincipal peer, Collection<WorkerAccount> accounts) {
        String user = peer.user().getName();
        String group = peer.group().getName();
        boolean allowed =
                user.equals(owner)
                        || ROOT.contains(user)
                        || accounts.stream().anyMatch(account -> fits(account, user, group));
        return allowed
                ? null
                : "it runs as user %s with group %s; %s".formatted(user, group, advice(accounts));
    }

    private boolean fits(WorkerAccount account, String user, String group) {
        return switch (account) {
            case WorkerAccount.Own own -> group.equals(ownGroup);
            case WorkerAccount.Other(String other, var itsGroup) -> user.equals(other);
            case WorkerAccount.Visitors visitors -> group.equals(ownGroup);
        };
    }

    private String advice(Collection<WorkerAccount> accounts) {
        Set<String> users = new TreeSet<>(Set.of(owner));
        boolean byGroup = false;
        for (WorkerAccount account : accounts) {
            if (account instanceof WorkerAccount.Other(String other, var itsGroup)) {
                users.add(other);
            } else {
                byGroup = true;
            }
        }
        String run = "run it as user " + String.join(" or ", users);
        return byGroup
                ? "%s, or with %s as its primary group: the supplementary groups do not count"
                        .formatted(run, ownGroup)
                : run;
    }
}
