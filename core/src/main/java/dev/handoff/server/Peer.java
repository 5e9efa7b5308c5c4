package dev.handoff.server;

import dev.handoff.http.Request;
import dev.handoff.server.forwarding.ClientAddress;
import dev.handoff.server.forwarding.Forwarding;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The other end of one connection: a client, or a trusted proxy, which names its clients. Belongs
 * to the loop's thread.
 */
final class Peer {
    private final String address;

    /** Null where no proxy is trusted, and what requests say of proxies means nothing. */
    private final @Nullable Forwarding forwarding;

    Peer(SocketAddress peer, @Nullable Forwarding forwarding) {
        this.address = ClientAddress.format(peer);
        this.forwarding = forwarding;
    }

    /** The peer's own address. */
    String address() {
        return address;
    }

    boolean isTrustedProxy() {
        return forwarding != null && forwarding.isPeerTrusted();
    }

    /** The request as the handler sees it, with its client; null where no proxy is trusted. */
    Forwarding.@Nullable Judged judge(Request request) {
        return forwarding == null ? null : forwarding.judge(request);
    }
}
