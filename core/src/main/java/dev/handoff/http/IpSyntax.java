package dev.handoff.http;

/** The syntax of IP addresses in RFC 3986 section 3.2.2. It never looks a name up. */
public final class IpSyntax {
    private static final int IPV6_GROUPS = 8;
    private static final int GROUP_DIGITS = 4;

    private IpSyntax() {}

    /**
     * IPv6address of RFC 3986 section 3.2.2: eight groups of one to four hex digits, of which one
     * run may be left out as "::" and the last two may be an IPv4 address. The IPvFuture of the
     * same section is refused: no such version exists.
     */
    public static boolean isIpv6(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            return groups(text, true) == IPV6_GROUPS;
        }
        String before = text.substring(0, gap);
        String after = text.substring(gap + 2);
        int left = before.isEmpty() ? 0 : groups(before, false);
        int right = after.isEmpty() ? 0 : groups(after, true);
        return left >= 0 && right >= 0 && left + right < IPV6_GROUPS;
    }

    /** The number of 16-bit groups between colons, or -1 where something else stands there. */
    private static int groups(String text, boolean mayEndInIpv4) {
        int groups = 0;
        int start = 0;
        while (true) {
            int colon = text.indexOf(':', start);
            int end = colon < 0 ? text.length() : colon;
            if (isGroup(text, start, end)) {
                groups++;
            } else if (colon < 0 && mayEndInIpv4 && isIpv4(text.substring(start))) {
                groups += 2;
            } else {
                return -1;
            }
            if (colon < 0) {
                return groups;
            }
            start = colon + 1;
        }
    }

    private static boolean isGroup(String text, int from, int to) {
        if (from == to || to - from > GROUP_DIGITS) {
            return false;
        }
        for (int i = from; i < to; i++) {
            if (CharTables.hexDigit(text.charAt(i)) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Four decimal octets without leading zeros. */
    public static boolean isIpv4(String text) {
        String[] octets = text.split("\\.", -1);
        for (String octet : octets) {
            if (!CharTables.isDigits(octet)
                    || octet.length() > 3
                    || (octet.length() > 1 && octet.charAt(0) == '0')
                    || Integer.parseInt(octet) > 255) {
                return false;
            }
        }
        return octets.length == 4;
    }
}
