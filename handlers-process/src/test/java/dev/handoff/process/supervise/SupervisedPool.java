package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.handoff.process.TestPool;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** What the tests of a pool share that starts its processes itself. */
@Tag("processes")
abstract class SupervisedPool {
    @TempDir Path folder;
    TestPool pool;
    StartedWorkers workers;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start();
        workers = new StartedWorkers(pool);
    }

    @AfterEach
    void stop() throws IOException {
        pool.close();
    }

    /** Starts processes of a script that the test can change by {@link #writeScript}. */
    void superviseScript(String script, int count) throws IOException {
        superviseScript(script, count, RecycleLimits.NONE);
    }

    void superviseScript(String script, int count, RecycleLimits recycling) throws IOException {
        writeScript(script);
        pool.supervise(List.of("sh", scriptFile().toString()), count, recycling);
    }

    /** Changes what the processes do that are started from now on. */
    void writeScript(String script) throws IOException {
        Files.writeString(scriptFile(), script);
    }

    private Path scriptFile() {
        return folder.resolve("handler.sh");
    }

    static void assertDone(int processes, CompletableFuture<PoolChange> change) {
        assertEquals(new PoolChange.Done(processes), TestLoops.await(change));
    }

    static PoolChange.Failed assertFailed(CompletableFuture<PoolChange> change) {
        return assertInstanceOf(PoolChange.Failed.class, TestLoops.await(change));
    }

    static PoolChange.Refused assertRefused(CompletableFuture<PoolChange> change) {
        return assertInstanceOf(PoolChange.Refused.class, TestLoops.await(change));
    }

    static void assertRefused(String reason, CompletableFuture<PoolChange> change) {
        assertEquals(reason, assertRefused(change).reason());
    }
}
