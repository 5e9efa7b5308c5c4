package dev.handoff.admin.metrics;

import dev.handoff.server.ResponseRoom;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;

/**
 * The memory that responses take, from the first byte of a worker's frame on, and the workers that
 * wait for it.
 */
final class ResponseRoomMetrics extends Collector {
    private final ResponseRoom room;

    ResponseRoomMetrics(ResponseRoom room) {
        this.room = room;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(
                new GaugeMetricFamily(
                        "handoff_response_room_bytes",
                        "Bytes of large responses and messages: those that workers send, and those"
                                + " that clients have not taken.",
                        room.bytes()),
                new GaugeMetricFamily(
                        "handoff_response_room_waiting",
                        "Workers that are not read until there is room for their response.",
                        room.waiting()),
                new CounterMetricFamily(
                        "handoff_responses_full",
                        "Responses that became 503 responses_full: they found no room for too long.",
                        room.givenUp()));
    }
}
