package dev.handoff.server.forwarding;

import dev.handoff.http.ClientCertificate;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where a request comes from, as far as the server believes it.
 *
 * @param client as it is written in frames and logs, see {@link ClientAddress#format}
 * @param address the same client's; null where it has none, as behind a Unix socket
 * @param scheme that the client has spoken: {@link #HTTP} or {@link #HTTPS}
 * @param place where the connection was accepted, by the name that its listener has; empty where
 *     nobody says. No proxy has a say in it
 * @param byProxy whether a trusted proxy has said so: what the request then has of the fields that
 *     proxies write is believed
 * @param certificate that the client has shown here; null if none. That of a proxy is not its
 *     client's
 */
public record Origin(
        String client,
        @Nullable InetAddress address,
        String scheme,
        String place,
        boolean byProxy,
        @Nullable ClientCertificate certificate) {
    public static final String HTTP = "http";
    public static final String HTTPS = "https";

    /** One of whom no proxy has said anything, without a certificate. */
    public Origin(String client, @Nullable InetAddress address, String scheme, String place) {
        this(client, address, scheme, place, false, null);
    }

    /** The same, which has shown a certificate. */
    public Origin with(ClientCertificate shown) {
        return new Origin(client, address, scheme, place, byProxy, shown);
    }

    /**
     * The peer of a connection, without a proxy between.
     *
     * @param scheme what is spoken on the connection
     * @param place where it was accepted
     */
    public static Origin of(SocketAddress peer, String scheme, String place) {
        InetAddress address = peer instanceof InetSocketAddress inet ? inet.getAddress() : null;
        return new Origin(ClientAddress.format(peer), address, scheme, place);
    }

    /** The scheme that a proxy has named, in any case; http where it is none of the two. */
    static String schemeOf(String named) {
        // RFC 6455 section 11.1: a proxy may name the scheme of the WebSocket.
        return HTTPS.equalsIgnoreCase(named) || "wss".equalsIgnoreCase(named) ? HTTPS : HTTP;
    }
}
