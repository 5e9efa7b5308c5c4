package dev.handoff.server.forwarding;

import dev.handoff.http.IpSyntax;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Reads the address of a client or a proxy, as the proxy behind it has written it. */
final class ForwardedNode {
    private static final int MAX_PORT = 65_535;
    private static final int PORT_DIGITS = 5;

    private ForwardedNode() {}

    /**
     * The address and the port, which is 0 where none is named; null for {@code unknown}, for names
     * that hide an address (RFC 7239 section 6.3), and for whatever else is no address.
     */
    static @Nullable InetSocketAddress parse(String node) {
        if (IpSyntax.isIpv6(node)) {
            // X-Forwarded-For has IPv6 addresses without brackets, which leaves no room for a port.
            return new InetSocketAddress(InetAddress.ofLiteral(node), 0);
        }
        boolean bracketed = node.startsWith("[");
        int end = bracketed ? node.indexOf(']') : node.indexOf(':');
        int hostEnd = end < 0 ? node.length() : end;
        String host = node.substring(bracketed ? 1 : 0, hostEnd);
        boolean isAddress = bracketed ? end > 0 && IpSyntax.isIpv6(host) : IpSyntax.isIpv4(host);
        String rest = node.substring(bracketed && end > 0 ? end + 1 : hostEnd);
        int port = port(rest);
        return isAddress && port >= 0
                ? new InetSocketAddress(InetAddress.ofLiteral(host), port)
                : null;
    }

    /** The number behind ":"; 0 for no port, or a hidden one such as "_x"; -1 for anything else. */
    private static int port(String text) {
        if (text.isEmpty() || text.startsWith(":_")) {
            return 0;
        }
        String digits = text.substring(1);
        if (text.charAt(0) != ':'
                || digits.isEmpty()
                || digits.length() > PORT_DIGITS
                || !digits.chars().allMatch(each -> each >= '0' && each <= '9')) {
            return -1;
        }
        int port = Integer.parseInt(digits);
        return port <= MAX_PORT ? port : -1;
    }
}
