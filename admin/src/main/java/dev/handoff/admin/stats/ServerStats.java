package dev.handoff.admin.stats;

import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObjectBuilder;

/** The parts of {@code /stats} about the server as a whole. */
final class ServerStats {
    private ServerStats() {}

    static JsonObjectBuilder connections(Window window) {
        ConnectionTotals counts = window.counts().connections();
        long open = window.now().totals().connections().open();
        int active = window.now().activeConnections();
        return JsonBuilders.object()
                .add("open", open)
                .add("active", active)
                .add("idle", Math.max(0, open - active))
                .add("peak", window.peakConnections())
                .add("accepted", counts.accepted())
                .add("overClientLimit", counts.overClientLimit())
                .add("acceptPaused", window.now().acceptPaused())
                .add("acceptPauses", counts.acceptPauses())
                .add("acceptFailures", counts.acceptFailures())
                .add("closed", JsonValues.counts(counts.closed()));
    }

    static JsonObjectBuilder requests(Window window) {
        RequestTotals counts = window.counts().requests();
        ResponseTotals responses = window.counts().responses();
        return JsonBuilders.object()
                .add("total", counts.received())
                .add("inFlight", window.now().totals().requests().inFlight())
                .add("perSecond", JsonValues.perSecond(counts.received(), window.seconds()))
                .add("byStatus", JsonValues.byStatus(responses))
                .add("bytesIn", counts.bytesIn())
                .add("bytesOut", counts.bytesOut())
                .add("bodyBytesIn", counts.bodyBytesIn())
                .add("bodyBytesOut", counts.bodyBytesOut())
                .add("abandoned", JsonValues.counts(counts.abandoned()))
                .add("droppedResponses", counts.droppedResponses())
                .add("badResponses", counts.badResponses())
                .add("handlerFailures", counts.handlerFailures())
                .add("latencyMillis", JsonValues.millis(responses.latency()));
    }

    static JsonObjectBuilder recent(Window.Recent recent) {
        ResponseTotals responses = recent.counts().responses();
        return JsonBuilders.object()
                .add("seconds", JsonValues.rounded(recent.seconds()))
                .add(
                        "requestsPerSecond",
                        JsonValues.perSecond(
                                recent.counts().requests().received(), recent.seconds()))
                .add(
                        "errorsPerSecond",
                        JsonValues.perSecond(responses.ofClass(5), recent.seconds()))
                .add("latencyMillis", JsonValues.millis(responses.latency()));
    }

    static JsonObjectBuilder buffers(Window window, long limitBytes) {
        return JsonBuilders.object()
                .add("bytes", window.now().bufferedBytes())
                .add("limitBytes", limitBytes)
                .add("full", window.counts().requests().buffersFull())
                .add("evicted", window.counts().requests().evicted());
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
