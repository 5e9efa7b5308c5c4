package dev.handoff.launcher.operator;

import dev.handoff.admin.api.JsonLibrary;
import dev.handoff.loop.SocketTable;
import dev.handoff.process.protocol.SafeText;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Asks the admin server of a running core. Blocks; for one thread. */
public final class AdminClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** A saturated core still answers in far less time. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(10);

    /** Added to a target to get the response when all is done. */
    static final String WAITING = "?wait=true";

    /** The server answers after a minute at the latest, whether it is done or not. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    private static final Duration WAIT_TIMEOUT = LONGEST_WAIT.plus(READ_TIMEOUT);

    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    private static final int UNAUTHORIZED = 401;

    private final String host;
    private final int port;
    private final String server;
    private final @Nullable BearerToken token;
    private final SocketTable sockets = SocketTable.ofThisMachine();

    /**
     * @param host a name or an address, IPv6 without brackets
     * @param token null for a server that asks for none
     */
    public AdminClient(String host, int port, @Nullable BearerToken token) {
        this.host = host;
        this.port = port;
        this.server = "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        this.token = token;
    }

    /** The server's address, for messages. */
    String server() {
        return server;
    }

    JsonObject getJson(String target) throws AdminException {
        return parsed(target, get(target, "application/json"));
    }

    String get(String target, String accept) throws AdminException {
        return exchange("GET", target, accept, null);
    }

    String post(String target, String accept) throws AdminException {
        return exchange("POST", target, accept, null);
    }

    /** Makes the server do something; its response may come at the begin or at the end of that. */
    JsonObject order(String target, @Nullable JsonObject body) throws AdminException {
        return parsed(target, exchange("POST", target, "application/json", body));
    }

    /** Whether a server listens at the address. */
    boolean isListening() {
        try (Socket _ = connect()) {
            return true;
        } catch (IOException nobody) {
            return false;
        }
    }

    private Socket connect() throws IOException {
        // Never through a proxy: the server is on this machine, or reached directly.
        Socket socket = new Socket(Proxy.NO_PROXY);
        try {
            socket.connect(new InetSocketAddress(host, port), (int) CONNECT_TIMEOUT.toMillis());
            return socket;
        } catch (IOException failure) {
            socket.close();
            throw failure;
        }
    }

    private String exchange(String method, String target, String accept, @Nullable JsonObject body)
            throws AdminException {
        String authority = authority(target);
        AdminResponse response;
        try (Socket socket = connect()) {
            Duration timeout = target.endsWith(WAITING) ? WAIT_TIMEOUT : READ_TIMEOUT;
            socket.setSoTimeout((int) timeout.toMillis());
            if (token != null) {
                token.requireTrusted(socket, sockets, CONNECT_TIMEOUT);
            }
            // By hand: no client of the JDK promises to use the connection that was looked at.
            socket.getOutputStream().write(request(method, target, authority, accept, body));
            response = AdminResponse.read(socket.getInputStream(), timeout);
        } catch (IOException failure) {
            throw new AdminException(
                    "no response from an admin server at %s (%s): is Handoff running? choose another with --admin-host and --admin-port"
                            .formatted(server, failure.getMessage()));
        }
        if (response.status() != OK && response.status() != ACCEPTED) {
            throw refused(response.status(), target, response.text());
        }
        return response.text();
    }

    /** Nothing in it can end a line: a URI has visible characters only. */
    private String authority(String target) throws AdminException {
        try {
            return URI.create(server + target).getRawAuthority();
        } catch (IllegalArgumentException wrong) {
            throw new AdminException(server + " is not an address: " + wrong.getMessage());
        }
    }

    private byte[] request(
            String method,
            String target,
            String authority,
            String accept,
            @Nullable JsonObject body) {
        byte[] content =
                body == null ? new byte[0] : body.toString().getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder();
        head.append(method).append(' ').append(target).append(" HTTP/1.1\r\n");
        head.append("Host: ").append(authority).append("\r\n");
        head.append("Connection: close\r\n");
        head.append("Accept: ").append(accept).append("\r\n");
        if (token != null) {
            head.append("Authorization: Bearer ").append(token.text()).append("\r\n");
        }
        if (body != null) {
            head.append("Content-Type: application/json\r\n");
        }
        if (method.equals("POST")) {
            head.append("Content-Length: ").append(content.length).append("\r\n");
        }
        byte[] begin = head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
        byte[] whole = Arrays.copyOf(begin, begin.length + content.length);
        System.arraycopy(content, 0, whole, begin.length, content.length);
        return whole;
    }

    private AdminException refused(int status, String target, String response) {
        if (status == UNAUTHORIZED) {
            return new AdminException(
                    token == null
                            ? server + " asks for a token: name its file with --admin-token-file"
                            : server + " does not take the token of --admin-token-file");
        }
        return new AdminException(
                "%s%s answered %d: %s".formatted(server, target, status, detail(response)));
    }

    /** What a problem document says, or the first line of anything else. */
    private static String detail(String response) {
        try (JsonReader reader = JsonLibrary.PROVIDER.createReader(new StringReader(response))) {
            return SafeText.of(reader.readObject().getString("detail", response));
        } catch (RuntimeException notJson) {
            // Not only a JsonException, as where it is nested too deep.
            return SafeText.of(response.lines().findFirst().orElse("nothing"));
        }
    }

    private JsonObject parsed(String target, String response) throws AdminException {
        try (JsonReader reader = JsonLibrary.PROVIDER.createReader(new StringReader(response))) {
            return reader.readObject();
        } catch (RuntimeException notJson) {
            throw new AdminException(
                    server + target + " does not answer with JSON: is that Handoff's admin port?");
        }
    }
}
