package dev.handoff.launcher.operator;

import dev.handoff.admin.api.JsonLibrary;
import dev.handoff.process.protocol.SafeText;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.stream.JsonParsingException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringReader;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.MalformedURLException;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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

    private static final int ACCEPTED = 202;

    /** Far more than any response here has. */
    private static final int MOST_BYTES = 64 << 20;

    private final String host;
    private final int port;
    private final String server;
    private final @Nullable BearerToken token;

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
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), (int) CONNECT_TIMEOUT.toMillis());
            return true;
        } catch (IOException nobody) {
            return false;
        }
    }

    private String exchange(String method, String target, String accept, @Nullable JsonObject body)
            throws AdminException {
        try {
            HttpURLConnection connection = open(target);
            connection.setRequestMethod(method);
            connection.setRequestProperty("Accept", accept);
            if (token != null) {
                token.requireTrusted(host, port);
                connection.setRequestProperty("Authorization", "Bearer " + token.text());
            }
            if (body != null) {
                connection.setRequestProperty("Content-Type", "application/json");
                connection.setDoOutput(true);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(body.toString().getBytes(StandardCharsets.UTF_8));
                }
            }
            int status = connection.getResponseCode();
            if (status != HttpURLConnection.HTTP_OK && status != ACCEPTED) {
                throw refused(status, target, read(connection.getErrorStream()));
            }
            return read(connection.getInputStream());
        } catch (IOException failure) {
            throw new AdminException(
                    "no response from an admin server at %s (%s): is Handoff running? choose another with --admin-host and --admin-port"
                            .formatted(server, failure.getMessage()));
        }
    }

    private HttpURLConnection open(String target) throws IOException, AdminException {
        URL url;
        try {
            url = URI.create(server + target).toURL();
        } catch (IllegalArgumentException | MalformedURLException wrong) {
            throw new AdminException(server + " is not an address: " + wrong.getMessage());
        }
        // Never through a proxy: the server is on this machine, or reached directly.
        HttpURLConnection connection = (HttpURLConnection) url.openConnection(Proxy.NO_PROXY);
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout((int) CONNECT_TIMEOUT.toMillis());
        boolean waits = target.endsWith(WAITING);
        connection.setReadTimeout((int) (waits ? WAIT_TIMEOUT : READ_TIMEOUT).toMillis());
        return connection;
    }

    private AdminException refused(int status, String target, String response) {
        if (status == HttpURLConnection.HTTP_UNAUTHORIZED) {
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
        } catch (JsonException | IllegalStateException notJson) {
            return SafeText.of(response.lines().findFirst().orElse("nothing"));
        }
    }

    private JsonObject parsed(String target, String response) throws AdminException {
        try (JsonReader reader = JsonLibrary.PROVIDER.createReader(new StringReader(response))) {
            return reader.readObject();
        } catch (JsonParsingException notJson) {
            throw new AdminException(
                    server + target + " does not answer with JSON: is that Handoff's admin port?");
        }
    }

    private static String read(@Nullable InputStream stream) throws IOException {
        if (stream == null) {
            return "";
        }
        try (stream) {
            byte[] bytes = stream.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException("it answers with more than " + MOST_BYTES + " bytes");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
