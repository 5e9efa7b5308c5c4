package dev.handoff.http;

import java.util.regex.Pattern;

/**
 * Which fields say who the client is, or how it came: proxies write them, and clients who want to
 * pass for somebody else.
 */
public final class ClientFields {
    private static final Pattern ODD = Pattern.compile("[^a-z0-9-]");

    private ClientFields() {}

    /**
     * Whether a field is one of these, or could be taken for one. Servers that put fields into
     * variables may read any character that is neither letter nor digit as {@code -}.
     *
     * @param name in lower-case
     */
    public static boolean isTakenForOne(String name) {
        return isOne(plain(name));
    }

    /**
     * Whether a field is one of these.
     *
     * @param name in lower-case
     */
    public static boolean isOne(String name) {
        return name.equals("forwarded")
                || name.equals("x-real-ip")
                || name.startsWith("x-forwarded-")
                || name.startsWith("client-cert");
    }

    /**
     * A name as servers may read it.
     *
     * @param name in lower-case
     */
    public static String plain(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != '-' && !Character.isLetterOrDigit(c)) {
                return ODD.matcher(name).replaceAll("-");
            }
        }
        return name;
    }
}
