package dev.handoff.admin;

import dev.handoff.admin.api.ApiHandler;
import dev.handoff.admin.api.Endpoint;
import dev.handoff.admin.api.ServerApi;
import dev.handoff.admin.api.ServerOperations;
import dev.handoff.admin.page.Page;
import dev.handoff.http.ParserLimits;
import dev.handoff.loop.EventLoops;
import dev.handoff.process.WorkerPool;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerListener;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The admin listener: the HTTP core serving the admin endpoints, on one loop of its own. */
public final class AdminServer {
    /** Operators and scrapers are few; a flood of them must not take the descriptors. */
    private static final int MOST_CONNECTIONS = 100;

    private static final int MOST_BODY_BYTES = 64 * 1024;
    private static final int MOST_PIPELINED = 8;
    private static final long MOST_BUFFERED_BYTES = 16 * 1024 * 1024;

    /** A place that is not used goes to the next, soon: health checks must get one. */
    private static final Duration IDLE = Duration.ofSeconds(5);

    /** Longer than any endpoint lets its caller wait. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(90);

    private final HttpServer http;
    private final ServerApi api;
    private final List<Endpoint> endpoints;

    private AdminServer(HttpServer http, ServerApi api, List<Endpoint> endpoints) {
        this.http = http;
        this.api = api;
        this.endpoints = List.copyOf(endpoints);
    }

    /**
     * Starts to serve.
     *
     * @param loops whose turning is what {@code /live} tells
     * @param pools those of the moment, in the order in which they are shown
     * @param version of the server
     * @param listener hears what goes wrong between the admin server and its clients
     * @throws IOException if the address cannot be bound
     */
    public static AdminServer start(
            AdminOptions options,
            EventLoops loops,
            Supplier<List<WorkerPool>> pools,
            ServerOperations operations,
            String version,
            ServerListener listener)
            throws IOException {
        ServerApi api = new ServerApi(loops, pools, operations, version);
        List<Endpoint> endpoints = new ArrayList<>(api.endpoints());
        endpoints.addAll(Page.endpoints());
        HttpServer http =
                HttpServer.builder(new ApiHandler(options.host(), options.token(), endpoints))
                        .host(options.host())
                        .port(options.port())
                        .loops(1)
                        .listener(listener)
                        .limits(limits())
                        .displacing()
                        .build();
        http.start();
        return new AdminServer(http, api, endpoints);
    }

    public int port() {
        return http.port();
    }

    /** All that it can be asked and told. */
    public List<Endpoint> endpoints() {
        return endpoints;
    }

    /** Tells whoever asks that the server is not ready any more. */
    public void beginDraining() {
        api.beginDraining();
    }

    /** Closes everything at once: admin works during a drain, and ends after it. */
    public void stop() {
        http.stop();
    }

    private static ServerLimits limits() {
        ParserLimits usual = ParserLimits.DEFAULT;
        return ServerLimits.builder()
                .request(
                        new ParserLimits(
                                usual.targetBytes(),
                                usual.headBytes(),
                                usual.fields(),
                                MOST_BODY_BYTES))
                .connections(MOST_CONNECTIONS)
                .pipelinedRequests(MOST_PIPELINED)
                .bufferedBytes(MOST_BUFFERED_BYTES)
                .headerRead(IDLE)
                .bodyRead(IDLE)
                .idle(IDLE)
                .writeStall(IDLE)
                .requestTimeout(REQUEST_TIMEOUT)
                .build();
    }
}
