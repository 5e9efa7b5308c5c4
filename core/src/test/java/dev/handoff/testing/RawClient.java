package dev.handoff.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.handoff.http.Body;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;

/** A client that sends what it is told and reads what comes; no wait is longer than ten seconds. */
public final class RawClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final Socket socket;
    private final InputStream in;

    public RawClient(int port) throws IOException {
        this(port, 0);
    }

    /**
     * @param receiveBufferBytes small for a client that soon takes no more; 0 for the usual size
     */
    public RawClient(int port, int receiveBufferBytes) throws IOException {
        this(withBuffer(receiveBufferBytes), port);
    }

    private RawClient(Socket unconnected, int port) throws IOException {
        socket = unconnected;
        socket.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = socket.getInputStream();
    }

    /** A client at another address of this machine, such as 127.0.0.2. */
    public static RawClient from(String address, int port) throws IOException {
        Socket bound = new Socket();
        bound.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
        return new RawClient(bound, port);
    }

    public int localPort() {
        return socket.getLocalPort();
    }

    public RawClient send(String text) throws IOException {
        return send(text.getBytes(ISO_8859_1));
    }

    public RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    public RawClient get(String target) throws IOException {
        return send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    public RawClient post(String target, String body) throws IOException {
        return send(
                "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(target, body.length(), body));
    }

    /** A response with the body that its Content-Length announces. */
    public RawResponse readResponse() throws IOException {
        RawResponse head = readHead();
        String length = head.header("content-length");
        int size = length.isEmpty() ? 0 : Integer.parseInt(length);
        byte[] body = in.readNBytes(size);
        assertEquals(size, body.length, "the body ended early");
        return new RawResponse(head.head(), Body.of(body));
    }

    /** A response without a body, whatever its Content-Length says: to HEAD, or an interim one. */
    public RawResponse readHead() throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!endsWithEmptyLine(head)) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("the connection ended after: " + head);
            }
            head.write(next);
        }
        String text = head.toString(ISO_8859_1);
        return new RawResponse(text.substring(0, text.length() - 2), Body.EMPTY);
    }

    public byte[] read(int count) throws IOException {
        return in.readNBytes(count);
    }

    /** Everything up to the end that the server makes of it. */
    public String readToEnd() throws IOException {
        return new String(in.readAllBytes(), ISO_8859_1);
    }

    /** The server sends no more, and says so properly. */
    public void expectEnd() throws IOException {
        assertEquals("", readToEnd());
    }

    public void expectReset() throws IOException {
        try {
            fail("there came: " + readToEnd());
        } catch (SocketException expected) {
            socket.close();
        }
    }

    public void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** Closes the socket, as a client does that is done. */
    public void leave() throws IOException {
        socket.close();
    }

    /** Leaves so that the server's next event is a reset. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private static Socket withBuffer(int receiveBufferBytes) throws IOException {
        Socket unconnected = new Socket();
        if (receiveBufferBytes > 0) {
            unconnected.setReceiveBufferSize(receiveBufferBytes);
        }
        return unconnected;
    }

    private static boolean endsWithEmptyLine(ByteArrayOutputStream head) {
        return head.size() >= 4 && head.toString(ISO_8859_1).endsWith("\r\n\r\n");
    }
}
