package dev.handoff.server;

import dev.handoff.http.Request;
import dev.handoff.server.forwarding.Forwarding;
import dev.handoff.server.forwarding.Origin;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The other end of one connection: a client, or a trusted proxy, which names its clients. Belongs
 * to the loop's thread.
 */
final class Peer {
    private final Origin origin;

    /** Null where no proxy is trusted, and what requests say of proxies means nothing. */
    private final @Nullable Forwarding forwarding;

    /**
     * @param scheme what is spoken on the connection
     */
    Peer(SocketAddress peer, String scheme, @Nullable Forwarding forwarding) {
        this.origin = Origin.of(peer, scheme);
        this.forwarding = forwarding;
    }

    /** The peer itself. */
    Origin origin() {
        return origin;
    }

    /** The peer's own address. */
    String address() {
        return origin.client();
    }

    /** Whether it may ask for https resources: over TLS, or as a proxy that ended TLS before. */
    boolean mayAskForHttps() {
        return origin.scheme().equals(Origin.HTTPS)
                || (forwarding != null && forwarding.isPeerTrusted());
    }

    /** The request as the handler sees it, with its client; null where no proxy is trusted. */
    Forwarding.@Nullable Judged judge(Request request) {
        return forwarding == null ? null : forwarding.judge(request);
    }
}
