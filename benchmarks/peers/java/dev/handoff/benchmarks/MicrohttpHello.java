package dev.handoff.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.microhttp.EventLoop;
import org.microhttp.Header;
import org.microhttp.NoopLogger;
import org.microhttp.Options;
import org.microhttp.OptionsBuilder;
import org.microhttp.Response;

/** Hello on microhttp with one event loop. The argument is the port. */
final class MicrohttpHello {
    private MicrohttpHello() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Options options = OptionsBuilder.newBuilder()
                .withHost("127.0.0.1")
                .withPort(Integer.parseInt(arguments[0]))
                .withConcurrency(1)
                .build();
        // It adds Content-Length by itself.
        Response hello = new Response(
                200,
                "OK",
                List.of(new Header("Content-Type", "text/plain")),
                "hello\n".getBytes(StandardCharsets.UTF_8));
        EventLoop loop = new EventLoop(options, NoopLogger.instance(), (request, answer) -> answer.accept(hello));
        loop.start();
        loop.join();
    }
}
