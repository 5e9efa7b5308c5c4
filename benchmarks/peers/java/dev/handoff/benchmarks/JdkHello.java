package dev.handoff.benchmarks;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Hello on the HTTP server that comes with the JDK, at a free port, which it prints. */
final class JdkHello {
    private static final byte[] HELLO = "hello\n".getBytes(StandardCharsets.US_ASCII);

    private JdkHello() {}

    public static void main(String[] arguments) throws IOException {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        HttpServer server = HttpServer.create(anyPort, 0);
        server.createContext(
                "/",
                exchange -> {
                    exchange.getResponseHeaders().add("Content-Type", "text/plain");
                    exchange.sendResponseHeaders(200, HELLO.length);
                    exchange.getResponseBody().write(HELLO);
                    exchange.close();
                });
        server.start();
        System.out.println("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }
}
