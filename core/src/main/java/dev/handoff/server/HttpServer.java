package dev.handoff.server;

import dev.handoff.http.Refusal;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.server.forwarding.TrustedProxies;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.x server.
 *
 * <pre>{@code
 * HttpServer server = HttpServer.builder(Handler.blocking(request -> Response.text(200, "hello\n")))
 *         .port(8080)
 *         .build();
 * server.start();
 * }</pre>
 *
 * <p>It accepts on one event loop and gives each connection to the loop that has the fewest.
 * Methods may be called from any thread.
 */
public final class HttpServer {
    /** What the kernel may hold for us; it cuts this to its own limit. */
    private static final int ACCEPT_BACKLOG = 4096;

    private final Builder options;
    private @Nullable RunningServer running;

    private HttpServer(Builder options) {
        this.options = options;
    }

    /** A server on port 0 of the loopback address, with default limits, unless told otherwise. */
    public static Builder builder(Handler handler) {
        return new Builder(handler);
    }

    /**
     * Binds the port, unless it was given a {@link Builder#listening listening channel}, and begins
     * to accept.
     *
     * @throws IOException if the address cannot be bound, or the channel is not bound to a TCP port
     * @throws IllegalStateException if it was started before
     */
    public synchronized void start() throws IOException {
        if (running != null) {
            throw new IllegalStateException("a server starts once");
        }
        if (options.listening != null) {
            running = RunningServer.start(options, checked(options.listening));
            return;
        }
        ServerSocketChannel listening = ServerSocketChannel.open();
        try {
            listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listening.bind(wantedAddress(), ACCEPT_BACKLOG);
            running = RunningServer.start(options, listening);
        } catch (IOException | RuntimeException failure) {
            listening.close();
            throw failure;
        }
    }

    /** The port it is bound to, also when it was asked for port 0. */
    public int port() {
        return address().getPort();
    }

    /** What it is bound to. */
    public InetSocketAddress address() {
        return running().address();
    }

    /** What its clients may use. */
    public ServerLimits limits() {
        return options.limits;
    }

    /** What its answers have, those that come included. */
    public ResponseRoom responseRoom() {
        return options.responseRoom();
    }

    /** How many connections are open. */
    public int connections() {
        return running().connections();
    }

    /** How much one of its loops has to do; to be asked on that loop, by its number from 0. */
    public ServerLoad load(int loop) {
        return running().load(loop);
    }

    /**
     * Accepts no more, and lets the requests in hand finish: their answers say {@code Connection:
     * close}. What is still open after {@code limit} is closed. Then the server is stopped.
     *
     * @return completes when no connection is left
     */
    public CompletableFuture<Void> drain(Duration limit) {
        return running().drain(limit);
    }

    /** Closes everything at once; requests in hand are abandoned. Returns without waiting. */
    public void stop() {
        running().stop();
    }

    private InetSocketAddress wantedAddress() throws UnknownHostException {
        InetSocketAddress address = new InetSocketAddress(options.host, options.port);
        if (address.isUnresolved()) {
            throw new UnknownHostException(options.host);
        }
        return address;
    }

    private static ServerSocketChannel checked(ServerSocketChannel given) throws IOException {
        SocketAddress bound = given.getLocalAddress();
        if (bound instanceof InetSocketAddress address && address.getPort() > 0) {
            return given;
        }
        throw new IOException("the channel to listen on is not bound to a TCP port: " + bound);
    }

    private synchronized RunningServer running() {
        if (running == null) {
            throw new IllegalStateException("the server is not started");
        }
        return running;
    }

    /** What a server is made with. */
    public static final class Builder {
        final Handler handler;
        String host = "127.0.0.1";
        int port;
        @Nullable ServerSocketChannel listening;
        int loopCount = EventLoops.defaultCount();
        @Nullable EventLoops sharedLoops;
        ServerLimits limits = ServerLimits.builder().build();
        ServerListener listener = ServerListener.NONE;
        Clock clock = Clock.SYSTEM;
        boolean displacing;
        @Nullable TrustedProxies trustedProxies;
        boolean requestIds;
        Map<Refusal, String> limitNames = Map.of();
        private @Nullable ResponseRoom responseRoom;

        private Builder(Handler handler) {
            this.handler = handler;
        }

        /** The name or address to listen on; {@code 0.0.0.0} or {@code ::} for all. */
        public Builder host(String value) {
            host = value;
            return this;
        }

        /** The port to listen on; 0 for any that is free. */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /**
         * A channel to accept on in place of a host and a port, bound to a TCP port and listening.
         * It stays the caller's: the server makes it non-blocking, and never closes it. So a socket
         * that several processes share outlives each of them, and the connections that no one has
         * accepted yet wait for the next.
         */
        public Builder listening(ServerSocketChannel value) {
            listening = value;
            return this;
        }

        /** How many event loops the server starts for itself. */
        public Builder loops(int count) {
            loopCount = count;
            return this;
        }

        /** Event loops that are shared with others, and that the server does not stop. */
        public Builder loops(EventLoops shared) {
            sharedLoops = shared;
            return this;
        }

        public Builder limits(ServerLimits value) {
            limits = value;
            return this;
        }

        public Builder listener(ServerListener value) {
            listener = value;
            return this;
        }

        /**
         * Whose word is taken for where a request comes from. Without this the peer is the client,
         * and {@code Forwarded} and {@code X-Forwarded-…} are fields like any others.
         */
        public Builder trustedProxies(TrustedProxies value) {
            trustedProxies = value;
            return this;
        }

        /**
         * Has each request without a usable {@code X-Request-Id} get one, as a field that the
         * handler sees; and every answer tells the client its request's id, in the same field.
         */
        public Builder requestIds(boolean wanted) {
            requestIds = wanted;
            return this;
        }

        /**
         * What the limit that a refusal comes from is called and is set to, which the client is
         * told in brackets: somebody has to find it. The server itself knows of no options.
         */
        public Builder limitNames(Map<Refusal, String> names) {
            limitNames = Map.copyOf(names);
            return this;
        }

        /**
         * The room that this server's answers share with those that its handler has not whole yet.
         * Without this it is the server's own.
         */
        public Builder responseRoom(ResponseRoom shared) {
            responseRoom = shared;
            return this;
        }

        ResponseRoom responseRoom() {
            if (responseRoom == null) {
                responseRoom = limits.newResponseRoom();
            }
            return responseRoom;
        }

        /** The clock of the loops that the server starts for itself. */
        public Builder clock(Clock value) {
            clock = value;
            return this;
        }

        /**
         * What comes when as many connections are open as may be: a new one does not wait, but
         * takes the place of the one whose last request came longest ago, of those that owe no
         * answer if there is one. For servers that have few clients and must be reached by all of
         * them; it gives a loop of its own to whoever floods it, but never all places.
         */
        public Builder displacing() {
            displacing = true;
            return this;
        }

        public HttpServer build() {
            return new HttpServer(this);
        }
    }
}
