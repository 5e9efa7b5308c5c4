package dev.handoff.admin;

import dev.handoff.loop.EventLoops;
import dev.handoff.process.WorkerPool;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLimits;
import java.io.IOException;
import java.util.List;

/** The admin listener: the HTTP core serving {@link AdminHandler}, on one loop of its own. */
public final class AdminServer {
    /** Operators and scrapers are few; a flood of them must not take the descriptors. */
    private static final int MOST_CONNECTIONS = 100;

    private final HttpServer http;

    private AdminServer(HttpServer http) {
        this.http = http;
    }

    /**
     * Starts to serve.
     *
     * @param port 0 for any that is free
     * @param loops whose turning is what {@code /live} tells
     * @param pools in the order in which they are shown
     * @throws IOException if the address cannot be bound
     */
    public static AdminServer start(String host, int port, EventLoops loops, List<WorkerPool> pools)
            throws IOException {
        HttpServer http =
                HttpServer.builder(new AdminHandler(new Health(loops, pools), pools))
                        .host(host)
                        .port(port)
                        .loops(1)
                        .limits(ServerLimits.builder().connections(MOST_CONNECTIONS).build())
                        .build();
        http.start();
        return new AdminServer(http);
    }

    public int port() {
        return http.port();
    }

    /** Closes everything at once: admin works during a drain, and ends after it. */
    public void stop() {
        http.stop();
    }
}
