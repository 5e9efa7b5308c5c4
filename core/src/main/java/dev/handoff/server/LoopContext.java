package dev.handoff.server;

import dev.handoff.http.HttpDate;
import dev.handoff.http.Refusal;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.http.websocket.Compression;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.forwarding.Forwarding;
import dev.handoff.server.forwarding.Origin;
import dev.handoff.server.forwarding.TrustedProxies;
import java.net.SocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the connections of one loop share. Belongs to the loop's thread. */
final class LoopContext {
    private final EventLoop loop;
    private final Handler handler;
    private final ServerLimits limits;
    private final ServerListener listener;
    private final @Nullable ClientLimit clientLimit;
    private final @Nullable TrustedProxies trustedProxies;
    private final @Nullable RequestIds requestIds;
    private final Map<Refusal, String> limitNames;
    private final ResponseRoom responseRoom;
    private final BufferBudget budget;
    private final @Nullable Spool spool;
    private final TurnShare.OfLoop turnShares;
    private final Compression compression = new Compression();
    private final SilentClients silentClients = new SilentClients();
    private final SilentClients stalledClients = new SilentClients();
    private int active;
    private long dateSecond = -1;
    private byte[] date = new byte[0];

    /**
     * @param listener the loop's own
     * @param bufferedBytesLimit the loop's part of {@link ServerLimits#bufferedBytes}
     */
    LoopContext(
            EventLoop loop,
            ServerOptions options,
            ServerListener listener,
            @Nullable ClientLimit clientLimit,
            long bufferedBytesLimit,
            ResponseRoom responseRoom) {
        this.loop = loop;
        this.turnShares = new TurnShare.OfLoop(loop);
        this.handler = options.handler;
        this.limits = options.limits;
        this.listener = listener;
        this.clientLimit = clientLimit;
        this.trustedProxies = options.trustedProxies;
        this.requestIds = options.requestIds ? new RequestIds() : null;
        this.limitNames = options.limitNames;
        this.responseRoom = responseRoom;
        this.spool = options.spool;
        this.budget = new BufferBudget(bufferedBytesLimit, responseRoom);
    }

    EventLoop loop() {
        return loop;
    }

    Handler handler() {
        return handler;
    }

    ServerLimits limits() {
        return limits;
    }

    ServerListener listener() {
        return listener;
    }

    /** Null where the server sets no limit for one client. */
    @Nullable ClientLimit clientLimit() {
        return clientLimit;
    }

    ResponseRoom responseRoom() {
        return responseRoom;
    }

    BufferBudget budget() {
        return budget;
    }

    /** Compresses the messages of all WebSockets. */
    Compression compression() {
        return compression;
    }

    /** For content that is too large for memory; null where all of it stays there. */
    @Nullable Spool spool() {
        return spool;
    }

    /** The shares of a turn that all connections have together. */
    TurnShare.OfLoop turnShares() {
        return turnShares;
    }

    SilentClients silentClients() {
        return silentClients;
    }

    /** Those that have output to take, and since when they have taken none of it. */
    SilentClients stalledClients() {
        return stalledClients;
    }

    /** The limit that a refusal names in brackets; empty for none. */
    String limitName(Refusal refusal) {
        return limitNames.getOrDefault(refusal, "");
    }

    /** Judges what a peer says about proxies; null if the server trusts none. */
    @Nullable Forwarding forwarding(SocketAddress peer, Origin ofPeer) {
        return trustedProxies == null ? null : new Forwarding(trustedProxies, peer, ofPeer);
    }

    /** The request with an id, if the server gives ids. */
    Request withId(Request request) {
        return requestIds == null ? request : requestIds.named(request);
    }

    /** The response with its request's id, if the server tells clients. */
    Response withId(@Nullable String requestId, Response response) {
        return requestIds == null ? response : RequestIds.echo(requestId, response);
    }

    /** Counts the connections that have something to do. */
    void activeChanged(int by) {
        active += by;
    }

    ServerLoad load() {
        return new ServerLoad(active, budget.bytes());
    }

    /** The value of the Date field, formatted once a second (RFC 9110 section 6.6.1). */
    byte[] date() {
        long second = loop.clock().epochSeconds();
        if (second != dateSecond) {
            dateSecond = second;
            date = HttpDate.format(second);
        }
        return date;
    }
}
