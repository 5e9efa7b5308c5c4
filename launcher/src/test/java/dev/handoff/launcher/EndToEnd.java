package dev.handoff.launcher;

import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** What the tests of the real program share: whatever one starts or opens ends with it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
abstract class EndToEnd {
    static final String ECHO = "examples-python/echo.py";

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    /** Starts {@code handoff run} on a free port. */
    HandoffProcess run(String... optionsAndFile) throws IOException {
        String[] arguments = new String[optionsAndFile.length + 5];
        arguments[0] = "run";
        arguments[1] = "--port";
        arguments[2] = "0";
        arguments[3] = "--admin-port";
        arguments[4] = "0";
        System.arraycopy(optionsAndFile, 0, arguments, 5, optionsAndFile.length);
        return handoff(arguments);
    }

    HandoffProcess handoff(String... arguments) throws IOException {
        return handoff(Map.of(), arguments);
    }

    HandoffProcess handoff(Map<String, String> environment, String... arguments)
            throws IOException {
        HandoffProcess process = HandoffProcess.start(environment, arguments);
        open.push(process);
        return process;
    }

    HandoffProcess handoffAsInit(String... arguments) throws IOException {
        HandoffProcess process = HandoffProcess.startAsInit(arguments);
        open.push(process);
        return process;
    }

    RawClient client(HandoffProcess handoff) throws IOException {
        RawClient client = new RawClient(handoff.port());
        open.push(client);
        return client;
    }

    /** Starts a worker by hand, as for {@code handoff serve}. */
    void startWorker(Path socket, String program, String file) throws IOException {
        startWorker(socket, program, file, Map.of());
    }

    Process startWorker(Path socket, String program, String file, Map<String, String> environment)
            throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(program, file).directory(Distribution.ROOT.toFile());
        builder.environment().put("HANDOFF_SOCKET", socket.toString());
        builder.environment().putAll(environment);
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        // It complains while there is no server, as it should.
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process worker = builder.start();
        closeAtEnd(() -> {
            worker.destroyForcibly();
            worker.waitFor();
        });
        return worker;
    }

    void closeAtEnd(AutoCloseable resource) {
        open.push(resource);
    }
}
