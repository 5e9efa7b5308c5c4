package dev.handoff.admin;

import dev.handoff.loop.EventLoops;
import dev.handoff.process.WorkerPool;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerListener;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** The admin listener: the HTTP core serving {@link AdminHandler}, on one loop of its own. */
public final class AdminServer {
    /** Operators and scrapers are few; a flood of them must not take the descriptors. */
    private static final int MOST_CONNECTIONS = 100;

    /** A place that is not used goes to the next, soon: health checks must get one. */
    private static final Duration IDLE = Duration.ofSeconds(5);

    private final HttpServer http;
    private final Health health;

    private AdminServer(HttpServer http, Health health) {
        this.http = http;
        this.health = health;
    }

    /**
     * Starts to serve.
     *
     * @param port 0 for any that is free
     * @param loops whose turning is what {@code /live} tells
     * @param pools those of the moment, in the order in which they are shown
     * @param listener hears what goes wrong between the admin server and its clients
     * @throws IOException if the address cannot be bound
     */
    public static AdminServer start(
            String host,
            int port,
            EventLoops loops,
            Supplier<List<WorkerPool>> pools,
            ServerListener listener)
            throws IOException {
        Health health = new Health(loops, pools);
        HttpServer http =
                HttpServer.builder(new AdminHandler(health, pools))
                        .host(host)
                        .port(port)
                        .loops(1)
                        .listener(listener)
                        .limits(
                                ServerLimits.builder()
                                        .connections(MOST_CONNECTIONS)
                                        .idle(IDLE)
                                        .headerRead(IDLE)
                                        .build())
                        .build();
        http.start();
        return new AdminServer(http, health);
    }

    public int port() {
        return http.port();
    }

    /** Tells whoever asks that the server is not ready any more. */
    public void beginDraining() {
        health.beginDraining();
    }

    /** Closes everything at once: admin works during a drain, and ends after it. */
    public void stop() {
        http.stop();
    }
}
