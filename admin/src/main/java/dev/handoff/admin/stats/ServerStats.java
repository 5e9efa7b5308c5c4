package dev.handoff.admin.stats;

import dev.handoff.server.Spool;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObjectBuilder;
import org.jspecify.annotations.Nullable;

/** The parts of {@code /stats} about the server as a whole. */
final class ServerStats {
    private ServerStats() {}

    static JsonObjectBuilder connections(Window window) {
        long open = window.now().totals().openConnections();
        int active = window.now().activeConnections();
        JsonObjectBuilder json =
                JsonBuilders.object()
                        .add("open", open)
                        .add("active", active)
                        .add("idle", Math.max(0, open - active))
                        .add("peak", window.peakConnections())
                        .add("acceptPaused", window.now().acceptPaused());
        return addCounts("connections", window, json)
                .add("closed", JsonValues.counts(window.counts().closed()));
    }

    static JsonObjectBuilder requests(Window window) {
        Totals counts = window.counts();
        ResponseTotals responses = counts.responses();
        return addCounts("requests", window, JsonBuilders.object())
                .add("inFlight", window.now().totals().requestsInFlight())
                .add(
                        "perSecond",
                        JsonValues.perSecond(counts.of(ServerCount.RECEIVED), window.seconds()))
                .add("byStatus", JsonValues.byStatus(responses))
                .add("withoutPool", JsonValues.byStatus(counts.unrouted()))
                .add("abandoned", JsonValues.counts(counts.abandoned()))
                .add("latencyMillis", JsonValues.millis(responses.latency()));
    }

    static JsonObjectBuilder streams(Window window) {
        Totals counts = window.counts();
        return addCounts("streams", window, JsonBuilders.object())
                .add("open", window.now().totals().openStreams())
                .add("ended", JsonValues.counts(counts.streamEnds()))
                .add("durationMillis", JsonValues.millis(counts.streamDurations()));
    }

    static JsonObjectBuilder webSockets(Window window) {
        Totals counts = window.counts();
        return addCounts("webSockets", window, JsonBuilders.object())
                .add("open", window.now().totals().openWebSockets())
                .add("closed", JsonValues.byName(counts.closeCodes()))
                .add("durationMillis", JsonValues.millis(counts.webSocketDurations()));
    }

    static JsonObjectBuilder recent(Window.Recent recent) {
        ResponseTotals responses = recent.counts().responses();
        return JsonBuilders.object()
                .add("seconds", JsonValues.rounded(recent.seconds()))
                .add(
                        "requestsPerSecond",
                        JsonValues.perSecond(
                                recent.counts().of(ServerCount.RECEIVED), recent.seconds()))
                .add(
                        "errorsPerSecond",
                        JsonValues.perSecond(responses.ofClass(5), recent.seconds()))
                .add("latencyMillis", JsonValues.millis(responses.latency()));
    }

    static JsonObjectBuilder buffers(Window window, long limitBytes) {
        JsonObjectBuilder json =
                JsonBuilders.object()
                        .add("bytes", window.now().bufferedBytes())
                        .add("limitBytes", limitBytes);
        return addCounts("buffers", window, json);
    }

    /**
     * @param spool null where all requests stay in memory
     */
    static JsonObjectBuilder spool(Window window, @Nullable Spool spool) {
        JsonObjectBuilder json =
                JsonBuilders.object()
                        .add("requests", spool == null ? 0 : spool.files())
                        .add("bytes", spool == null ? 0 : spool.bytes())
                        .add("limitBytes", spool == null ? 0 : spool.limitBytes());
        return addCounts("spool", window, json);
    }

    private static JsonObjectBuilder addCounts(
            String section, Window window, JsonObjectBuilder json) {
        for (ServerCount each : ServerCount.values()) {
            if (each.section().equals(section)) {
                json.add(each.key(), window.counts().of(each));
            }
        }
        return json;
    }

    static JsonArrayBuilder loops(Window window) {
        JsonArrayBuilder json = JsonBuilders.array();
        for (LoopState state : window.now().loops()) {
            json.add(loop(state, window));
        }
        return json;
    }

    private static JsonObjectBuilder loop(LoopState state, Window window) {
        int index = state.index();
        Durations turns = window.recent().counts().loops().get(index).turns();
        double seconds = window.recent().seconds();
        return JsonBuilders.object()
                .add("index", index)
                .add("connections", window.now().totals().loops().get(index).open())
                .add("requests", window.counts().loops().get(index).requests())
                .add(
                        "busyShare",
                        JsonValues.rounded(seconds > 0 ? turns.totalSeconds() / seconds : 0))
                .add("lagMillis", JsonValues.millis(turns))
                .add("responsive", state.responsive());
    }
}
