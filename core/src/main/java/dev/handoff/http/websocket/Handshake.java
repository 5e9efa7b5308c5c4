package dev.handoff.http.websocket;

import dev.handoff.http.Body;
import dev.handoff.http.ErrorForm;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.FieldList;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a request says about WebSockets (RFC 6455 section 4.2.1). */
public sealed interface Handshake {
    /** The only version (RFC 6455 section 4.1). */
    String VERSION = "13";

    /** It asks for something else. */
    record None() implements Handshake {}

    /** It asks for a WebSocket, in a way that breaks a rule. */
    record Malformed(ErrorMessage error) implements Handshake {
        /** The error, with what a client needs to ask again (RFC 6455 section 4.4). */
        public Response response(ErrorForm form) {
            Response plain = error.response(form);
            if (plain.status() != UPGRADE_REQUIRED) {
                return plain;
            }
            Headers.Builder headers = new Headers.Builder();
            for (int i = 0; i < plain.headers().size(); i++) {
                headers.add(plain.headers().name(i), plain.headers().value(i));
            }
            headers.add("upgrade", "websocket").add("sec-websocket-version", VERSION);
            return Response.of(UPGRADE_REQUIRED, headers.build(), plain.body());
        }
    }

    /**
     * It asks for a WebSocket.
     *
     * @param key as the client sent it
     * @param subprotocols that it offers, the one it likes best first
     * @param compression what both sides may agree on; null if the client offers none that is known
     */
    record Offer(String key, List<String> subprotocols, @Nullable DeflateOffer compression)
            implements Handshake {
        /** One that has been taken, of which nothing more is asked. */
        public static final Offer TAKEN = new Offer("", List.of(), null);

        public Offer {
            subprotocols = List.copyOf(subprotocols);
        }

        /** The value of Sec-WebSocket-Accept (RFC 6455 section 4.2.2). */
        public String accept() {
            byte[] text = (key + GUID).getBytes(StandardCharsets.US_ASCII);
            return Base64.getEncoder().encodeToString(sha1().digest(text));
        }
    }

    Handshake NONE = new None();

    /** They are for whoever answers, but those that Connection names end here. */
    List<String> OWN_FIELDS =
            List.of(
                    "sec-websocket-key",
                    "sec-websocket-version",
                    "sec-websocket-protocol",
                    "sec-websocket-extensions");

    /** What the server adds to the client's key before it hashes both (RFC 6455 section 1.3). */
    String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    int KEY_BYTES = 16;

    int UPGRADE_REQUIRED = 426;

    /**
     * Reads what a request says. Only a GET in HTTP/1.1 can ask for a WebSocket: in HTTP/1.0,
     * Upgrade means nothing (RFC 9110 section 7.8). A connection that is to end with its response
     * cannot become something else.
     */
    static Handshake of(Request request) {
        Headers headers = request.headers();
        String upgrade = headers.first("upgrade");
        if (upgrade == null
                || !request.method().equals("GET")
                || request.version() == HttpVersion.HTTP_1_0
                || !names(headers, "upgrade", "websocket")
                || !names(headers, "connection", "upgrade")
                || names(headers, "connection", "close")) {
            return NONE;
        }
        Body body = request.body();
        return offer(headers, !body.isEmpty() || body.arriving() != null);
    }

    private static Handshake offer(Headers headers, boolean hasContent) {
        List<String> versions = headers.all("sec-websocket-version");
        List<String> keys = headers.all("sec-websocket-key");
        if (hasContent) {
            return malformed("A WebSocket handshake cannot have content.");
        }
        if (versions.size() != 1 || !versions.getFirst().equals(VERSION)) {
            return new Malformed(
                    new ErrorMessage(
                            UPGRADE_REQUIRED,
                            "websocket_version",
                            "WebSockets are served in version 13 alone (Sec-WebSocket-Version)."));
        }
        for (String field : OWN_FIELDS) {
            if (names(headers, "connection", field)) {
                return malformed("Connection must not name the fields of the handshake.");
            }
        }
        if (keys.size() != 1 || !isKey(keys.getFirst())) {
            return malformed("Sec-WebSocket-Key must come once, as 16 bytes in base64.");
        }
        Set<String> subprotocols = new LinkedHashSet<>();
        if (!addTokens(headers, subprotocols)) {
            return malformed("Sec-WebSocket-Protocol must be a list of different tokens.");
        }
        return new Offer(
                keys.getFirst(),
                List.copyOf(subprotocols),
                DeflateOffer.of(headers.all("sec-websocket-extensions")));
    }

    private static Handshake malformed(String message) {
        return new Malformed(new ErrorMessage(400, "websocket_handshake", message));
    }

    private static boolean names(Headers headers, String field, String token) {
        boolean[] found = new boolean[1];
        for (String list : headers.all(field)) {
            FieldList.forEach(
                    list, (from, to) -> found[0] |= FieldList.isToken(token, list, from, to));
        }
        return found[0];
    }

    private static boolean isKey(String key) {
        try {
            return key.length() == 24 && Base64.getDecoder().decode(key).length == KEY_BYTES;
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** Adds the subprotocols that are offered. Returns false if one is no token, or comes twice. */
    private static boolean addTokens(Headers headers, Set<String> to) {
        boolean[] valid = {true};
        for (String list : headers.all("sec-websocket-protocol")) {
            FieldList.forEach(
                    list,
                    (from, until) -> {
                        String token = list.substring(from, until);
                        valid[0] &= FieldList.isToken(token) && to.add(token);
                    });
        }
        return valid[0];
    }

    private static MessageDigest sha1() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java has SHA-1", missing);
        }
    }
}
