package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An {@link HttpServer} that was started: its acceptor, on the first loop, and its connections, on
 * all of them.
 */
final class RunningServer {
    private final InetSocketAddress address;
    private final EventLoops loops;
    private final boolean ownsLoops;
    private final boolean borrowsListening;
    private final List<ServerLoop> serverLoops;
    private final CompletableFuture<Void> lastConnectionClosed = new CompletableFuture<>();
    private final Admission admission;
    private volatile boolean ending;

    private RunningServer(HttpServer.Builder options, InetSocketAddress address)
            throws IOException {
        this.address = address;
        this.ownsLoops = options.sharedLoops == null;
        this.borrowsListening = options.listening != null;
        this.loops = options.sharedLoops == null ? startLoops(options) : options.sharedLoops;
        ResponseRoom responseRoom = options.responseRoom();
        ClientLimit clientLimit = clientLimit(options);
        this.serverLoops =
                IntStream.range(0, loops.count())
                        .mapToObj(i ->
                                new ServerLoop(
                                        loops.get(i),
                                        options,
                                        options.listener.forLoop(i),
                                        clientLimit,
                                        options.limits.bufferedBytes() / loops.count(),
                                        responseRoom,
                                        this::connectionClosed))
                        .toList();
        this.admission = new Admission(options, serverLoops, clientLimit);
    }

    /**
     * Accepts on {@code listening}, which is bound, when this returns, and closes it at the end,
     * unless it is the one that the caller gave.
     */
    static RunningServer start(HttpServer.Builder options, ServerSocketChannel listening)
            throws IOException {
        InetSocketAddress address = (InetSocketAddress) listening.getLocalAddress();
        RunningServer server = new RunningServer(options, address);
        try {
            CompletableFuture.runAsync(() -> server.accept(listening), server.acceptorLoop())
                    .join();
        } catch (CompletionException failure) {
            server.stop();
            throw new IOException("cannot accept on " + address, failure.getCause());
        }
        return server;
    }

    InetSocketAddress address() {
        return address;
    }

    int connections() {
        return admission.connections();
    }

    ServerLoad load(int loop) {
        return serverLoops.get(loop).load();
    }

    CompletableFuture<Void> drain(Duration limit) {
        acceptorLoop().execute(() -> beginEnding(Connection::drain));
        return lastConnectionClosed
                .copy()
                .completeOnTimeout(null, limit.toNanos(), TimeUnit.NANOSECONDS)
                .thenRun(this::stop)
                .thenCompose(stopped -> lastConnectionClosed);
    }

    void stop() {
        acceptorLoop().execute(this::beginStopping);
    }

    private static EventLoops startLoops(HttpServer.Builder options) throws IOException {
        return EventLoops.start(
                "handoff-loop",
                options.loopCount,
                options.clock,
                options.listener.ofServersLoops());
    }

    private static @Nullable ClientLimit clientLimit(HttpServer.Builder options) {
        int most = options.limits.connectionsPerClient();
        return most == 0 ? null : new ClientLimit(most, options.trustedProxies);
    }

    private EventLoop acceptorLoop() {
        return loops.get(0);
    }

    private void accept(ServerSocketChannel listening) {
        try {
            admission.begin(listening, borrowsListening);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Called on the loop of the connection. */
    private void connectionClosed() {
        admission.connectionClosed();
        if (ending && connections() == 0) {
            lastConnectionClosed.complete(null);
        }
    }

    /** Behind the tasks that open what was accepted before, so that none is left out. */
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
            serverLoops.forEach(server -> server.loop().execute(server.loop()::stop));
        }
    }

    private void forEachConnection(Consumer<Connection> action) {
        for (ServerLoop server : serverLoops) {
            server.loop().execute(() -> server.forEachConnection(action));
        }
    }
}
