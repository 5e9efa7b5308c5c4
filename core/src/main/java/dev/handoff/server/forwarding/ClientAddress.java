package dev.handoff.server.forwarding;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** How a peer is written in frames and logs. */
public final class ClientAddress {
    private static final int GROUPS = 8;

    private ClientAddress() {}

    /** {@code address:port}, with IPv6 in brackets; a Unix socket's peer is {@code unix:0}. */
    public static String format(SocketAddress peer) {
        if (!(peer instanceof InetSocketAddress inet)) {
            return "unix:0";
        }
        InetAddress address = inet.getAddress();
        String host = format(address);
        return (address instanceof Inet6Address ? "[" + host + "]" : host) + ":" + inet.getPort();
    }

    /** As other programs write it: IPv6 as in RFC 5952, such as {@code 2001:db8::1}. */
    public static String format(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address.getHostAddress();
        }
        int[] groups = groups(address.getAddress());
        int from = 0;
        int length = 0;
        for (int i = 0; i < GROUPS; i++) {
            int zeros = zeros(groups, i);
            if (zeros > length) {
                from = i;
                length = zeros;
            }
        }
        String java = address.getHostAddress();
        int scope = java.indexOf('%');
        String shown =
                length < 2
                        ? joined(groups, 0, GROUPS)
                        : joined(groups, 0, from) + "::" + joined(groups, from + length, GROUPS);
        return scope < 0 ? shown : shown + java.substring(scope);
    }

    private static int[] groups(byte[] bytes) {
        int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = (bytes[2 * i] & 0xff) << 8 | (bytes[2 * i + 1] & 0xff);
        }
        return groups;
    }

    /** How many groups are 0 from there on. */
    private static int zeros(int[] groups, int from) {
        int to = from;
        while (to < GROUPS && groups[to] == 0) {
            to++;
        }
        return to - from;
    }

    private static String joined(int[] groups, int from, int to) {
        StringBuilder joined = new StringBuilder();
        for (int i = from; i < to; i++) {
            joined.append(i == from ? "" : ":").append(Integer.toHexString(groups[i]));
        }
        return joined.toString();
    }
}
