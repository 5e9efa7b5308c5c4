package dev.handoff.server;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.Refusal;
import dev.handoff.http.RequestParser;
import dev.handoff.http.RequestStart;
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

    /** Tells the listener of a refusal. */
    @FunctionalInterface
    private interface Told {
        /**
         * @param bodyBytes the size of the content that the client is sent
         */
        void tell(RequestStart start, int bodyBytes);
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
        ErrorForm form = input.errorForm();
        Response response = refused.error().naming(context.limitName(refused)).response(form);
        refuse(
                response,
                form,
                (start, bytes) ->
                        context.listener().onRefused(refused, peer.address(), start, bytes));
    }

    /** The client has left, and the rest of what it had begun does not come. */
    void clientLeft() {
        if (input.phase() != RequestParser.Phase.IDLE && !input.isHandedOver()) {
            context.listener().onLeftInRequest(peer.address(), input.requestStart());
        }
    }

    /** The requests of others use up the buffer budget. */
    void refuseForWantOfRoom() {
        refuse(
                Failure.BUFFERS_FULL,
                (start, bytes) -> context.listener().onBuffersFull(peer.address(), start, bytes));
    }

    /**
     * The requests of others use up the buffer budget, though it has come whole.
     *
     * @param whole is owed no other response
     */
    void refuseForWantOfRoom(PendingExchange whole) {
        RequestStart start = new RequestStart(whole.request().method(), whole.request().target());
        ErrorForm form = whole.errorForm();
        Response response = Failure.BUFFERS_FULL.response(form);
        int bytes = form.withContent() ? response.body().sizeBytes() : 0;
        context.listener().onBuffersFull(whole.client(), start, bytes);
        pipeline.refuse(response, form.withContent());
        owner.refused();
    }

    /** Large requests use up the space for their files. */
    void refuseForWantOfSpace() {
        refuse(
                Failure.SPOOL_FULL,
                (start, bytes) ->
                        context.listener().onSpoolFull(peer.address(), start, false, bytes));
    }

    /** It comes so slowly, or waits so long behind others, that others get its room. */
    void evict() {
        if (input.hasUnread()) {
            refuse(Refusal.SENT_AHEAD);
            return;
        }
        refuse(
                Failure.REQUEST_EVICTED,
                (start, bytes) ->
                        context.listener().onRequestEvicted(peer.address(), start, bytes));
    }

    private void refuse(Failure failure, Told told) {
        ErrorForm form = input.errorForm();
        refuse(failure.response(form), form, told);
    }

    private void refuse(Response response, ErrorForm form, Told told) {
        told.tell(input.requestStart(), form.withContent() ? response.body().sizeBytes() : 0);
        if (!pipeline.contentCut(response)) {
            pipeline.refuse(response, form.withContent());
        }
        input.clear();
        owner.refused();
    }
}
