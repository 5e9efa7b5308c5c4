package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SdksTest {
    @TempDir private Path home;
    private String python;

    @BeforeEach
    void makeFolders() throws IOException {
        python = Files.createDirectories(home.resolve("sdk-python/src")).toString();
    }

    @Test
    void putsThePythonSdkOnThePath() {
        assertEquals(Map.of("PYTHONPATH", python), added(Map.of(), Map.of()));
    }

    @Test
    void putsItBehindWhatTheUserHasOnThePath() {
        Map<String, String> inherited = Map.of("PYTHONPATH", "/own");
        assertEquals(Map.of("PYTHONPATH", "/own:" + python), added(Map.of(), inherited));
    }

    @Test
    void putsItBehindWhatThePoolHasOnThePath() {
        Map<String, String> ofPool = Map.of("PYTHONPATH", "/pool");
        Map<String, String> inherited = Map.of("PYTHONPATH", "/own");
        assertEquals(Map.of("PYTHONPATH", "/pool:" + python), added(ofPool, inherited));
    }

    @Test
    void hasEveryNodeProcessLoadItsPartBehindTheOptionsOfTheUser() throws IOException {
        Path required =
                Files.createDirectories(home.resolve("sdk-node/src/preload"))
                        .resolve("every-process.cjs");
        Files.createFile(required);
        String option = "--require=\"" + required + "\"";
        assertEquals(option, added(Map.of(), Map.of()).get("NODE_OPTIONS"));
        Map<String, String> inherited = Map.of("NODE_OPTIONS", "--inherited");
        assertEquals("--inherited " + option, added(Map.of(), inherited).get("NODE_OPTIONS"));
        Map<String, String> ofPool = Map.of("NODE_OPTIONS", "--pool");
        assertEquals("--pool " + option, added(ofPool, inherited).get("NODE_OPTIONS"));
    }

    @Test
    void addsNothingWhereThereIsNoSdk() {
        Map<String, String> added = new HashMap<>();
        Sdks.of(Map.of()).addTo(added, Map.of());
        assertEquals(Map.of(), added);
    }

    private Map<String, String> added(Map<String, String> ofPool, Map<String, String> inherited) {
        Map<String, String> added = new HashMap<>(ofPool);
        Sdks.of(Map.of("HANDOFF_HOME", home.toString())).addTo(added, inherited);
        return added;
    }
}
