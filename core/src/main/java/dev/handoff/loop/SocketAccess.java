package dev.handoff.loop;

import java.nio.file.attribute.GroupPrincipal;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may connect to a Unix socket besides its owner, as far as the rights of its file can tell:
 * one group, or everybody who may enter the folder. A file has one group, so it has to be open to
 * everybody where there shall be two; who listens then has to ask the system who connects.
 *
 * @param groups whose members may connect
 * @param withOwnGroup whether members of the group may, too, that the file got from its folder
 * @param everybody whether all may
 */
public record SocketAccess(Set<GroupPrincipal> groups, boolean withOwnGroup, boolean everybody) {
    /** The group that the file got from its folder may connect. */
    public static final SocketAccess OWN_GROUP = new SocketAccess(Set.of(), true, false);

    static final SocketAccess EVERYBODY = new SocketAccess(Set.of(), false, true);

    public SocketAccess {
        groups = Set.copyOf(groups);
    }

    /** For these groups; if there are none, for the file's own. */
    public static SocketAccess of(Set<GroupPrincipal> groups, boolean withOwnGroup) {
        return groups.isEmpty() ? OWN_GROUP : new SocketAccess(groups, withOwnGroup, false);
    }

    /** The one group that may connect; null for everybody. */
    @Nullable GroupPrincipal onlyGroup(GroupPrincipal ownGroup) {
        if (everybody) {
            return null;
        }
        Set<GroupPrincipal> all = new HashSet<>(groups);
        if (withOwnGroup) {
            all.add(ownGroup);
        }
        return all.size() == 1 ? all.iterator().next() : null;
    }
}
