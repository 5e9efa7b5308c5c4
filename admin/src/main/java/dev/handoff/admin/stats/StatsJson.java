package dev.handoff.admin.stats;

import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLimits;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The JSON of {@code /stats}: what a window counted, and what the server is. */
final class StatsJson {
    private final HttpServer server;
    private final Supplier<List<ServedCertificate>> certificates;
    private final String version;
    private final BooleanSupplier draining;
    private final ProcessHandle process = ProcessHandle.current();

    StatsJson(ObservedServer observed, String version, BooleanSupplier draining) {
        this.server = observed.server();
        this.certificates = observed.certificates();
        this.version = version;
        this.draining = draining;
    }

    JsonObject of(Window window) {
        ServerSnapshot now = window.now();
        JsonArrayBuilder pools = JsonBuilders.array();
        JsonArrayBuilder workers = JsonBuilders.array();
        now.pools()
                .forEach(pool -> {
                    pools.add(PoolStats.of(pool, window));
                    PoolStats.workers(pool, window).forEach(workers::add);
                });
        return JsonBuilders.object()
                .add("server", server(now))
                .add("tls", tls())
                .add("window", window(window))
                .add("limits", limits())
                .add("connections", ServerStats.connections(window))
                .add("requests", ServerStats.requests(window))
                .add("streams", ServerStats.streams(window))
                .add("webSockets", ServerStats.webSockets(window))
                .add("recent", ServerStats.recent(window.recent()))
                .add("buffers", ServerStats.buffers(window, server.limits().bufferedBytes()))
                .add("spool", ServerStats.spool(window, server.spool()))
                .add("refusedRequests", JsonValues.counts(window.counts().refused()))
                .add("pools", pools)
                .add("retiring", PoolStats.retiring(now.retiring()))
                .add("workers", workers)
                .add("loops", ServerStats.loops(window))
                .build();
    }

    private JsonObjectBuilder server(ServerSnapshot now) {
        Instant startedAt = process.info().startInstant().orElse(now.takenAt());
        return JsonBuilders.object()
                .add("name", "Handoff")
                .add("version", version)
                .add("pid", process.pid())
                .add("startedAt", JsonValues.time(startedAt))
                .add(
                        "uptimeSeconds",
                        JsonValues.rounded(seconds(Duration.between(startedAt, now.takenAt()))))
                .add("state", draining.getAsBoolean() ? "draining" : "serving")
                .add("listening", texts(server.addressTexts()));
    }

    private JsonObjectBuilder tls() {
        JsonArrayBuilder shown = JsonBuilders.array();
        for (ServedCertificate each : certificates.get()) {
            shown.add(
                    JsonBuilders.object()
                            .add("file", each.file())
                            .add("names", texts(each.names()))
                            .add("validFrom", JsonValues.time(each.validFrom()))
                            .add("expiresAt", JsonValues.time(each.expiresAt())));
        }
        return JsonBuilders.object()
                .add("listening", texts(server.tlsAddressTexts()))
                .add("certificates", shown);
    }

    private static JsonArrayBuilder texts(List<String> texts) {
        JsonArrayBuilder array = JsonBuilders.array();
        texts.forEach(array::add);
        return array;
    }

    private static JsonObjectBuilder window(Window window) {
        JsonObjectBuilder json =
                JsonBuilders.object()
                        .add("resets", window.resets())
                        .add("resetAt", JsonValues.time(window.resetAt()));
        Instant endedAt = window.endedAt();
        if (endedAt == null) {
            json.addNull("endedAt");
        } else {
            json.add("endedAt", JsonValues.time(endedAt));
        }
        return json.add("seconds", JsonValues.rounded(window.seconds()));
    }

    private JsonObjectBuilder limits() {
        ServerLimits limits = server.limits();
        return JsonBuilders.object()
                .add("connections", limits.connections())
                .add("connectionsPerClient", limits.connectionsPerClient())
                .add("pipelinedRequests", limits.pipelinedRequests())
                .add("bufferedBytes", limits.bufferedBytes())
                .add("targetBytes", limits.request().targetBytes())
                .add("headBytes", limits.request().headBytes())
                .add("fields", limits.request().fields())
                .add("bodyBytes", limits.request().bodyBytes())
                .add("headerTimeoutSeconds", seconds(limits.headerTimeout()))
                .add("bodyTimeoutSeconds", seconds(limits.bodyTimeout()))
                .add("minBodyRate", limits.minBodyRate())
                .add("idleTimeoutSeconds", seconds(limits.idleTimeout()))
                .add("writeTimeoutSeconds", seconds(limits.writeTimeout()))
                .add("requestTimeoutSeconds", seconds(limits.requestTimeout()))
                .add("streamIdleTimeoutSeconds", seconds(limits.streamIdleTimeout()))
                .add("messageBytes", limits.messageBytes());
    }

    private static double seconds(Duration length) {
        return length.toMillis() / 1e3;
    }
}
