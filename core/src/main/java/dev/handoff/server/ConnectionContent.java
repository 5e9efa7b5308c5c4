package dev.handoff.server;

import dev.handoff.http.ContentStore;
import dev.handoff.http.Request;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.forwarding.Forwarding;
import org.jspecify.annotations.Nullable;

/**
 * Decides where the content of one connection's requests goes: to a file of the {@link Spool} if it
 * is large, or through a {@link ContentPipe} to a handler that wants it as it comes. Belongs to the
 * loop's thread.
 */
final class ConnectionContent implements ContentStore {
    /** The most of large content that stays in memory while requests take much of it. */
    private static final int LITTLE_MEMORY_BYTES = 64 * 1024;

    private final Peer peer;
    private final @Nullable Spool spool;
    private final BufferBudget budget;
    private final Handler handler;
    private final EventLoop loop;
    private final Runnable whenItChanges;
    private final Runnable whenTooSlow;

    /** The content of the latest request whose content is large. */
    private @Nullable SpooledContent latest;

    /**
     * @param peer who sends the requests
     * @param whenItChanges runs when more of the content has been written or read, or when that has
     *     failed
     * @param whenTooSlow runs when content as it comes has to give way, and is not whole
     */
    ConnectionContent(
            LoopContext context, Peer peer, Runnable whenItChanges, Runnable whenTooSlow) {
        this.peer = peer;
        this.spool = context.spool();
        this.budget = context.budget();
        this.handler = context.handler();
        this.loop = context.loop();
        this.whenItChanges = whenItChanges;
        this.whenTooSlow = whenTooSlow;
    }

    @Override
    public int memoryBytes() {
        if (spool == null) {
            return Integer.MAX_VALUE;
        }
        // What could stay in memory shall not wait behind what is too large for it.
        return budget.isTightForRequests() && !spool.isBehind()
                ? Math.min(LITTLE_MEMORY_BYTES, spool.memoryBytes())
                : spool.memoryBytes();
    }

    @Override
    public Storing begin() {
        if (spool == null) {
            throw new IllegalStateException("there is no memory for more than all");
        }
        SpooledContent begun = new SpooledContent(spool, budget, loop, whenItChanges);
        latest = begun;
        return begun;
    }

    @Override
    public @Nullable Arriving arrive(Request head, boolean expectsContinue) {
        Forwarding.Judged judged = peer.judge(head);
        boolean wanted =
                handler.takesContentAsItComes(
                        judged == null ? head : judged.request(), peer.origin(judged));
        return wanted
                ? new ContentPipe(budget, loop, expectsContinue, whenItChanges, whenTooSlow)
                : null;
    }

    /** The bytes in the file of the request that is being read; 0 if there is none. */
    long incompleteBytes() {
        return latest == null ? 0 : latest.incompleteBytes();
    }

    /** Tells once that there is no room for the latest content, or that it cannot be written. */
    boolean pollFailure() {
        boolean failed = latest != null && latest.hasFailed();
        if (failed) {
            latest = null;
        }
        return failed;
    }
}
