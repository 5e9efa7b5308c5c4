package dev.handoff.http;

/**
 * The fields that speak about one connection and must not be passed on (RFC 9110 section 7.6.1).
 * Passed on, they would let a client or a handler steer a connection that is not its own.
 */
public final class HopByHop {
    private HopByHop() {}

    /**
     * Whether a field is hop-by-hop by its name. A Connection field may name more, which the caller
     * has to find.
     *
     * @param name in any case
     */
    public static boolean isHopByHop(String name) {
        return switch (name.length()) {
            case 2 -> name.equalsIgnoreCase("te");
            case 7 -> name.equalsIgnoreCase("trailer") || name.equalsIgnoreCase("upgrade");
            case 10 -> name.equalsIgnoreCase("connection") || name.equalsIgnoreCase("keep-alive");
            case 16 -> name.equalsIgnoreCase("proxy-connection");
            case 17 -> name.equalsIgnoreCase("transfer-encoding");
            default -> false;
        };
    }
}
