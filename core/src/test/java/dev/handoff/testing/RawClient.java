package dev.handoff.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.handoff.http.Body;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;

/**
 * A client that sends what it is told and reads what comes, on one connection. It repeats nothing
 * by itself.
 */
public final class RawClient implements Closeable {
    /** Generous: it is used up only by a test that fails. */
    private static final int TIMEOUT_MILLIS = 60_000;

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
        this(connected(unconnected, port));
    }

    /** On a socket that is connected already, as one with TLS. */
    public RawClient(Socket connected) throws IOException {
        socket = connected;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
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

    /**
     * Sends a GET request.
     *
     * @param fields field lines without their ends
     */
    public RawClient get(String target, String... fields) throws IOException {
        return send(getRequest(target, fields));
    }

    /**
     * The text of a GET request.
     *
     * @param fields field lines without their ends
     */
    public static String getRequest(String target, String... fields) {
        StringBuilder request = new StringBuilder("GET ").append(target);
        request.append(" HTTP/1.1\r\nHost: a\r\n");
        for (String field : fields) {
            request.append(field).append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    /** Sends a GET request and waits for its response. */
    public RawResponse ask(String target) throws IOException {
        return get(target).readResponse();
    }

    public RawClient post(String target, String body) throws IOException {
        return send(
                "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(target, body.length(), body));
    }

    public RawClient post(String target, byte[] body) throws IOException {
        send(
                "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
                        .formatted(target, body.length));
        return send(body);
    }

    /** A response with the body that its Content-Length announces. */
    public RawResponse readResponse() throws IOException {
        RawResponse head = readHead();
        String length = head.header("content-length");
        int size = length.isEmpty() ? 0 : Integer.parseInt(length);
        byte[] body = in.readNBytes(size);
        if (body.length < size) {
            throw new EOFException("the body ended after " + body.length + " of " + size);
        }
        return new RawResponse(head.head(), Body.of(body));
    }

    /** A response without a body, whatever its Content-Length says: to HEAD, or an interim one. */
    public RawResponse readHead() throws IOException {
        StringBuilder head = new StringBuilder();
        String line = readLine();
        while (!line.equals("\r\n")) {
            head.append(line);
            line = readLine();
        }
        return new RawResponse(head.toString(), Body.EMPTY);
    }

    /** A line with its end. */
    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        while (line.indexOf("\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("the connection ended after: " + line);
            }
            line.append((char) next);
        }
        return line.toString();
    }

    /** Whether something can be read. */
    public boolean hasInput() throws IOException {
        return in.available() > 0;
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

    private static Socket connected(Socket unconnected, int port) throws IOException {
        unconnected.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
        return unconnected;
    }

    private static Socket withBuffer(int receiveBufferBytes) throws IOException {
        Socket unconnected = new Socket();
        if (receiveBufferBytes > 0) {
            unconnected.setReceiveBufferSize(receiveBufferBytes);
        }
        return unconnected;
    }
}
