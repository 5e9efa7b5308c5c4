package dev.handoff.process.join;

import java.nio.file.attribute.UserPrincipal;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Those that have not said hello yet. Where they are too many, the user who has most of them loses
 * the one that came first, so that no user keeps the workers of another out.
 */
final class Newcomers {
    /** Of each user, in the order in which they came. */
    private final Map<UserPrincipal, Set<Newcomer>> ofUsers = new LinkedHashMap<>();

    private final int most;
    private int count;

    /**
     * @param most that there may be; a worker says hello at once, so it is heard long before its
     *     user has so many others
     */
    Newcomers(int most) {
        this.most = most;
    }

    /** Has another one make room for one that comes, if there are too many. */
    void makeRoom() {
        if (count >= most) {
            Collections.max(ofUsers.values(), Comparator.comparingInt(Set::size))
                    .iterator()
                    .next()
                    .makeRoom(most);
        }
    }

    void add(Newcomer newcomer) {
        if (ofUsers.computeIfAbsent(newcomer.user(), user -> new LinkedHashSet<>()).add(newcomer)) {
            count++;
        }
    }

    void remove(Newcomer newcomer) {
        Set<Newcomer> ofUser = ofUsers.get(newcomer.user());
        if (ofUser != null && ofUser.remove(newcomer)) {
            count--;
            if (ofUser.isEmpty()) {
                ofUsers.remove(newcomer.user());
            }
        }
    }
}
