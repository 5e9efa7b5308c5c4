package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BlockingHandlerTest {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);

    @Test
    void answersByReturningFromAVirtualThread() throws IOException {
        Handler handler =
                Handler.blocking(
                        request -> Response.text(200, "" + Thread.currentThread().isVirtual()));
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            assertEquals("true", client.get("/").readResponse().text());
        }
    }

    @Test
    void requestsRunBesideEachOther() throws IOException {
        CyclicBarrier together = new CyclicBarrier(16);
        Handler handler =
                Handler.blocking(request -> {
                    together.await(60, TimeUnit.SECONDS);
                    return Response.text(200, request.target());
                });
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            for (int i = 0; i < 16; i++) {
                client.get("/" + i);
            }

            for (int i = 0; i < 16; i++) {
                assertEquals("/" + i, client.readResponse().text());
            }
        }
    }

    @Test
    void anExceptionIsAnswered500() throws IOException, InterruptedException {
        Handler handler =
                Handler.blocking(request -> {
                    throw new IOException("on purpose");
                });
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            assertEquals(500, client.get("/").readResponse().status());
            server.listener.await("failed / on purpose");
        }
    }

    @Test
    @SuppressWarnings("NullAway")
    void returningNothingIsAnswered500() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(Handler.blocking(request -> null));
                RawClient client = server.connect()) {
            assertEquals(500, client.get("/").readResponse().status());
            server.listener.await("failed / the handler returned null");
        }
    }

    @Test
    void isInterruptedWhenItsClientLeaves() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(Handler.blocking(request -> block()));
                RawClient client = server.connect()) {
            client.get("/");
            assertTrue(begun.await(60, TimeUnit.SECONDS));
            client.reset();

            assertTrue(interrupted.await(60, TimeUnit.SECONDS));
            server.listener.await("late /");
        }
    }

    @Test
    void isInterruptedAtItsDeadline() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(Handler.blocking(request -> block()));
                RawClient client = server.connect()) {
            client.get("/");
            assertTrue(begun.await(60, TimeUnit.SECONDS));
            server.advance(Duration.ofSeconds(30));

            assertEquals(504, client.readResponse().status());
            assertTrue(interrupted.await(60, TimeUnit.SECONDS));
        }
    }

    private Response block() throws InterruptedException {
        begun.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            interrupted.countDown();
            throw e;
        }
        return Response.text(200, "never");
    }
}
