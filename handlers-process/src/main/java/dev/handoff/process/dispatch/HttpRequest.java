package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.http.ClientFields;
import dev.handoff.http.EndToEndFields;
import dev.handoff.http.Request;
import dev.handoff.process.protocol.EncodedRequest;
import dev.handoff.server.Exchange;
import dev.handoff.server.forwarding.Origin;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * A request as an HTTP server reads it: request line and fields as they go on the wire, and the
 * content. It may cross threads, and may be written more than once.
 *
 * <p>The server is told of the client by {@code X-Forwarded-For}, {@code -Proto}, {@code -Host} and
 * {@code -Prefix}, and of the certificate that it has shown by {@code Client-Cert} (RFC 9440). What
 * a client says of itself in these fields never gets through: the core has found out who it is,
 * behind trusted proxies too, whose {@code X-Forwarded-Host} and {@code -Port}, {@code Client-Cert}
 * and {@code Client-Cert-Chain} are passed on.
 */
final class HttpRequest implements EncodedRequest {
    /** RFC 9112 section 3.2: HTTP/1.1 needs a Host, which a client of 1.0 may have left out. */
    private static final String NO_HOST = "localhost";

    private static final String FORWARDED_HOST = "x-forwarded-host";
    private static final String CLIENT_CERT = "client-cert";

    /** What a trusted proxy says that the core has no use for. */
    private static final Set<String> OF_PROXIES =
            Set.of(FORWARDED_HOST, "x-forwarded-port", CLIENT_CERT, "client-cert-chain");

    /** Some servers do not read the content of other requests. */
    private static final Set<String> MEANT_WITH_CONTENT = Set.of("POST", "PUT", "PATCH");

    private static final String EXTENSIONS = "sec-websocket-extensions";

    private static final int FIELDS_BYTES = 512;

    private final byte[] head;
    private final Body body;
    private final boolean chunked;
    private final boolean last;

    private HttpRequest(byte[] head, Body body, boolean chunked, boolean last) {
        this.head = head;
        this.body = body;
        this.chunked = chunked;
        this.last = last;
    }

    /**
     * @param webSocket whether it asks for a WebSocket
     */
    static HttpRequest of(Exchange exchange, boolean webSocket) {
        Request request = exchange.request();
        Origin origin = exchange.origin();
        String prefix = exchange.prefix();
        StringBuilder text = new StringBuilder(FIELDS_BYTES);
        text.append(request.method()).append(' ');
        target(request.target(), prefix, text);
        text.append(" HTTP/1.1\r\n");
        String host = request.headers().first("host");
        if (host == null) {
            field("host", NO_HOST, text);
        }
        EndToEndFields.forEach(
                request,
                (name, value) -> {
                    // The core agrees on extensions with its client, and on none with the server.
                    String plain = ClientFields.plain(name);
                    boolean isWanted =
                            ClientFields.isOne(plain)
                                    ? origin.byProxy() && OF_PROXIES.contains(name)
                                    : !isDisguised(name, plain) && !name.equals(EXTENSIONS);
                    if (isWanted) {
                        field(name, value, text);
                    }
                });
        Body body = request.body();
        boolean last = hasContent(body) && !MEANT_WITH_CONTENT.contains(request.method());
        if (last) {
            field("connection", "close", text);
        } else if (webSocket) {
            field("connection", "Upgrade", text);
            field("upgrade", "websocket", text);
        }
        if (origin.address() != null) {
            field("x-forwarded-for", addressOf(origin.client()), text);
        }
        field("x-forwarded-proto", origin.scheme(), text);
        boolean isHostTold = origin.byProxy() && request.headers().contains(FORWARDED_HOST);
        if (host != null && !isHostTold) {
            field(FORWARDED_HOST, host, text);
        }
        if (!prefix.isEmpty()) {
            field("x-forwarded-prefix", prefix, text);
        }
        if (origin.certificate() != null) {
            field(CLIENT_CERT, ":" + origin.certificate().encoded() + ":", text);
        }
        String requestId = exchange.requestId();
        if (requestId != null && !request.headers().contains("x-request-id")) {
            field("x-request-id", requestId, text);
        }
        text.append("\r\n");
        return new HttpRequest(
                text.toString().getBytes(StandardCharsets.ISO_8859_1),
                body,
                body.arriving() != null && !request.headers().contains("content-length"),
                last);
    }

    private static boolean hasContent(Body body) {
        return !body.isEmpty() || body.arriving() != null || body.stored() != null;
    }

    /** The prefix is what the server does not know of: it gets what is behind it. */
    private static void target(String target, String prefix, StringBuilder to) {
        if (prefix.isEmpty()) {
            to.append(target);
            return;
        }
        if (target.length() == prefix.length() || target.charAt(prefix.length()) != '/') {
            to.append('/');
        }
        to.append(target, prefix.length(), target.length());
    }

    /** Whether a field could be taken for one that the core answers for, and is none of them. */
    private static boolean isDisguised(String name, String plain) {
        return !plain.equals(name)
                && (plain.equals("content-length")
                        || plain.equals("transfer-encoding")
                        || plain.equals("host"));
    }

    /** The client's address without its port, and without brackets. */
    private static String addressOf(String client) {
        String address = client.substring(0, client.lastIndexOf(':'));
        return address.startsWith("[") ? address.substring(1, address.length() - 1) : address;
    }

    private static void field(String name, String value, StringBuilder to) {
        to.append(name).append(": ").append(value).append("\r\n");
    }

    /** Request line, fields and the empty line. Nobody may change them. */
    byte[] head() {
        return head;
    }

    /** Whether the content has to be sent in chunks, since its length is not known. */
    boolean isChunked() {
        return chunked;
    }

    boolean hasContent() {
        return hasContent(body);
    }

    /** Whether it tells the server that no other request comes behind it. */
    boolean isLast() {
        return last;
    }

    @Override
    public int sizeBytes() {
        return 2 * head.length + body.heldBytes();
    }

    @Override
    public Body body() {
        return body;
    }
}
