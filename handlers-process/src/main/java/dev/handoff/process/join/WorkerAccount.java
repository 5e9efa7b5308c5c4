package dev.handoff.process.join;

import java.nio.file.attribute.GroupPrincipal;

/** Whose processes the workers of a pool are, besides those of the socket's owner and of root. */
public sealed interface WorkerAccount {
    /** Nobody else's by intention: the core starts them as the user that it runs as. */
    enum Own implements WorkerAccount {
        OWN
    }

    /**
     * Another user's, as whom the core starts them.
     *
     * @param user as the system names it
     * @param group of the user, by which its processes reach the socket
     */
    record Other(String user, GroupPrincipal group) implements WorkerAccount {}

    /** Those of the group that the socket's file got from its folder: they come by themselves. */
    enum Visitors implements WorkerAccount {
        VISITORS
    }
}
