package dev.handoff.server;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import java.net.InetAddress;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One place in a connection's pipeline: a request, and its response once there is one.
 *
 * <p>Belongs to the thread of the connection's loop, but for {@link #respond} and {@link #fail}.
 */
final class PendingExchange implements Exchange {
    /** The memory of a request besides its fields and content, here and in a pool. */
    private static final int REQUEST_BYTES = 1024;

    /** The memory of a field besides its characters. */
    private static final int FIELD_BYTES = 128;

    private final LoopContext context;
    private final Owner owner;
    private final Request request;
    private final String client;

    /** The client that a trusted proxy names; null if the request came from the client itself. */
    private final @Nullable InetAddress proxiedClient;

    private final @Nullable String requestId;
    private final long arrivedNanos;
    private final long heldBytes;
    private long deadlineNanos;
    private boolean counted;
    private @Nullable Object attachment;
    private @Nullable Response response;
    private @Nullable Abandonment abandoned;
    private @Nullable Consumer<Abandonment> onAbandoned;

    /** The connection that owes the response. Called on its loop. */
    interface Owner {
        /** The one way in for responses. */
        void respond(PendingExchange exchange, Response response);

        void handlerFailed(PendingExchange exchange, Throwable failure);

        void deadlineMoved();

        /** Runs something that closes the connection if it throws. */
        void guarded(Runnable action);
    }

    PendingExchange(
            LoopContext context,
            Owner owner,
            Request request,
            String client,
            @Nullable InetAddress proxiedClient,
            long deadlineNanos) {
        this.context = context;
        this.owner = owner;
        this.request = request;
        this.client = client;
        this.proxiedClient = proxiedClient;
        this.requestId = RequestIds.given(request.headers());
        this.arrivedNanos = context.loop().nanoTime();
        this.heldBytes = heldBytes(request);
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public Request request() {
        return request;
    }

    @Override
    public String client() {
        return client;
    }

    @Override
    public @Nullable String requestId() {
        return requestId;
    }

    @Override
    public EventLoop loop() {
        return context.loop();
    }

    @Override
    public long arrivedNanos() {
        return arrivedNanos;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void deadlineNanos(long newDeadlineNanos) {
        deadlineNanos = newDeadlineNanos;
        owner.deadlineMoved();
    }

    @Override
    public void attach(Object newAttachment) {
        attachment = newAttachment;
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public boolean isDone() {
        return response != null || abandoned != null;
    }

    @Override
    public @Nullable String error() {
        return response == null ? null : ErrorMessage.codeOf(response);
    }

    @Override
    public void respond(Response response) {
        Objects.requireNonNull(response);
        int bytes = response.body().sizeBytes();
        if (bytes <= ResponseRoom.SMALL_BYTES || context.loop().inLoop()) {
            onLoop(() -> owner.respond(this, response));
        } else {
            respondLarge(response, bytes);
        }
    }

    /** The room counts it as on its way until its client's loop has it, and counts it. */
    private void respondLarge(Response response, int bytes) {
        ResponseRoom room = context.responseRoom();
        room.hold(bytes);
        boolean willRun =
                onLoop(() -> {
                    try {
                        owner.respond(this, response);
                    } finally {
                        room.release(bytes);
                    }
                });
        if (!willRun) {
            room.release(bytes);
        }
    }

    @Override
    public void fail(Failure failure) {
        onLoop(() -> owner.respond(this, failure.response(errorForm())));
    }

    @Override
    public void fail(Throwable failure) {
        onLoop(() -> owner.handlerFailed(this, failure));
    }

    @Override
    public void onAbandoned(Consumer<Abandonment> action) {
        if (abandoned != null) {
            action.accept(abandoned);
        } else {
            onAbandoned = action;
        }
    }

    /**
     * Roughly the memory that the request takes here and, encoded, in a pool. Many small fields
     * take twenty times what they have on the wire.
     */
    long heldBytes() {
        return heldBytes;
    }

    private static long heldBytes(Request request) {
        Headers headers = request.headers();
        long characters = request.target().length();
        for (int i = 0; i < headers.size(); i++) {
            characters += headers.name(i).length() + headers.value(i).length();
        }
        return REQUEST_BYTES
                + (long) FIELD_BYTES * headers.size()
                + 2 * characters
                + request.body().sizeBytes();
    }

    /** Counts it as its client's, if a proxy named that; returns whether the client may have it. */
    boolean enter(ClientLimit limit) {
        counted = proxiedClient != null && limit.enter(proxiedClient);
        return counted || proxiedClient == null;
    }

    /** Counts it no more. */
    void leave(ClientLimit limit) {
        if (counted && proxiedClient != null) {
            limit.leave(proxiedClient);
        }
        counted = false;
    }

    boolean isHead() {
        return request.method().equals("HEAD");
    }

    ErrorForm errorForm() {
        return ErrorForm.of(request.method(), request.headers());
    }

    boolean isHttp10() {
        return request.version() == HttpVersion.HTTP_1_0;
    }

    boolean isAbandoned() {
        return abandoned != null;
    }

    /** Null before it is given. */
    @Nullable Response response() {
        return response;
    }

    void response(Response given) {
        response = given;
        onAbandoned = null;
    }

    /** Tells its handler that nobody waits any more. */
    void abandon(Abandonment reason) {
        abandoned = reason;
        Consumer<Abandonment> action = onAbandoned;
        onAbandoned = null;
        if (action != null) {
            action.accept(reason);
        }
    }

    /** Returns false where the loop has stopped, and its connections are closed. */
    private boolean onLoop(Runnable task) {
        return context.loop().tryRun(() -> owner.guarded(task));
    }
}
