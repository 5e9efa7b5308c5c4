package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.http.Response;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.loop.CloseCause;
import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.ProtocolFault;
import dev.handoff.process.protocol.SafeText;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.ResponseStream;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

/**
 * A worker that said hello, as its pool sees it. Requests go out to it. Its responses, and its news
 * of itself, come in. {@link WorkerLeaving} says how it leaves.
 *
 * <p>Belongs to the thread of the pool's loop.
 */
final class WorkerConnection
        implements WorkerPlace.Connection,
                WorkerRequest.Holder,
                WorkerLink.Owner,
                Heartbeat.Owner,
                WorkerLeaving.Owner {
    /** Makes the way to a worker. */
    interface Way {
        /**
         * @param isWanted whether a client waits for the response with that id
         */
        WorkerLink open(WorkerConnection worker, LongPredicate isWanted) throws IOException;
    }

    /** Has the workers and the requests of a pool, and hears what the worker does. */
    interface Owner {
        EventLoop loop();

        /** The limits of the moment. */
        PoolLimits limits();

        /** The pool's share of the room for what workers send. */
        ResponseRoom.Share responseShare();

        DispatchListener listener();

        /** Whether requests wait for a worker. */
        boolean requestsWait();

        /** Whether another worker takes requests. */
        boolean hasOther(WorkerConnection than);

        /** Hands over requests that wait, since there may be more room for them. */
        void dispatchQueued();

        void answered(WorkerConnection worker, WorkerRequest request, Response response);

        /** The worker sent the head of a response in pieces, and the first piece with it. */
        void begun(WorkerConnection worker, WorkerRequest request, Response head);

        /** The worker sent a message of a WebSocket, or a fragment of one. */
        void messageCame(
                WorkerConnection worker, WorkerRequest request, Message.WebSocketMessage message);

        /** The worker closed a WebSocket, and holds it no more. */
        void closed(WorkerConnection worker, WorkerRequest request, int code, String reason);

        /** The worker sent another piece; it holds the request no more if that is the last one. */
        void pieceCame(WorkerConnection worker, WorkerRequest request, Body piece, boolean last);

        /**
         * The worker could not answer.
         *
         * @param retry whether it promises that it has not begun
         */
        void failed(WorkerConnection worker, WorkerRequest request, String message, boolean retry);

        /** The content of the request cannot be read, and the worker has a part of it. */
        void uploadFailed(WorkerConnection worker, WorkerRequest request, IOException why);

        /**
         * The worker lost the request, and goes on with the others.
         *
         * @param why what happened, in words
         */
        void lost(WorkerConnection worker, WorkerRequest request, LeaveReason reason, String why);

        /** The worker answered an id that it never had, or has answered already. */
        void unknownId(WorkerConnection worker, long id);

        /** The worker is to leave, and the time is over for what may last as long as it likes. */
        void cutOff(WorkerRequest lasting);

        /**
         * The response has no room: what comes of it is read only to be dropped.
         *
         * @param more whether it is a piece, and others are to come
         */
        void dropResponse(WorkerRequest request, boolean more);

        /**
         * The connection is closed.
         *
         * @param held what the worker had not answered, in the order it was handed over
         */
        void left(WorkerConnection worker, Departure departure, List<WorkerRequest> held);
    }

    /** The most requests that a worker gets at once, whatever it claims: it has to hold them. */
    private static final int MOST_CONCURRENCY = 10_000;

    private final Owner owner;
    private final EventLoop loop;
    private final WorkerPlace place;
    private final String id;
    private final String name;
    private final Message.Hello hello;
    private final WorkerTally tally;
    private long responses;
    private final Instant joinedAt;
    private final WorkerLink link;
    private final Heartbeat heartbeat;
    private final HeldRequests held;
    private final WorkerLeaving leaving;

    /** Whether the worker may respond in pieces. */
    private final boolean mayStream;

    private final boolean takesWebSockets;

    /** Whether messages of it may come in fragments. */
    private final boolean mayFragment;

    private int concurrency;

    /**
     * The memory that the worker says it holds: it may be in a container where the core cannot
     * look.
     */
    private long toldMemoryBytes;

    /**
     * @param place the worker's, in its pool
     * @param hello what the worker said of itself, or the core of a server
     */
    WorkerConnection(Owner owner, WorkerPlace place, Message.Hello hello, Way way)
            throws IOException {
        this.owner = owner;
        this.loop = owner.loop();
        this.place = place;
        this.id = place.id();
        this.name = hello.name() == null ? id : SafeText.of(hello.name());
        this.hello = hello;
        this.tally = place.tally();
        this.joinedAt = Instant.ofEpochSecond(loop.clock().epochSeconds());
        this.concurrency = Math.min(hello.concurrency(), MOST_CONCURRENCY);
        this.mayStream = hello.features().contains(Message.STREAMS);
        this.takesWebSockets = hello.features().contains(Message.WEBSOCKETS);
        this.mayFragment = hello.features().contains(Message.FRAGMENTS);
        this.held =
                new HeldRequests(
                        mayStream || takesWebSockets
                                ? Math.min(hello.streams(), MOST_CONCURRENCY)
                                : 0);
        this.link = way.open(this, held::isWanted);
        this.heartbeat = new Heartbeat(loop, this);
        this.leaving = new WorkerLeaving(loop, held, this);
    }

    WorkerPlace place() {
        return place;
    }

    /** How many responses it has begun. */
    long responses() {
        return responses;
    }

    WorkerTally tally() {
        return tally;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long pid() {
        long known = place.pid();
        return known == 0 ? hello.pid() : known;
    }

    @Override
    public String host() {
        return hello.host() == null ? "" : SafeText.of(hello.host());
    }

    @Override
    public int concurrency() {
        return concurrency;
    }

    @Override
    public int inFlight() {
        return held.inFlight();
    }

    @Override
    public int heldCount() {
        return held.size();
    }

    @Override
    public int streams() {
        return held.streams();
    }

    /** How many of its requests have content that is to come. */
    int arriving() {
        return held.arriving();
    }

    List<WorkerRequest> arrivingOnes() {
        return held.arrivingOnes();
    }

    @Override
    public boolean wasHanded(long requestId) {
        return held.wasHanded(requestId);
    }

    @Override
    public Instant joinedAt() {
        return joinedAt;
    }

    @Override
    public long toldMemoryBytes() {
        return toldMemoryBytes;
    }

    @Override
    public long oldestNanos() {
        return held.oldestNanos(loop.nanoTime());
    }

    @Override
    public boolean isDraining() {
        return leaving.hasBegun();
    }

    @Override
    public String stateName() {
        return isDraining() ? "draining" : "ready";
    }

    /** The requests it holds, cancelled ones included, in no order. */
    Collection<WorkerRequest> requests() {
        return held.all();
    }

    /** How many requests it takes at once besides its responses in pieces and WebSockets. */
    int places() {
        return isOpen() ? Math.max(0, concurrency - held.placesOfStreams()) : 0;
    }

    /** How many more requests it takes now, its window; not positive if none. */
    int room() {
        return leaving.isReady() && link.takesMore() && !isBlocked() ? concurrency - inFlight() : 0;
    }

    /** Whether it is an HTTP server, which needs a connection for each request that it holds. */
    boolean needsConnections() {
        return link.needsConnections();
    }

    /** Whether it can handle nothing until the clients of its requests have sent more. */
    private boolean isBlocked() {
        return hello.uploads() > 0 && held.arriving() >= hello.uploads();
    }

    /** How many requests it can handle at once whose content is to come. */
    int uploads() {
        return hello.uploads() == 0 ? concurrency : Math.min(hello.uploads(), concurrency);
    }

    /** Whether it takes requests at all, even if it is full at the moment. */
    boolean isOpen() {
        return leaving.isReady() && concurrency > 0;
    }

    void dispatch(WorkerRequest request, long nowNanos) {
        long requestId = held.nextId();
        request.handTo(this, requestId, nowNanos);
        long millisLeft = Math.max(1, TimeUnit.NANOSECONDS.toMillis(request.nanosLeft(nowNanos)));
        if (!request.arrives() && request.bodyBytes() <= hello.bodyBytes()) {
            link.send(request, millisLeft);
        } else {
            link.sendInPieces(request, millisLeft, hello.streamBytes());
        }
        held.add(request);
    }

    @Override
    public void giveMessage(WorkerRequest request, boolean text, Body message) {
        link.addMessage(request.id, text, message);
    }

    @Override
    public void closeWebSocket(WorkerRequest request, int code, String reason) {
        link.endMessages(request.id);
        link.send(new Message.Close(request.id, code, reason));
    }

    boolean takesWebSockets() {
        return takesWebSockets;
    }

    /** Whether it takes the content of that request, whole or in pieces. */
    boolean takesContentOf(WorkerRequest request) {
        return mayStream || (!request.arrives() && request.bodyBytes() <= hello.bodyBytes());
    }

    /** Whether so much of {@code request} has left that the worker may have begun with it. */
    boolean hasReceived(WorkerRequest request) {
        return link.hasReceived(request);
    }

    @Override
    public void cancel(WorkerRequest request, CancelReason reason) {
        tally.cancels++;
        link.stopUpload(request.id);
        link.send(
                request.webSocket() == null
                        ? new Message.Cancel(request.id, reason)
                        : new Message.Close(request.id, closeCode(reason), reason.wireName()));
        link.cancelled(request.id);
    }

    private static int closeCode(CancelReason reason) {
        return switch (reason) {
            case DRAIN -> CloseCode.GOING_AWAY;
            case SLOW_CLIENT -> CloseCode.POLICY;
            case CLIENT_GONE -> CloseCode.ABNORMAL;
            case DEADLINE, BAD_RESPONSE, NO_CONTENT -> CloseCode.INTERNAL_ERROR;
        };
    }

    @Override
    public void grant(WorkerRequest request, long bytes) {
        link.send(new Message.Credit(request.id, bytes));
    }

    @Override
    public boolean isHeldBack() {
        return link.isHeldBack();
    }

    @Override
    public long heldBackNanos() {
        return link.heldBackNanos();
    }

    @Override
    public boolean isInFrame() {
        return link.isInFrame();
    }

    @Override
    public long heardBytes() {
        return link.heardBytes();
    }

    @Override
    public void contentEnded() {
        held.contentEnded();
        if (owner.requestsWait()) {
            loop.inNextTurn(owner::dispatchQueued);
        }
    }

    /**
     * Whether silence is no fault now. A busy worker is judged by the deadlines of its requests
     * alone, so a handler may compute as long as those allow. A worker that takes no requests yet
     * may be importing, and not reading. A worker that is held back cannot be heard, and a worker
     * in a debugger may be halted. Responses in pieces besides its concurrency are no reason: such
     * a worker reads all the time.
     */
    @Override
    public boolean mayBeSilent() {
        return inFlight() > 0 || concurrency == 0 || link.isHeldBack() || place.isAttended();
    }

    @Override
    public void ping() {
        link.send(new Message.Ping());
    }

    @Override
    public void drain() {
        if (leaving.isReady()) {
            beginDrain();
            link.send(new Message.Drain());
            closeIfDrained();
            // A request that it gave back may have waited for another worker, and it was the last
            // one.
            owner.dispatchQueued();
        }
    }

    private void beginDrain() {
        boolean isAwaited = place.isRenewed() && !owner.hasOther(this);
        leaving.beginDrain(owner.limits().drainTimeout(), isAwaited);
    }

    @Override
    public void cutOff(WorkerRequest lasting) {
        owner.cutOff(lasting);
    }

    @Override
    public void close(LeaveReason reason) {
        leaving.because(reason);
        link.close();
    }

    @Override
    public void closeAsStuck(String why) {
        leaving.because(LeaveReason.STUCK, why + link.symptoms());
        link.close();
    }

    void welcome(String server) {
        link.send(
                new Message.Welcome(
                        Message.PROTOCOL_VERSION,
                        id,
                        owner.limits().fromWorker().jsonBytes(),
                        owner.limits().fromWorker().bodyBytes(),
                        mayStream || takesWebSockets ? ResponseStream.FIRST_ROOM_BYTES : 0,
                        server,
                        Stream.of(Message.STREAMS, Message.WEBSOCKETS, Message.FRAGMENTS)
                                .filter(hello.features()::contains)
                                .toList()));
    }

    /** All who are to know it do. */
    void begin() {
        link.begin();
    }

    @Override
    public boolean isHeard() {
        return leaving.isHeard();
    }

    @Override
    public void onLife() {
        heartbeat.heard();
    }

    @Override
    public void onReadEnd() {
        closeIfDrained();
        owner.dispatchQueued();
    }

    @Override
    public boolean keepsOthersWaiting() {
        return owner.requestsWait() || held.wantedCount() > 1;
    }

    @Override
    public void onDropped(Message response, int bodyBytes, boolean slow) {
        if (slow) {
            owner.listener().onSlowResponse(this, bodyBytes);
        } else {
            owner.listener().onNoRoom(this, bodyBytes, owner.responseShare().room().limitBytes());
        }
        if (response instanceof Message.OfRequest ofRequest) {
            WorkerRequest request = held.find(ofRequest.id());
            if (request != null) {
                owner.dropResponse(request, ofRequest.more());
            }
        }
    }

    @Override
    public void onLost(long requestId, LeaveReason reason, String why) {
        WorkerRequest request = held.remove(requestId);
        if (request != null) {
            owner.lost(this, request, reason, why);
        }
    }

    @Override
    public void onUploadFailed(WorkerRequest request, IOException why) {
        owner.uploadFailed(this, request, why);
    }

    @Override
    public void onRoom() {
        owner.dispatchQueued();
    }

    @Override
    public void onEnd() {
        leaving.inputEnded();
        link.close();
    }

    @Override
    public void onClosed(CloseCause cause) {
        heartbeat.stop();
        switch (cause) {
            // No worker speaks TLS.
            case LOCAL, FAILED, RESET, TLS_FAILED, TLS_TIMEOUT -> {}
            case WRITE_TIMEOUT -> leaving.because(LeaveReason.STUCK, whyStalled());
            case LOOP_STOPPED -> leaving.because(LeaveReason.STOPPED, Departure.NOTHING_WRONG);
        }
        owner.left(this, leaving.end(), held.removeAll());
    }

    private String whyStalled() {
        return "it took less than 64 KiB in "
                + owner.limits().writeTimeout().toSeconds()
                + " s"
                + link.symptoms();
    }

    @Override
    public void onMessage(Message.FromWorker message) {
        switch (message) {
            case Message.OfRequest said -> onResponse(said);
            case Message.Credit(long requestId, long bytes) -> {
                if (takesWebSockets || checkMayStream()) {
                    link.grant(requestId, bytes);
                }
            }
            case Message.Capacity(int wanted, long told) -> {
                if (told != 0) {
                    toldMemoryBytes = told;
                }
                concurrency = Math.min(wanted, MOST_CONCURRENCY);
                if (concurrency > 0) {
                    place.opened();
                }
            }
            case Message.Drain drain -> beginDrain();
            case Message.Pong pong -> {}
            case Message.Hello again ->
                    onFault(new Decoded.Refused(ProtocolFault.OUT_OF_ORDER, "a second hello"));
        }
    }

    private void onResponse(Message.OfRequest said) {
        if (!checkFeature(said)) {
            return;
        }
        WorkerRequest request = said.more() ? held.find(said.id()) : held.remove(said.id());
        if (request == null) {
            owner.unknownId(this, said.id());
            return;
        }
        if (!said.more()) {
            link.stopUpload(request.id);
            place.answered();
        }
        if (said instanceof Message.Response) {
            responses++;
        }
        switch (said) {
            case Message.Response(long id, Response head, boolean more) when more -> {
                boolean isFirst = request.begun() == null;
                owner.begun(this, request, head);
                if (isFirst && request.begun() != null) {
                    held.streamBegan();
                }
                WorkerWebSocket webSocket = request.webSocket();
                if (isFirst && webSocket != null) {
                    link.beginMessages(request, webSocket, hello.streamBytes());
                }
            }
            case Message.Response response -> owner.answered(this, request, response.response());
            case Message.Data data -> owner.pieceCame(this, request, data.body(), !data.more());
            case Message.WebSocketMessage message -> owner.messageCame(this, request, message);
            case Message.Close close -> owner.closed(this, request, close.code(), close.reason());
            case Message.Failure failure ->
                    owner.failed(this, request, failure.message(), failure.retry());
        }
    }

    /** Whether the worker has named what it uses. */
    private boolean checkFeature(Message.OfRequest said) {
        if (said instanceof Message.WebSocketMessage message) {
            return check(takesWebSockets, Message.WEBSOCKETS)
                    && (!message.unfinished() || check(mayFragment, Message.FRAGMENTS));
        }
        if (said instanceof Message.Close) {
            return check(takesWebSockets, Message.WEBSOCKETS);
        }
        boolean isInPieces = said.more() || said instanceof Message.Data;
        boolean accepts =
                said instanceof Message.Response response && response.response().status() == 101;
        return !isInPieces || (takesWebSockets && accepts) || checkMayStream();
    }

    private boolean checkMayStream() {
        return check(mayStream, Message.STREAMS);
    }

    private boolean check(boolean isNamed, String feature) {
        if (!isNamed) {
            onFault(
                    new Decoded.Refused(
                            ProtocolFault.UNNAMED_FEATURE,
                            "only for the feature " + feature + ", which hello did not name"));
        }
        return isNamed;
    }

    @Override
    public void onFault(Decoded.Refused fault) {
        owner.listener().onProtocolFault(this, fault);
        link.send(new Message.Refused(fault.fault().wireName(), fault.inWords()));
        leaving.refuse(fault);
        // The worker may well not read: it is told if its socket takes it, and closed either way.
        link.closeAtEndOfTurn();
    }

    /**
     * Ends a drain if the worker holds nothing any more. The worker then sees the end of our
     * output, and closes; if it does not, we close.
     */
    private void closeIfDrained() {
        if (leaving.endDrain(owner.limits().cancelGrace())) {
            heartbeat.stop();
            link.endOutput();
        }
    }
}
