package dev.handoff.admin;

import dev.handoff.admin.api.ApiHandler;
import dev.handoff.admin.api.Endpoint;
import dev.handoff.admin.api.RefusedCalls;
import dev.handoff.admin.api.ServerApi;
import dev.handoff.admin.api.ServerOperations;
import dev.handoff.admin.metrics.Metrics;
import dev.handoff.admin.page.Page;
import dev.handoff.admin.stats.ObservedServer;
import dev.handoff.admin.stats.Statistics;
import dev.handoff.admin.stats.StatsApi;
import dev.handoff.http.ParserLimits;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import dev.handoff.server.BothServerListeners;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerOptions;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The admin listener: the HTTP core serving the admin endpoints, on one loop of its own. */
public final class AdminServer {
    private static final int MOST_BODY_BYTES = 64 * 1024;

    /** No client of the admin pipelines; a flood that does would delay probes. */
    private static final int MOST_PIPELINED = 1;

    private static final long MOST_BUFFERED_BYTES = 16 * 1024 * 1024;

    /** An unused connection ends soon, so that health checks get one. */
    private static final Duration IDLE = Duration.ofSeconds(5);

    /** Longer than any endpoint lets its caller wait. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(90);

    private final ServerOptions serverOptions;
    private final EventLoop loop;
    private final ServerApi api;
    private final ApiHandler handler;
    private final List<Endpoint> endpoints;
    private volatile @Nullable HttpServer http;

    private AdminServer(
            ServerOptions serverOptions,
            EventLoop loop,
            ServerApi api,
            ApiHandler handler,
            List<Endpoint> endpoints) {
        this.handler = handler;
        this.serverOptions = serverOptions;
        this.loop = loop;
        this.api = api;
        this.endpoints = List.copyOf(endpoints);
    }

    /**
     * Makes a server that counts already, but serves only once it is {@link #bind bound}.
     *
     * @param observed the server that it reports on
     * @param version of the server
     * @param listener hears what goes wrong between the admin server and its clients
     * @throws IOException if there are no descriptors for its loop
     */
    public static AdminServer prepare(
            AdminOptions options,
            ObservedServer observed,
            ServerOperations operations,
            String version,
            AdminListener listener)
            throws IOException {
        EventLoops own =
                EventLoops.start("handoff-admin", 1, Clock.SYSTEM, listener.ofServersLoops());
        try {
            return on(own, options, observed, operations, version, listener);
        } catch (RuntimeException failure) {
            own.get(0).stop();
            throw failure;
        }
    }

    private static AdminServer on(
            EventLoops own,
            AdminOptions options,
            ObservedServer observed,
            ServerOperations operations,
            String version,
            AdminListener listener) {
        ServerApi api =
                new ServerApi(
                        observed.loops(),
                        observed.pools(),
                        observed.retiring(),
                        operations,
                        version);
        Statistics statistics = new Statistics(observed, own.get(0), InstantSource.system());
        List<Endpoint> endpoints = new ArrayList<>(api.endpoints());
        endpoints.addAll(new StatsApi(statistics, observed, version, api::isDraining).endpoints());
        RefusedCalls refused = new RefusedCalls(listener);
        endpoints.addAll(new Metrics(statistics, observed, refused, version).endpoints());
        endpoints.addAll(Page.endpoints());
        ApiHandler handler = new ApiHandler(options.host(), options.token(), endpoints, refused);
        ServerOptions serverOptions =
                ServerOptions.of(handler)
                        .withHost(options.host())
                        .withPort(options.port())
                        .withLoops(own)
                        .withListener(new BothServerListeners(listener, handler.connections()))
                        .withLimits(limits(options.connections()))
                        .evictingForNewcomers();
        return new AdminServer(serverOptions, own.get(0), api, handler, endpoints);
    }

    /**
     * Starts to serve.
     *
     * @throws IOException if the address cannot be bound; this may be tried again
     */
    public void bind() throws IOException {
        HttpServer started = HttpServer.start(serverOptions);
        handler.calledOn(started.port());
        http = started;
    }

    /** The port, once it is bound. */
    public int port() {
        return Objects.requireNonNull(http, "not bound").port();
    }

    /** All endpoints, those of the page too. */
    public List<Endpoint> endpoints() {
        return endpoints;
    }

    /** Makes {@code /ready} say that the server is draining. */
    public void beginDraining() {
        api.beginDraining();
    }

    /** Closes everything at once: admin works during a drain, and ends after it. */
    public void stop() {
        HttpServer started = http;
        if (started != null) {
            started.stop();
        }
        // Behind what closes the connections, which is two tasks, one from the other.
        loop.tryExecute(() -> loop.tryExecute(loop::stop));
    }

    private static ServerLimits limits(int connections) {
        ParserLimits usual = ParserLimits.DEFAULT;
        return ServerLimits.DEFAULT
                .withRequest(
                        new ParserLimits(
                                usual.targetBytes(),
                                usual.headBytes(),
                                usual.fields(),
                                MOST_BODY_BYTES))
                .withConnections(connections)
                .withPipelinedRequests(MOST_PIPELINED)
                .withBufferedBytes(MOST_BUFFERED_BYTES)
                .withHeaderTimeout(IDLE)
                .withBodyTimeout(IDLE)
                .withIdleTimeout(IDLE)
                .withWriteTimeout(IDLE)
                .withRequestTimeout(REQUEST_TIMEOUT);
    }
}
