package dev.handoff.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.handoff.process.supervise.ExternalServers;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** An HTTP server that sends just the bytes that a test tells it to. */
final class ScriptedServer implements Closeable {
    /** Generous: it is used up only by a test that fails. */
    private static final int TIMEOUT_MILLIS = 60_000;

    private static final int BACKLOG = 50;

    private final ServerSocket socket;

    ScriptedServer() throws IOException {
        this(0);
    }

    /**
     * @param port 0 for any that is free
     */
    ScriptedServer(int port) throws IOException {
        socket = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
        socket.setSoTimeout(TIMEOUT_MILLIS);
    }

    int port() {
        return socket.getLocalPort();
    }

    ExternalServers.Place place() {
        return new ExternalServers.Place(socket.getLocalSocketAddress(), "127.0.0.1:" + port());
    }

    /** The next connection on which something comes: some only see whether the server is there. */
    Connection accept() throws IOException {
        while (true) {
            Connection next = new Connection(socket.accept());
            if (next.hasMore()) {
                return next;
            }
            next.close();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** What came in one request. */
    record Came(String head, String body) {
        String line() {
            return head.substring(0, head.indexOf("\r\n"));
        }

        boolean has(String field) {
            return head.contains("\r\n" + field + "\r\n");
        }
    }

    /** A connection of the pool. */
    static final class Connection implements Closeable {
        private final Socket socket;
        private final InputStream in;

        private Connection(Socket socket) throws IOException {
            this.socket = socket;
            socket.setSoTimeout(TIMEOUT_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
        }

        private boolean hasMore() throws IOException {
            in.mark(1);
            boolean more = in.read() >= 0;
            in.reset();
            return more;
        }

        /** Waits for a request with content of a known length. */
        Came request() throws IOException {
            String head = head();
            int at = head.indexOf("content-length: ");
            int length =
                    at < 0
                            ? 0
                            : Integer.parseInt(head.substring(at + 16, head.indexOf("\r\n", at)));
            return new Came(head, new String(in.readNBytes(length), ISO_8859_1));
        }

        String head() throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    throw new EOFException("the connection ended after: " + head);
                }
                head.append((char) next);
            }
            return head.toString();
        }

        String read(int bytes) throws IOException {
            return new String(in.readNBytes(bytes), ISO_8859_1);
        }

        Connection send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(ISO_8859_1));
            return this;
        }

        Connection answer(String body) throws IOException {
            return send(
                    "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
                            .formatted(body.length(), body));
        }

        /** Waits until the pool has closed it. */
        void awaitEnd() throws IOException {
            try {
                int next = in.read();
                if (next >= 0) {
                    throw new AssertionError("it goes on with " + (char) next);
                }
            } catch (java.net.SocketException reset) {
                // That is an end as well.
            }
        }

        /** Closes in the middle of a test. */
        void leave() throws IOException {
            socket.close();
        }

        /** Closes so that the peer hears of a reset. */
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
