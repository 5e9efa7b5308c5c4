package dev.handoff.server;

import dev.handoff.loop.Acceptor;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
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
    private final int connectionLimit;
    private final ServerListener listener;
    private final EventLoops loops;
    private final boolean displacing;
    private final boolean ownsLoops;
    private final boolean borrowsListening;
    private final List<ServerLoop> serverLoops;
    private final CompletableFuture<Void> lastConnectionClosed = new CompletableFuture<>();
    private volatile boolean acceptingPaused;
    private volatile boolean ending;

    /** Belongs to the first loop. */
    private @Nullable Acceptor acceptor;

    private RunningServer(HttpServer.Builder options, InetSocketAddress address)
            throws IOException {
        this.address = address;
        this.connectionLimit = options.limits.connections();
        this.listener = options.listener;
        this.displacing = options.displacing;
        this.ownsLoops = options.sharedLoops == null;
        this.borrowsListening = options.listening != null;
        this.loops = options.sharedLoops == null ? startLoops(options) : options.sharedLoops;
        AnswerRoom answerRoom = options.answerRoom();
        this.serverLoops =
                IntStream.range(0, loops.count())
                        .mapToObj(i ->
                                new ServerLoop(
                                        loops.get(i),
                                        options,
                                        options.listener.forLoop(i),
                                        options.limits.bufferedBytes() / loops.count(),
                                        answerRoom,
                                        this::connectionClosed))
                        .toList();
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
        int sum = 0;
        for (ServerLoop loop : serverLoops) {
            sum += loop.connectionCount();
        }
        return sum;
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

    private EventLoop acceptorLoop() {
        return loops.get(0);
    }

    private void accept(ServerSocketChannel listening) {
        try {
            acceptor =
                    borrowsListening
                            ? Acceptor.borrowing(acceptorLoop(), listening, this::accepted)
                            : new Acceptor(acceptorLoop(), listening, this::accepted);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void accepted(SocketChannel channel) {
        ServerLoop fewest = serverLoops.getFirst();
        for (ServerLoop candidate : serverLoops) {
            if (candidate.connectionCount() < fewest.connectionCount()) {
                fewest = candidate;
            }
        }
        ServerLoop chosen = fewest;
        chosen.expectConnection();
        int open = connections();
        if (displacing) {
            chosen.loop().run(() -> openInPlaceOfAnother(channel, chosen));
        } else {
            if (open >= connectionLimit) {
                pauseAccepting();
            }
            chosen.loop().run(() -> chosen.open(channel));
        }
        listener.onAccepted(open);
    }

    private void openInPlaceOfAnother(SocketChannel channel, ServerLoop chosen) {
        if (connections() > connectionLimit) {
            chosen.displaceOne();
        }
        chosen.open(channel);
    }

    private void pauseAccepting() {
        if (acceptor != null && !acceptingPaused) {
            acceptingPaused = true;
            acceptor.pause();
            listener.onAcceptPaused();
        }
        // A connection may have closed on another loop just before the pause was visible there.
        resumeAcceptingBelowLimit();
    }

    private void resumeAcceptingBelowLimit() {
        if (acceptor != null && acceptingPaused && connections() < connectionLimit) {
            acceptingPaused = false;
            acceptor.resume();
            listener.onAcceptResumed();
        }
    }

    /** Called on the loop of the connection. */
    private void connectionClosed() {
        if (acceptingPaused) {
            acceptorLoop().execute(this::resumeAcceptingBelowLimit);
        }
        if (ending && connections() == 0) {
            lastConnectionClosed.complete(null);
        }
    }

    /** Behind the tasks that open what was accepted before, so that none is left out. */
    private void beginEnding(Consumer<Connection> action) {
        closeAcceptor();
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

    private void closeAcceptor() {
        if (acceptor != null) {
            acceptor.close();
            acceptor = null;
        }
    }

    private void forEachConnection(Consumer<Connection> action) {
        for (ServerLoop server : serverLoops) {
            server.loop().execute(() -> server.forEachConnection(action));
        }
    }
}
