package dev.handoff.server;

import dev.handoff.server.forwarding.Network;
import dev.handoff.server.forwarding.TrustedProxies;
import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts what each client has: its connections, or, where a trusted proxy speaks for it, its
 * requests in hand. A client is an IPv4 address or an IPv6 network of 64 bits, which is what one
 * subscriber has. There are never more counts than connections and requests. For any thread.
 */
final class ClientLimit {
    private final int most;
    private final @Nullable TrustedProxies exempt;
    private final ConcurrentHashMap<Network, Integer> counts = new ConcurrentHashMap<>();

    /**
     * @param exempt proxies, whose connections and own requests are not limited
     */
    ClientLimit(int most, @Nullable TrustedProxies exempt) {
        this.most = most;
        this.exempt = exempt;
    }

    /** Whether the client may have one more; if so it is counted until it {@link #leave leaves}. */
    boolean enter(InetAddress client) {
        if (isExempt(client)) {
            return true;
        }
        Network network = Network.ofClient(client);
        int now = counts.merge(network, 1, Integer::sum);
        if (now > most) {
            decrement(network);
        }
        return now <= most;
    }

    void leave(InetAddress client) {
        if (!isExempt(client)) {
            decrement(Network.ofClient(client));
        }
    }

    /** How many clients have something. */
    int clients() {
        return counts.size();
    }

    private boolean isExempt(InetAddress client) {
        return exempt != null && exempt.contains(client);
    }

    private void decrement(Network client) {
        counts.computeIfPresent(client, (key, count) -> count > 1 ? count - 1 : null);
    }
}
