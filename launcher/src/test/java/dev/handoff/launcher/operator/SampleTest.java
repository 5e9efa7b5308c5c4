package dev.handoff.launcher.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.json.Json;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SampleTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void ratesAreDifferencesOverTheTimeBetween() {
        Sample before = sample(SECOND, "a", 100);
        assertEquals(Map.of("a", 25.0), sample(3 * SECOND, "a", 150).workerRatesSince(before));
    }

    @Test
    void aWorkerThatIsNewOrCountsAnewHasNoRate() {
        Sample before = sample(SECOND, "a", 100);
        assertEquals(Map.of(), sample(2 * SECOND, "b", 150).workerRatesSince(before));
        assertEquals(Map.of(), sample(2 * SECOND, "a", 99).workerRatesSince(before));
        assertEquals(Map.of(), sample(SECOND, "a", 200).workerRatesSince(before));
    }

    private static Sample sample(long takenNanos, String worker, int requests) {
        String stats =
                "{\"workers\": [{\"id\": \"%s\", \"requests\": %d}]}".formatted(worker, requests);
        return new Sample(
                takenNanos,
                new Figures(Json.createReader(new StringReader(stats)).readObject()),
                new Figures(JsonValue.EMPTY_JSON_OBJECT),
                new Figures(JsonValue.EMPTY_JSON_OBJECT));
    }
}
