package dev.handoff.server.forwarding;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** How a peer is written in frames and logs. */
public final class ClientAddress {
    private ClientAddress() {}

    /** {@code address:port}, with IPv6 in brackets; a Unix socket's peer is {@code unix}. */
    public static String format(SocketAddress peer) {
        if (!(peer instanceof InetSocketAddress inet)) {
            return "unix";
        }
        InetAddress address = inet.getAddress();
        String host = address.getHostAddress();
        return (address instanceof Inet6Address ? "[" + host + "]" : host) + ":" + inet.getPort();
    }
}
