package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.ParserLimits;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.supervise.RecycleLimits;
import dev.handoff.server.ServerLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionsTest {
    @Test
    void derivesTheVariableFromTheFlag() {
        assertEquals("HANDOFF_DRAIN_TIMEOUT", AllSettings.DRAIN_TIMEOUT.variable());
    }

    @Test
    void takesThePresetWhenNobodyChose() throws UsageException {
        assertEquals(8080, options(Map.of(), Map.of()).get(AllSettings.PORT));
        assertNull(options(Map.of(), Map.of()).find(AllSettings.CONCURRENCY));
    }

    @Test
    void takesTheVariableBeforeThePreset() throws UsageException {
        Options options = options(Map.of(), Map.of("HANDOFF_PORT", "3000"));
        assertEquals(3000, options.get(AllSettings.PORT));
    }

    @Test
    void takesTheFlagBeforeTheVariableEvenIfThatIsBad() throws UsageException {
        Options options = options(Map.of("--port", "4000"), Map.of("HANDOFF_PORT", "bad"));
        assertEquals(4000, options.get(AllSettings.PORT));
    }

    @Test
    void takesAnEmptyVariableForNone() throws UsageException {
        assertEquals(8080, options(Map.of(), Map.of("HANDOFF_PORT", "")).get(AllSettings.PORT));
    }

    @Test
    void namesTheBadFlagAndWhatWasExpected() {
        String message = refusal(Map.of("--port", "65536"), Map.of());
        assertEquals("--port is '65536': expected a whole number from 0 to 65535", message);
    }

    @Test
    void namesTheBadVariable() {
        String message = refusal(Map.of(), Map.of("HANDOFF_PORT", "http"));
        assertTrue(message.startsWith("HANDOFF_PORT is 'http'"), message);
    }

    @Test
    void hasThePresetsOfServerAndPool() throws UsageException {
        Options options = options(Map.of(), Map.of());
        ParserLimits library = ServerLimits.DEFAULT.request();
        ParserLimits request =
                new ParserLimits(
                        library.targetBytes(), library.headBytes(), library.fields(), 64 << 20);
        assertEquals(ServerLimits.DEFAULT.withRequest(request), Limits.server(options));
        assertEquals(
                new SpoolOptions(Path.of(System.getProperty("java.io.tmpdir")), 1 << 20, 1L << 30),
                SpoolOptions.from(options));
        assertEquals(PoolLimits.DEFAULT, Limits.pool(options));
    }

    /** A value that went to the wrong limit would show as one that another has as well. */
    @Test
    void bringsEachLimitToItsOwnPlace() throws UsageException {
        Map<String, String> flags =
                Map.ofEntries(
                        Map.entry("--request-timeout", "1s"),
                        Map.entry("--max-connections", "2"),
                        Map.entry("--max-pipelined", "3"),
                        Map.entry("--max-head", "4"),
                        Map.entry("--max-target", "5"),
                        Map.entry("--max-fields", "6"),
                        Map.entry("--max-body", "7"),
                        Map.entry("--max-response", "8"),
                        Map.entry("--header-timeout", "9s"),
                        Map.entry("--body-timeout", "10s"),
                        Map.entry("--idle-timeout", "11s"),
                        Map.entry("--write-timeout", "12s"),
                        Map.entry("--queue-requests", "13"),
                        Map.entry("--queue-bytes", "14"),
                        Map.entry("--queue-timeout", "15s"),
                        Map.entry("--no-worker-grace", "16s"),
                        Map.entry("--cancel-grace", "17s"),
                        Map.entry("--worker-write-timeout", "18s"),
                        Map.entry("--max-connections-per-client", "19"),
                        Map.entry("--min-body-rate", "20"),
                        Map.entry("--max-body-in-memory", "21"),
                        Map.entry("--max-spooled", "22"));
        Options options = options(flags, Map.of());
        ServerLimits server = Limits.server(options);
        PoolLimits pool = Limits.pool(options);
        List<Long> values =
                List.of(
                        server.requestTimeout().toSeconds(),
                        (long) server.connections(),
                        (long) server.pipelinedRequests(),
                        (long) server.request().headBytes(),
                        (long) server.request().targetBytes(),
                        (long) server.request().fields(),
                        (long) server.request().bodyBytes(),
                        (long) pool.fromWorker().bodyBytes(),
                        server.headerTimeout().toSeconds(),
                        server.bodyTimeout().toSeconds(),
                        server.idleTimeout().toSeconds(),
                        server.writeTimeout().toSeconds(),
                        (long) pool.queueRequests(),
                        pool.queueBytes(),
                        pool.queueTimeout().toSeconds(),
                        pool.noWorkerGrace().toSeconds(),
                        pool.cancelGrace().toSeconds(),
                        pool.writeTimeout().toSeconds(),
                        (long) server.connectionsPerClient(),
                        server.minBodyRate(),
                        (long) SpoolOptions.from(options).memoryBytes(),
                        SpoolOptions.from(options).mostBytes());
        for (int i = 0; i < values.size(); i++) {
            assertEquals(i + 1L, values.get(i), "number " + (i + 1));
        }
    }

    @Test
    void recyclesWorkersOnlyWhenSomebodyChoseIt() throws UsageException {
        assertEquals(RecycleLimits.NONE, Workers.recycling(options(Map.of(), Map.of())));
        Map<String, String> flags = Map.of("--recycle-requests", "1000", "--recycle-age", "2h");
        Map<String, String> variables = Map.of("HANDOFF_RECYCLE_MEMORY", "512MiB");
        assertEquals(
                new RecycleLimits(1000, Duration.ofHours(2), 512L << 20),
                Workers.recycling(options(flags, variables)));
    }

    @Test
    void turnsOnWhatTakesNoValueByItsVariableToo() throws UsageException {
        assertFalse(options(Map.of(), Map.of()).get(AllSettings.WATCH));
        assertTrue(options(Map.of(), Map.of("HANDOFF_WATCH", "1")).get(AllSettings.WATCH));
        assertTrue(options(Map.of("--watch", "true"), Map.of()).get(AllSettings.WATCH));
        Options unclear = options(Map.of(), Map.of("HANDOFF_WATCH", "yes"));
        assertThrows(UsageException.class, () -> unclear.get(AllSettings.WATCH));
    }

    @Test
    void hasEachFlagOnce() {
        List<String> flags = new ArrayList<>();
        AllSettings.ofRun().forEach(setting -> flags.add(setting.flag()));
        AllSettings.limits().forEach(setting -> flags.add(setting.flag()));
        assertEquals(flags.size(), new HashSet<>(flags).size(), flags.toString());
    }

    @Test
    void takesStrictTargetsAsAFlag() throws UsageException {
        assertFalse(Limits.server(options(Map.of(), Map.of())).request().strictTargets());
        Options strict = options(Map.of("--strict-targets", "true"), Map.of());
        assertTrue(Limits.server(strict).request().strictTargets());
    }

    private static Options options(Map<String, String> flags, Map<String, String> environment) {
        return new Options(flags, environment);
    }

    private static String refusal(Map<String, String> flags, Map<String, String> environment) {
        Options options = options(flags, environment);
        UsageException refused =
                assertThrows(UsageException.class, () -> options.get(AllSettings.PORT));
        return String.valueOf(refused.getMessage());
    }
}
