package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.x server that runs.
 *
 * <pre>{@code
 * Handler hello = Handler.blocking(request -> Response.text(200, "hello\n"));
 * HttpServer server = HttpServer.start(ServerOptions.of(hello).withPort(8080));
 * }</pre>
 *
 * <p>It accepts on its first event loop and gives each connection to the loop that has the fewest.
 * Any thread may call its methods.
 */
public final class HttpServer {
    private final List<Listening> listening;
    private volatile ServerLimits limits;
    private final ResponseRoom responseRoom;
    private final @Nullable Spool spool;
    private final EventLoops loops;
    private final boolean ownsLoops;
    private final List<ServerLoop> serverLoops;
    private final CompletableFuture<Void> lastConnectionClosed = new CompletableFuture<>();
    private final ConnectionAdmission admission;
    private volatile boolean ending;

    private HttpServer(ServerOptions options, List<Listening> listening) throws IOException {
        this.listening = listening;
        this.limits = options.limits;
        this.spool = options.spool;
        this.responseRoom =
                options.responseRoom == null ? limits.newResponseRoom() : options.responseRoom;
        this.ownsLoops = options.sharedLoops == null;
        this.loops = options.sharedLoops == null ? startLoops(options) : options.sharedLoops;
        ClientLimit clientLimit = clientLimit(options);
        this.serverLoops =
                IntStream.range(0, loops.count())
                        .mapToObj(i ->
                                new ServerLoop(
                                        new LoopContext(
                                                loops.get(i),
                                                options,
                                                options.listener.forLoop(i),
                                                clientLimit,
                                                limits.bufferedBytes() / loops.count(),
                                                responseRoom),
                                        options.evictsForNewcomers,
                                        this::connectionClosed))
                        .toList();
        this.admission = new ConnectionAdmission(options, serverLoops, clientLimit);
    }

    /**
     * Binds the port, unless the options have {@linkplain ServerOptions#withListening other
     * places}, and accepts when this returns.
     *
     * @throws IOException if the address cannot be bound
     * @throws java.util.concurrent.RejectedExecutionException if the shared loops have stopped
     */
    public static HttpServer start(ServerOptions options) throws IOException {
        List<Listening> places =
                options.listening.isEmpty()
                        ? List.of(Listening.on(new InetSocketAddress(options.host, options.port)))
                        : options.listening;
        try {
            return start(options, places);
        } catch (IOException | RuntimeException failure) {
            for (Listening each : places) {
                each.close();
            }
            throw failure;
        }
    }

    private static HttpServer start(ServerOptions options, List<Listening> places)
            throws IOException {
        HttpServer server = new HttpServer(options, places);
        try {
            CompletableFuture.runAsync(server::accept, server.acceptorLoop()).join();
        } catch (CompletionException failure) {
            server.stop();
            throw new IOException("cannot accept on " + server.addresses(), failure.getCause());
        }
        return server;
    }

    /** The first TCP port it is bound to, also when it was asked for port 0; 0 if it has none. */
    public int port() {
        return addresses().stream()
                .mapToInt(each -> each instanceof InetSocketAddress inet ? inet.getPort() : 0)
                .filter(each -> each > 0)
                .findFirst()
                .orElse(0);
    }

    /** Where it listens, in the order of the options. */
    public List<SocketAddress> addresses() {
        return listening.stream().map(Listening::address).toList();
    }

    /** The same, for people: {@code 127.0.0.1:8080}, {@code unix:/run/http.sock}. */
    public List<String> addressTexts() {
        return listening.stream().map(Listening::toString).toList();
    }

    /** What the {@linkplain Listening#name places} are called, in the same order. */
    public List<String> placeNames() {
        return listening.stream().map(Listening::name).toList();
    }

    /** Those of them where clients have to speak TLS. */
    public List<String> tlsAddressTexts() {
        return listening.stream().filter(Listening::hasTls).map(Listening::toString).toList();
    }

    /** The limits on its clients. */
    public ServerLimits limits() {
        return limits;
    }

    /**
     * Changes how many connections may be open. Where more are, those that are silent end one after
     * the other, and the others stay until they end by themselves.
     *
     * @param most at least 1
     */
    public void limitConnections(int most) {
        limits = limits.withConnections(most);
        acceptorLoop().tryExecute(() -> admission.limit(most));
    }

    /** The room for its responses, those that still come included. */
    public ResponseRoom responseRoom() {
        return responseRoom;
    }

    /** Where the content of its large requests waits; null where all of it stays in memory. */
    public @Nullable Spool spool() {
        return spool;
    }

    /** How many connections are open, or on their way to their loop. */
    public int connections() {
        return admission.connections();
    }

    /**
     * How much one of its loops has to do. Only that loop's thread may ask.
     *
     * @param loop the loop's number, from 0
     */
    public ServerLoad load(int loop) {
        return serverLoops.get(loop).load();
    }

    /**
     * Accepts those that have connected already, and nobody else. Lets the requests in hand finish:
     * their responses say {@code Connection: close}. Responses in pieces that go on are cut off one
     * after the other in the last sixth of {@code limit}, and 5 s at most, so that their clients do
     * not all return at once. Closes what is still open after {@code limit}. Then the server is
     * stopped.
     *
     * @return completes when no connection is left
     */
    public CompletableFuture<Void> drain(Duration limit) {
        long limitNanos = limit.toNanos();
        if (!acceptorLoop().tryExecute(() -> beginDraining(limitNanos))) {
            // The loops have stopped, and have closed all connections.
            lastConnectionClosed.complete(null);
        }
        return lastConnectionClosed
                .copy()
                .completeOnTimeout(null, limitNanos, TimeUnit.NANOSECONDS)
                .thenRun(this::stop)
                .thenCompose(stopped -> lastConnectionClosed);
    }

    /**
     * Closes everything at once, and abandons the requests in hand. Returns without waiting. Does
     * nothing once the server, or its loops, have stopped.
     */
    public void stop() {
        acceptorLoop().tryExecute(this::beginStopping);
    }

    private static EventLoops startLoops(ServerOptions options) throws IOException {
        return EventLoops.start(
                "handoff-loop",
                options.loopCount,
                options.clock,
                options.listener.ofServersLoops());
    }

    private static @Nullable ClientLimit clientLimit(ServerOptions options) {
        int most = options.limits.connectionsPerClient();
        return most == 0 ? null : new ClientLimit(most, options.trustedProxies);
    }

    private EventLoop acceptorLoop() {
        return loops.get(0);
    }

    private void accept() {
        try {
            admission.begin(listening);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Runs on the loop of the connection. */
    private void connectionClosed() {
        admission.connectionClosed();
        if (ending && connections() == 0) {
            lastConnectionClosed.complete(null);
        }
    }

    private void beginDraining(long limitNanos) {
        admission.drain(() -> beginEnding(connection -> connection.drain(limitNanos)));
    }

    /** Runs behind the tasks that open what was accepted before, so that it leaves none out. */
    private void beginEnding(Consumer<Connection> action) {
        admission.end();
        ending = true;
        forEachConnection(action);
        if (connections() == 0) {
            lastConnectionClosed.complete(null);
        }
    }

    private void beginStopping() {
        beginEnding(Connection::stop);
        if (ownsLoops) {
            serverLoops.forEach(server -> server.loop().tryExecute(server.loop()::stop));
        }
    }

    private void forEachConnection(Consumer<Connection> action) {
        for (ServerLoop server : serverLoops) {
            server.loop().tryRun(() -> server.forEachConnection(action));
        }
    }
}
