package dev.handoff.server;

import dev.handoff.http.Refusal;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import dev.handoff.server.forwarding.TrustedProxies;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How an {@link HttpServer} is started: with a handler on a free port of the loopback address with
 * default limits, unless something else is said. Immutable; each method returns another value. Any
 * thread.
 */
public final class ServerOptions {
    final Handler handler;
    String host = "127.0.0.1";
    int port;
    List<Listening> listening = List.of();
    int loopCount = EventLoops.defaultCount();
    @Nullable EventLoops sharedLoops;
    ServerLimits limits = ServerLimits.DEFAULT;
    ServerListener listener = ServerListener.NONE;
    Clock clock = Clock.SYSTEM;
    boolean evictsForNewcomers;
    @Nullable TrustedProxies trustedProxies;
    boolean requestIds;
    Map<Refusal, String> limitNames = Map.of();
    @Nullable ResponseRoom responseRoom;
    @Nullable Spool spool;
    ToIntFunction<EventLoop> otherWork = loop -> 0;

    private ServerOptions(Handler handler) {
        this.handler = handler;
    }

    private ServerOptions(ServerOptions other, Consumer<ServerOptions> change) {
        handler = other.handler;
        host = other.host;
        port = other.port;
        listening = other.listening;
        loopCount = other.loopCount;
        sharedLoops = other.sharedLoops;
        limits = other.limits;
        listener = other.listener;
        clock = other.clock;
        evictsForNewcomers = other.evictsForNewcomers;
        trustedProxies = other.trustedProxies;
        requestIds = other.requestIds;
        limitNames = other.limitNames;
        responseRoom = other.responseRoom;
        spool = other.spool;
        otherWork = other.otherWork;
        change.accept(this);
    }

    public static ServerOptions of(Handler handler) {
        return new ServerOptions(handler);
    }

    /** The name or address to listen on; {@code 0.0.0.0} or {@code ::} for all. */
    public ServerOptions withHost(String value) {
        return new ServerOptions(this, copy -> copy.host = value);
    }

    /** The port to listen on; 0 for any that is free. */
    public ServerOptions withPort(int value) {
        return new ServerOptions(this, copy -> copy.port = value);
    }

    /** Where to accept, in place of a host and a port. It becomes the server's. */
    public ServerOptions withListening(List<Listening> places) {
        return new ServerOptions(this, copy -> copy.listening = List.copyOf(places));
    }

    /**
     * A channel to accept on in place of a host and a port.
     *
     * @throws IOException if it is bound to nothing, or to no TCP port
     * @see Listening#borrowing
     */
    public ServerOptions withListening(ServerSocketChannel borrowed) throws IOException {
        return withListening(List.of(Listening.borrowing(borrowed)));
    }

    /** How many event loops the server starts for itself, and stops with itself. */
    public ServerOptions withLoops(int count) {
        return new ServerOptions(this, copy -> copy.loopCount = count);
    }

    /** Event loops that are shared with others. The server does not stop them. */
    public ServerOptions withLoops(EventLoops shared) {
        return new ServerOptions(this, copy -> copy.sharedLoops = shared);
    }

    public ServerOptions withLimits(ServerLimits value) {
        return new ServerOptions(this, copy -> copy.limits = value);
    }

    public ServerOptions withListener(ServerListener value) {
        return new ServerOptions(this, copy -> copy.listener = value);
    }

    /** The clock of the loops that the server starts for itself. */
    public ServerOptions withClock(Clock value) {
        return new ServerOptions(this, copy -> copy.clock = value);
    }

    /**
     * The proxies that are believed about where a request comes from. Without this the peer is the
     * client, and {@code Forwarded} and {@code X-Forwarded-…} are fields like any others.
     */
    public ServerOptions withTrustedProxies(TrustedProxies value) {
        return new ServerOptions(this, copy -> copy.trustedProxies = value);
    }

    /**
     * Whether each request without a usable {@code X-Request-Id} gets one, as a field that the
     * handler sees. Every response then tells the client its request's id, in the same field.
     */
    public ServerOptions withRequestIds(boolean wanted) {
        return new ServerOptions(this, copy -> copy.requestIds = wanted);
    }

    /**
     * The name and the value of the option that a refusal comes from. The client is told them in
     * brackets; the server itself knows of no options.
     */
    public ServerOptions withLimitNames(Map<Refusal, String> names) {
        return new ServerOptions(this, copy -> copy.limitNames = Map.copyOf(names));
    }

    /**
     * The room that this server's responses share with those of which its handler has only a part
     * yet. Without this the server makes its own, of the size that its limits say.
     */
    public ServerOptions withResponseRoom(ResponseRoom shared) {
        return new ServerOptions(this, copy -> copy.responseRoom = shared);
    }

    /**
     * Where the content of large requests waits until it is whole, and until its response has left.
     * Without this all of it stays in memory.
     */
    public ServerOptions withSpool(Spool shared) {
        return new ServerOptions(this, copy -> copy.spool = shared);
    }

    /**
     * What a loop has to do besides its connections, so that it gets fewer of them: in thousandths
     * of what all connections of the server cost. A loop that answers 230 counts as if it had 23
     * more connections while 100 are open.
     *
     * @param value is asked for each new connection, on the loop that accepts
     */
    public ServerOptions withOtherWork(ToIntFunction<EventLoop> value) {
        return new ServerOptions(this, copy -> copy.otherWork = value);
    }

    /**
     * When as many connections are open as may be, a new one does not wait: it takes the place of
     * the one whose last request came longest ago, of those that owe no response if there is one.
     * For servers that have few clients and must be reached by all of them. A flood gets the
     * server's time, but never all places.
     */
    public ServerOptions evictingForNewcomers() {
        return new ServerOptions(this, copy -> copy.evictsForNewcomers = true);
    }
}
