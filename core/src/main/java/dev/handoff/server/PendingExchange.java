package dev.handoff.server;

import dev.handoff.http.ArrivingContent;
import dev.handoff.http.Body;
import dev.handoff.http.ContentFraming;
import dev.handoff.http.ErrorForm;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.http.StoredContent;
import dev.handoff.http.websocket.Handshake;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.forwarding.Origin;
import java.net.InetAddress;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One place in a connection's pipeline: a request, and its response once there is one.
 *
 * <p>Belongs to the thread of the connection's loop, but for what {@link Exchange} and {@link
 * StreamedResponse.Owner} say.
 */
final class PendingExchange implements Exchange, StreamedResponse.Owner {
    private final LoopContext context;
    private final Owner owner;
    private volatile Request request;
    private final Origin origin;

    /** Whom it counts for, where a trusted proxy sent it; null where the connection counts. */
    private final @Nullable InetAddress proxiedClient;

    private final @Nullable String requestId;
    private final long arrivedNanos;
    private long heldBytes;

    /** What it holds of its response until that is written, or begins to be. */
    private long responseBytes;

    private boolean contentDropped;
    private final @Nullable ArrivingContent arriving;
    private long deadlineNanos;

    /**
     * When its time began to count: when it came, or when its handler last had to wait for content.
     */
    private long countsFromNanos;

    /** Whether the head of its response says that the connection closes behind it. */
    private boolean saysClose;

    /** Whether more of its content is to come. */
    private boolean contentArrives;

    /** Whether its response is the refusal of its content. */
    private boolean refused;

    private boolean counted;
    private boolean runsAlone;
    private String prefix = "";
    private @Nullable Object attachment;
    private @Nullable Response response;
    private @Nullable StreamedResponse stream;

    private Handshake handshake;

    private boolean accepted;
    private @Nullable Abandonment abandoned;
    private @Nullable Consumer<Abandonment> onAbandoned;

    /** The pipeline that it stands in. Called on its loop. */
    interface Owner {
        /** The one way in for whole responses. */
        void respond(PendingExchange exchange, Response response);

        void handlerFailed(PendingExchange exchange, Throwable failure);

        /** The one way in for responses in pieces. */
        Streams streams();

        /** The one way in for WebSockets. */
        void accept(PendingExchange exchange, Response head, ConnectionWebSocket accepted);

        /** Its handler has no use for its request any more. */
        void releaseRequest(PendingExchange exchange);

        /**
         * Runs one of the calls above, and what has to follow it.
         *
         * @param bytes how much content it gives
         */
        void runThenStep(int bytes, Runnable action);

        void deadlineMoved();
    }

    /** Where responses in pieces go. Called on the loop. */
    interface Streams {
        /** Takes the head, as {@link Owner#respond} takes a whole response. */
        void begin(PendingExchange exchange, Response head, StreamedResponse stream);

        /** Takes a piece, which is dropped if nobody wants it any more. */
        void add(PendingExchange exchange, StreamedResponse stream, Body piece);

        /** All of it has come. */
        void complete(PendingExchange exchange, StreamedResponse stream);

        /** The rest of it will not come. */
        void breakOff(
                PendingExchange exchange, StreamedResponse stream, Failure failure, StreamEnd why);

        void handlerFailed(PendingExchange exchange, StreamedResponse stream, Throwable failure);
    }

    PendingExchange(
            LoopContext context,
            Owner owner,
            Request request,
            Origin origin,
            @Nullable InetAddress proxiedClient,
            long deadlineNanos) {
        this.context = context;
        this.owner = owner;
        this.request = request;
        this.origin = origin;
        this.proxiedClient = proxiedClient;
        this.requestId = RequestIds.given(request.headers());
        this.handshake = Handshake.of(request);
        this.arrivedNanos = context.loop().nanoTime();
        this.heldBytes = heldBytes(request);
        this.arriving = request.body().arriving();
        this.contentArrives = arriving != null;
        this.countsFromNanos = arrivedNanos;
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public Request request() {
        return request;
    }

    @Override
    public Origin origin() {
        return origin;
    }

    @Override
    public String client() {
        return origin.client();
    }

    @Override
    public String prefix() {
        return prefix;
    }

    @Override
    public void prefix(String newPrefix) {
        prefix = newPrefix;
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
    public void runAlone() {
        runsAlone = true;
    }

    /** Whether none behind it may begin; an unsafe one holds up all others. */
    boolean runsAlone() {
        return runsAlone || !request.isSafe();
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
        hop(response.body().sizeBytes(), () -> owner.respond(this, response));
    }

    @Override
    public ResponseStream stream(Response head, LongConsumer onRoom) {
        StreamedResponse begun = new StreamedResponse(this, head, request.version(), onRoom);
        hop(head.body().sizeBytes(), () -> owner.streams().begin(this, head, begun));
        return begun;
    }

    @Override
    public void publish(Response head, Flow.Publisher<Body> content) {
        PublishedContent.begin(this, head, content);
    }

    @Override
    public Handshake handshake() {
        return handshake;
    }

    @Override
    public WebSocket accept(Headers headers, WebSocketListener listener) {
        if (!(handshake() instanceof Handshake.Offer offer)) {
            throw new IllegalStateException("the request does not ask for a WebSocket");
        }
        ConnectionWebSocket accepted =
                new ConnectionWebSocket(
                        context, this, this::hopMessage, offer.compression(), listener);
        Response head = WebSocketResponse.of(offer, headers);
        onLoop(0, () -> owner.accept(this, head, accepted));
        return accepted;
    }

    /** Whether it asks for a WebSocket, be it in a way that breaks a rule. */
    boolean isHandshake() {
        return !(handshake instanceof Handshake.None);
    }

    /** Whether its handler has made a WebSocket of it. */
    boolean isAccepted() {
        return accepted;
    }

    /** It becomes a WebSocket. */
    void accepted(Response head) {
        response(head);
        accepted = true;
    }

    @Override
    public void add(StreamedResponse given, Body piece) {
        hop(piece.sizeBytes(), () -> owner.streams().add(this, given, piece));
    }

    @Override
    public void complete(StreamedResponse given) {
        onLoop(0, () -> owner.streams().complete(this, given));
    }

    @Override
    public void breakOff(StreamedResponse given, Failure failure, StreamEnd why) {
        onLoop(0, () -> owner.streams().breakOff(this, given, failure, why));
    }

    @Override
    public void handlerFailed(StreamedResponse given, Throwable failure) {
        onLoop(0, () -> owner.streams().handlerFailed(this, given, failure));
    }

    /**
     * Runs {@code give} on the connection's loop. If it brings a large piece, the {@link
     * ResponseRoom} counts that as on its way, until the connection counts it.
     *
     * @param bytes how much content it brings
     */
    private void hop(int bytes, Runnable give) {
        hop(bytes, false, give);
    }

    private void hopMessage(int bytes, Runnable give) {
        hop(bytes, true, give);
    }

    private void hop(int bytes, boolean isMessage, Runnable give) {
        if (bytes <= ResponseRoom.SMALL_BYTES || context.loop().inLoop()) {
            onLoop(bytes, give);
            return;
        }
        ResponseRoom room = context.responseRoom();
        room.hold(bytes, isMessage);
        boolean willRun =
                context.loop()
                        .tryRun(() -> {
                            try {
                                owner.runThenStep(bytes, give);
                            } finally {
                                room.release(bytes, isMessage);
                            }
                        });
        if (!willRun) {
            room.release(bytes, isMessage);
        }
    }

    @Override
    public void fail(Failure failure) {
        onLoop(0, () -> owner.respond(this, failure.response(errorForm())));
    }

    @Override
    public void fail(Throwable failure) {
        onLoop(0, () -> owner.handlerFailed(this, failure));
    }

    @Override
    public void onAbandoned(Consumer<Abandonment> action) {
        if (abandoned != null) {
            action.accept(abandoned);
        } else {
            onAbandoned = action;
        }
    }

    /** Whether all of its content is where its handler can read it. */
    boolean isWhole() {
        StoredContent content = request.body().stored();
        return content == null || content.isComplete();
    }

    /** Whether its content is in a file, or comes while it is handled. */
    boolean isContentElsewhere() {
        return arriving != null || request.body().stored() != null;
    }

    /** The memory of its content that is on its way into a file. */
    int unstoredBytes() {
        StoredContent content = request.body().stored();
        return content == null ? 0 : content.unstoredBytes();
    }

    @Override
    public void releaseRequest() {
        onLoop(0, () -> owner.releaseRequest(this));
    }

    /** Its response has left: nobody has use for its content any more. */
    void dropContent() {
        if (!contentDropped) {
            contentDropped = true;
            StoredContent stored = request.body().stored();
            if (stored != null) {
                stored.release();
            }
        }
    }

    /**
     * Keeps of its request only what logs name, while its response leaves or its WebSocket is open.
     * Returns how much memory that gives back.
     */
    long giveBackRequest() {
        dropContent();
        long heldBefore = heldBytes;
        request = request.inBrief();
        heldBytes = heldBytes(request);
        if (handshake instanceof Handshake.Offer) {
            handshake = Handshake.Offer.TAKEN;
        }
        return heldBefore - heldBytes;
    }

    /**
     * Its response waits for those before it. Keeps of its request only what logs name, and counts
     * that with the response: a client that sends many at once keeps its room from others'
     * responses, and not from their requests. Returns how much memory of requests that gives back.
     */
    long giveBackAnsweredRequest() {
        long heldBefore = heldBytes;
        request = request.inBrief();
        heldBytes = 0;
        responseBytes += request.answeredBytes();
        return heldBefore;
    }

    /** What it holds of its response, and of its request since that has been answered. */
    long responseBytes() {
        return responseBytes;
    }

    void responseBytes(long bytes) {
        responseBytes = bytes;
    }

    /** The file with its content; null if it has none, or has given it back. */
    @Nullable SpooledContent file() {
        return request.body().stored() instanceof SpooledContent file ? file : null;
    }

    /**
     * Roughly the memory that the request takes here and, encoded, in a pool. Many small fields
     * take twenty times what they have on the wire.
     */
    long heldBytes() {
        return heldBytes;
    }

    private static long heldBytes(Request request) {
        return request.headBytes() + request.body().heldBytes();
    }

    /**
     * Counts it for the client that a proxy named, if one did. Returns whether that client may have
     * it.
     */
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
        stream = null;
        onAbandoned = null;
    }

    /**
     * Puts a whole response in the place of one in pieces. Its handler may still have to hear why.
     */
    void replaceStream(Response given) {
        response = given;
        stream = null;
    }

    /** All of its response was written. */
    void complete() {
        onAbandoned = null;
    }

    /** The response in pieces, from its head on; null if it is a whole one, or none. */
    @Nullable StreamedResponse stream() {
        return stream;
    }

    /** Begins a response in pieces. Its handler still hears when nobody wants the rest. */
    void stream(Response head, StreamedResponse begun) {
        response = head;
        stream = begun;
    }

    /** Whether its response ends with the connection. */
    boolean endsWithConnection() {
        return saysClose
                || isRefusedHandshake()
                || (stream != null && stream.framing() == ContentFraming.CLOSE);
    }

    /**
     * Whether it asked for a WebSocket and gets none. What the client sends behind it may be
     * frames, which must not be read as a request.
     */
    private boolean isRefusedHandshake() {
        return isHandshake() && !accepted;
    }

    /** The head of its response has said that the connection closes. */
    void saidClose() {
        saysClose = true;
    }

    /** Whether it was handed over, or may be, and the rest of its content is to come. */
    boolean contentArrives() {
        return contentArrives;
    }

    /** All of its content has come. */
    void contentEnded() {
        contentArrives = false;
    }

    /** Its content is refused, and its response says so. */
    void contentRefused() {
        refused = true;
    }

    boolean isRefused() {
        return refused;
    }

    /** The memory of the content that has come and that its handler has not taken. */
    int arrivedBytes() {
        return arriving instanceof ContentPipe pipe ? pipe.unstoredBytes() : 0;
    }

    /** Whether the handler has begun to read the content that arrives. */
    boolean isContentWanted() {
        return arriving instanceof ContentPipe pipe && pipe.isWanted();
    }

    /**
     * Begins its time again, since its handler waited for content until now, or has just taken
     * some.
     */
    void restartDeadline() {
        long now = context.loop().nanoTime();
        deadlineNanos += now - countsFromNanos;
        countsFromNanos = now;
    }

    /** Whether its handler has to give a response, or more of it, by the deadline. */
    boolean awaitsHandler() {
        boolean awaits = response == null || (stream != null && stream.awaitsPieces());
        return awaits && abandoned == null;
    }

    /** Moves the deadline, where the connection looks at its deadlines anyway. */
    void moveDeadline(long newDeadlineNanos) {
        deadlineNanos = newDeadlineNanos;
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
    private boolean onLoop(int bytes, Runnable action) {
        return context.loop().tryRun(() -> owner.runThenStep(bytes, action));
    }
}
