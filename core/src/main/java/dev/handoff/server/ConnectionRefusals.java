package dev.handoff.server;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.Refusal;
import dev.handoff.http.Response;

/**
 * Refuses the request that a connection is reading: for what it says, or since others need its
 * room. Tells the listener why. Belongs to the loop's thread.
 */
final class ConnectionRefusals {
    /** The connection. */
    interface Owner {
        /** The refusal waits for its turn: nothing more is read. */
        void refused();
    }

    private final LoopContext context;
    private final Peer peer;
    private final RequestInput input;
    private final Pipeline pipeline;
    private final Owner owner;

    ConnectionRefusals(
            LoopContext context, Peer peer, RequestInput input, Pipeline pipeline, Owner owner) {
        this.context = context;
        this.peer = peer;
        this.input = input;
        this.pipeline = pipeline;
        this.owner = owner;
    }

    /** The client broke a rule, passed a limit or was late. */
    void refuse(Refusal refused) {
        context.listener().onRefused(refused, peer.address(), input.requestStart());
        ErrorForm form = input.errorForm();
        refuse(refused.error().naming(context.limitName(refused)).response(form), form);
    }

    /** The requests of others use up the buffer budget. */
    void refuseForWantOfRoom() {
        context.listener().onBuffersFull(peer.address(), input.requestStart());
        refuse(Failure.BUFFERS_FULL);
    }

    /** Large requests use up the space for their files. */
    void refuseForWantOfSpace() {
        context.listener().onSpoolFull(peer.address(), input.requestStart(), false);
        refuse(Failure.SPOOL_FULL);
    }

    /** It comes so slowly that others get its room. */
    void evict() {
        context.listener().onRequestEvicted(peer.address(), input.requestStart());
        refuse(Failure.REQUEST_EVICTED);
    }

    private void refuse(Failure failure) {
        ErrorForm form = input.errorForm();
        refuse(failure.response(form), form);
    }

    private void refuse(Response response, ErrorForm form) {
        if (!pipeline.contentCut(response)) {
            pipeline.refuse(response, form.withContent());
        }
        input.clear();
        owner.refused();
    }
}
