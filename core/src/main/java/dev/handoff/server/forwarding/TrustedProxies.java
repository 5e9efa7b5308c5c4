package dev.handoff.server.forwarding;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/**
 * The networks whose proxies the server believes when they name the client of a request, in {@code
 * Forwarded} (RFC 7239) or {@code X-Forwarded-For}. Immutable.
 *
 * <p>With such a list these fields mean something. The server drops those of all other peers, and
 * leaves of a trusted proxy's only what trusted proxies wrote, so that a handler may believe what
 * it sees. {@link Forwarding} says what that is.
 */
public final class TrustedProxies {
    /** Stands for whoever connects to a Unix socket. */
    public static final String UNIX = "unix";

    private final List<Network> networks;
    private final boolean unix;

    private TrustedProxies(List<Network> networks, boolean unix) {
        this.networks = networks;
        this.unix = unix;
    }

    /**
     * @param networks such as {@code 10.0.0.0/8}, {@code 2001:db8::/32} or {@code 192.0.2.1}, or
     *     {@link #UNIX}
     * @throws IllegalArgumentException if one is none of these, or there are none
     */
    public static TrustedProxies of(List<String> networks) {
        if (networks.isEmpty()) {
            throw new IllegalArgumentException("no network is named");
        }
        List<Network> parsed =
                networks.stream().filter(each -> !each.equals(UNIX)).map(Network::parse).toList();
        return new TrustedProxies(parsed, networks.contains(UNIX));
    }

    boolean contains(SocketAddress peer) {
        return peer instanceof InetSocketAddress inet ? contains(inet.getAddress()) : unix;
    }

    public boolean contains(InetAddress address) {
        for (Network network : networks) {
            if (network.contains(address)) {
                return true;
            }
        }
        return false;
    }
}
