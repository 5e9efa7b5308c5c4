package dev.handoff.http;

/** The syntax of a host with an optional port, as in the Host field (RFC 9110 section 7.2). */
final class Authority {
    private static final int MAX_PORT = 65_535;

    private Authority() {}

    /**
     * Host = uri-host [ ":" port ], where the host is not empty. User information is not part of
     * it, so an {@code @} is refused.
     */
    static boolean isValid(String text) {
        if (text.startsWith("[")) {
            int close = text.indexOf(']');
            return close > 0
                    && IpSyntax.isIpv6(text.substring(1, close))
                    && isPort(text, close + 1);
        }
        int end = text.indexOf(':');
        if (end < 0) {
            end = text.length();
        }
        return end > 0 && isRegName(text, end) && isPort(text, end);
    }

    /** Checks a reg-name; an IPv4 address is one too. Every "%" begins a pct-encoded. */
    private static boolean isRegName(String text, int end) {
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (c > 0xff || !CharTables.REG_NAME[c]) {
                return false;
            }
            if (c == '%'
                    && (i + 2 >= end
                            || CharTables.hexDigit(text.charAt(i + 1)) < 0
                            || CharTables.hexDigit(text.charAt(i + 2)) < 0)) {
                return false;
            }
        }
        return true;
    }

    /** Checks a port: nothing, or ":" and a port number of TCP. RFC 3986 allows the colon alone. */
    private static boolean isPort(String text, int from) {
        if (from == text.length()) {
            return true;
        }
        if (text.charAt(from) != ':') {
            return false;
        }
        int port = 0;
        for (int i = from + 1; i < text.length(); i++) {
            if (!CharTables.isDigit(text.charAt(i))) {
                return false;
            }
            port = 10 * port + text.charAt(i) - '0';
            if (port > MAX_PORT) {
                return false;
            }
        }
        return true;
    }
}
