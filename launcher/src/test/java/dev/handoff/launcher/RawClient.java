package dev.handoff.launcher;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Sends bytes as they are and reads answers, on one connection. Repeats nothing by itself. */
final class RawClient implements Closeable {
    private final Socket socket;
    private final InputStream input;

    RawClient(int port) throws IOException {
        this(port, 0);
    }

    /**
     * A client that takes little of what it does not read.
     *
     * @param receiveBytes of the kernel's buffer, as far as the system allows; 0 for the usual
     */
    RawClient(int port, int receiveBytes) throws IOException {
        socket = new Socket();
        if (receiveBytes > 0) {
            socket.setReceiveBufferSize(receiveBytes);
        }
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.setSoTimeout((int) Await.LIMIT.toMillis());
        socket.setTcpNoDelay(true);
        input = new BufferedInputStream(socket.getInputStream());
    }

    /** One answer. The names of its fields are in lower case. */
    record Answer(int status, Map<String, String> fields, String body) {
        String field(String name) {
            return fields.getOrDefault(name, "");
        }
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /**
     * @param fields field lines without their ends
     */
    static String get(String target, String... fields) {
        StringBuilder request = new StringBuilder("GET ").append(target).append(" HTTP/1.1\r\n");
        request.append("Host: test\r\n");
        for (String field : fields) {
            request.append(field).append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    Answer ask(String target) throws IOException {
        send(get(target));
        return readAnswer();
    }

    Answer readAnswer() throws IOException {
        int status = Integer.parseInt(readLine().split(" ", 3)[1]);
        Map<String, String> fields = new HashMap<>();
        String line = readLine();
        while (!line.isEmpty()) {
            int colon = line.indexOf(':');
            fields.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
            line = readLine();
        }
        byte[] body =
                input.readNBytes(Integer.parseInt(fields.getOrDefault("content-length", "0")));
        return new Answer(status, fields, new String(body, StandardCharsets.ISO_8859_1));
    }

    /** Whether something can be read. */
    boolean hasInput() throws IOException {
        return input.available() > 0;
    }

    /** Whether the server has closed the connection, with nothing more before. */
    boolean isAtEnd() throws IOException {
        return input.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        int next = input.read();
        while (next != '\n') {
            if (next < 0) {
                throw new EOFException("the connection ended in: " + line);
            }
            line.append((char) next);
            next = input.read();
        }
        return line.toString().stripTrailing();
    }
}
