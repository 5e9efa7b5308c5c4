package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Response;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The window holds whatever the workers do, and every request gets the response to it, once. */
final class WindowTest {
    private static final int STEPS = 600;

    private final List<Model> workers = new ArrayList<>();
    private final List<TestExchange> exchanges = new ArrayList<>();

    /** A worker, and what it must not be given more of. */
    private static final class Model {
        final TestWorker worker;
        final List<Message.Request> held = new ArrayList<>();
        int window;

        Model(TestWorker worker, int window) {
            this.worker = worker;
            this.window = window;
        }

        void read() throws IOException {
            while (worker.hasMessage()) {
                held.add(worker.request());
                assertTrue(held.size() <= window, held.size() + " with a window of " + window);
            }
        }

        void answer(int index) throws IOException {
            Message.Request request = held.remove(index);
            worker.answer(request, request.target());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void isNeverExceeded(long seed) throws IOException {
        Random random = new Random(seed);
        try (TestPool pool = TestPool.start(TestPool.queueOf(STEPS, Long.MAX_VALUE))) {
            for (int window : List.of(1, 2, 7)) {
                workers.add(new Model(pool.join(window), window));
            }
            for (int i = 0; i < STEPS; i++) {
                step(pool, random);
            }
            finish(pool);
            for (Model model : workers) {
                model.worker.close();
            }
        }
        for (int i = 0; i < exchanges.size(); i++) {
            assertEquals(Response.text(200, "/" + i).body(), exchanges.get(i).response().body());
            assertEquals(1, exchanges.get(i).responses());
        }
    }

    private void step(TestPool pool, Random random) throws IOException {
        Model model = workers.get(random.nextInt(workers.size()));
        switch (random.nextInt(5)) {
            case 0, 1 -> exchanges.add(pool.get("/" + exchanges.size()));
            case 2, 3 -> {
                if (!model.held.isEmpty()) {
                    model.answer(random.nextInt(model.held.size()));
                }
            }
            default -> widen(model, random.nextInt(3));
        }
        for (Model each : workers) {
            each.read();
        }
    }

    /** Only wider: what a narrower window allows is known when the core has heard of it. */
    private static void widen(Model model, int by) throws IOException {
        model.window += by;
        model.worker.send(new Message.Capacity(model.window));
    }

    private void finish(TestPool pool) throws IOException {
        while (exchanges.stream().anyMatch(exchange -> !exchange.isAnswered())) {
            for (Model model : workers) {
                model.read();
                while (!model.held.isEmpty()) {
                    model.answer(0);
                }
            }
            pool.loops.awaitIdle();
        }
    }
}
