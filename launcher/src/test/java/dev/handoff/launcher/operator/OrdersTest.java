package dev.handoff.launcher.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.server.Handler;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OrdersTest {
    private final List<Request> asked = new CopyOnWriteArrayList<>();
    private Duration longestWait = Duration.ofSeconds(60);
    private @Nullable HttpServer server;

    @AfterEach
    void stopServer() {
        if (server != null) {
            server.stop();
        }
    }

    @Test
    void saysWhatTheServerDidAndToHowMany() throws Exception {
        Orders orders =
                orders(
                        true,
                        request ->
                                Response.text(
                                        200,
                                        "{\"pool\":\"site\",\"state\":\"done\",\"workers\":2}"));
        assertEquals("pool site: done, 2 workers", orders.scale("site", 4));
        assertEquals("/pools/site/scale?wait=true", asked.getFirst().target());
        assertEquals("{\"workers\":4}", asked.getFirst().body().toUtf8());
        assertEquals("application/json", asked.getFirst().headers().first("content-type"));
    }

    @Test
    void waitsForNothingUnlessItIsTold() throws Exception {
        Orders orders =
                orders(
                        false,
                        request ->
                                Response.text(
                                        202,
                                        "{\"worker\":\"a-1\",\"state\":\"begun\",\"workers\":0}"));
        assertEquals("worker a-1: begun", orders.drainWorker("a-1"));
        assertEquals("/workers/a-1/drain", asked.getFirst().target());
    }

    @Test
    void failsWhenItIsNotOverInTime() throws Exception {
        Orders orders = orders(true, request -> Response.text(202, "{\"state\":\"begun\"}"));
        String message =
                String.valueOf(assertThrows(AdminException.class, orders::reload).getMessage());
        assertTrue(message.startsWith("the server: not done after "), message);
    }

    @Test
    void tellsWhatMaySurprise() throws Exception {
        Orders orders =
                orders(
                        true,
                        request ->
                                Response.text(
                                        200,
                                        "{\"state\":\"done\",\"detail\":\"no\\u001b change\"}"));
        assertEquals("the server: done; no\ufffd change", orders.reload());
    }

    @Test
    void anyNameIsOneSegmentOfThePath() throws Exception {
        Orders orders = orders(false, request -> Response.text(202, "{\"state\":\"begun\"}"));
        orders.killWorker("../a b?");
        assertEquals("/workers/..%2Fa%20b%3F/kill", asked.getFirst().target());
    }

    @Test
    void aServerThatDrainsAndStaysIsNotOver() throws Exception {
        longestWait = Duration.ZERO;
        Orders orders =
                orders(
                        true,
                        request ->
                                request.method().equals("POST")
                                        ? Response.text(202, "{\"state\":\"begun\"}")
                                        : Response.text(200, about(1)));
        String message =
                String.valueOf(
                        assertThrows(AdminException.class, orders::drainServer).getMessage());
        assertTrue(message.startsWith("the server: not done after "), message);
    }

    @Test
    void aServerIsOverWhenAnotherProcessAnswers() throws Exception {
        Orders orders =
                orders(
                        true,
                        request ->
                                request.method().equals("POST")
                                        ? Response.text(202, "{\"state\":\"begun\"}")
                                        : Response.text(200, about(asked.size() < 4 ? 1 : 2)));
        assertEquals("the server: done", orders.drainServer());
        assertEquals(
                List.of("GET", "POST", "GET", "GET"), asked.stream().map(Request::method).toList());
    }

    private static String about(int pid) {
        return "{\"server\":{\"pid\":%d,\"startedAt\":\"2000-01-01T00:00:00Z\"}}".formatted(pid);
    }

    private Orders orders(boolean waits, Function<Request, Response> response) throws IOException {
        HttpServer started =
                HttpServer.start(
                        ServerOptions.of(
                                Handler.blocking(request -> {
                                    asked.add(request);
                                    return response.apply(request);
                                })));
        server = started;
        AdminClient client = new AdminClient("127.0.0.1", started.port(), null);
        return new Orders(client, waits, false, longestWait);
    }
}
