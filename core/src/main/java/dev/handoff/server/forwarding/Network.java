package dev.handoff.server.forwarding;

import dev.handoff.http.IpSyntax;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * The addresses that begin with the same bits.
 *
 * @param prefixBits how many of the first bits of {@code address} count
 */
public record Network(InetAddress address, int prefixBits) {
    private static final int IPV4_BYTES = 4;

    /** A subscriber gets at least so much, and chooses among the addresses in it freely. */
    private static final int CLIENT_PREFIX_BITS = 64;

    /**
     * Reads {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or one address.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static Network parse(String text) {
        int slash = text.indexOf('/');
        String literal = slash < 0 ? text : text.substring(0, slash);
        if (!IpSyntax.isIpv4(literal) && !IpSyntax.isIpv6(literal)) {
            throw new IllegalArgumentException("'" + text + "' does not begin with an IP address");
        }
        InetAddress address = InetAddress.ofLiteral(literal);
        int bits = 8 * address.getAddress().length;
        if (slash < 0) {
            return new Network(address, bits);
        }
        String length = text.substring(slash + 1);
        if (!length.matches("[0-9]{1,3}") || Integer.parseInt(length) > bits) {
            throw new IllegalArgumentException(
                    "'" + text + "' does not end with a number of bits up to " + bits);
        }
        return new Network(address, Integer.parseInt(length));
    }

    /** What stands for one client: its IPv4 address, or the first 64 bits of its IPv6 address. */
    public static Network ofClient(InetAddress client) {
        byte[] bytes = client.getAddress();
        if (bytes.length == IPV4_BYTES) {
            return new Network(client, 8 * IPV4_BYTES);
        }
        Arrays.fill(bytes, CLIENT_PREFIX_BITS / 8, bytes.length, (byte) 0);
        try {
            return new Network(InetAddress.getByAddress(bytes), CLIENT_PREFIX_BITS);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** As it is read. */
    @Override
    public String toString() {
        String text = ClientAddress.format(address);
        return prefixBits == 8 * address.getAddress().length ? text : text + "/" + prefixBits;
    }

    /** Whether each address of the other is one of this. */
    public boolean contains(Network other) {
        return prefixBits <= other.prefixBits && contains(other.address);
    }

    public boolean contains(InetAddress candidate) {
        byte[] ours = address.getAddress();
        byte[] theirs = candidate.getAddress();
        if (ours.length != theirs.length) {
            return false;
        }
        int wholeBytes = prefixBits / 8;
        for (int i = 0; i < wholeBytes; i++) {
            if (ours[i] != theirs[i]) {
                return false;
            }
        }
        int bitsLeft = prefixBits % 8;
        return bitsLeft == 0
                || ((ours[wholeBytes] ^ theirs[wholeBytes]) & 0xff) >> (8 - bitsLeft) == 0;
    }
}
