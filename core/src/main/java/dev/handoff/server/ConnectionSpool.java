package dev.handoff.server;

import dev.handoff.http.ContentStore;
import dev.handoff.loop.EventLoop;
import org.jspecify.annotations.Nullable;

/** The {@link Spool}, as the requests of one connection use it. Belongs to the loop's thread. */
final class ConnectionSpool implements ContentStore {
    private final Spool spool;
    private final EventLoop loop;
    private final Runnable whenItChanges;

    /** That of the request which came last, of those whose content is large. */
    private @Nullable SpooledContent latest;

    /**
     * @param whenItChanges runs when more of the content has been written, or that has failed
     */
    ConnectionSpool(Spool spool, EventLoop loop, Runnable whenItChanges) {
        this.spool = spool;
        this.loop = loop;
        this.whenItChanges = whenItChanges;
    }

    @Override
    public int memoryBytes() {
        return spool.memoryBytes();
    }

    @Override
    public Storing begin() {
        SpooledContent begun = new SpooledContent(spool, loop, whenItChanges);
        latest = begun;
        return begun;
    }

    /** What the file of the request that is being read has; 0 if there is none. */
    long incompleteBytes() {
        return latest == null ? 0 : latest.incompleteBytes();
    }

    /** Tells once that there is no room for what came last, or that it cannot be written. */
    boolean pollFailure() {
        boolean failed = latest != null && latest.hasFailed();
        if (failed) {
            latest = null;
        }
        return failed;
    }
}
