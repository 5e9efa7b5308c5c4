package dev.handoff.http;

import java.nio.charset.StandardCharsets;

/**
 * The character sets of the grammar as tables over all 256 bytes, and the loops that run along
 * them.
 */
final class CharTables {
    /**
     * RFC 9110 section 5.6.2.
     *
     * <pre>
     * token = 1*tchar
     * tchar = "!" / "#" / "$" / "%" / "&amp;" / "'" / "*" / "+" / "-" / "." / "^" / "_" / "`" / "|" / "~"
     *       / DIGIT / ALPHA
     * </pre>
     */
    static final boolean[] TOKEN = lettersDigitsAnd("!#$%&'*+-.^_`|~");

    /**
     * RFC 3986 section 2, without {@code #}, since a fragment is never sent, and without {@code ?},
     * which begins the query. The handler's URL library decides which character may stand where in
     * a path.
     *
     * <pre>
     * unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"
     * gen-delims = ":" / "/" / "?" / "[" / "]" / "@"
     * sub-delims = "!" / "$" / "&amp;" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="
     * and "%" of pct-encoded
     * </pre>
     */
    private static final String RFC_3986_PATH = "-._~:/[]@!$&'()*+,;=%";

    /** Path and authority of a target, in the strict reading. */
    static final boolean[] STRICT_PATH = lettersDigitsAnd(RFC_3986_PATH);

    /** The query of a target, in the strict reading. */
    static final boolean[] STRICT_QUERY = lettersDigitsAnd(RFC_3986_PATH + "?");

    /**
     * More characters that browsers and fetch send, since the URL standard (WHATWG, percent-encoded
     * bytes) does not encode them: one in a path, six in a query.
     */
    static final boolean[] PATH = lettersDigitsAnd(RFC_3986_PATH + "|");

    static final boolean[] QUERY = lettersDigitsAnd(RFC_3986_PATH + "?|{}^`\\");

    /**
     * RFC 3986 section 3.2.2, without the comma: RFC 9110 section 5.3 lets intermediaries join two
     * Host fields with one, and readers would disagree about which host is meant.
     *
     * <pre>
     * reg-name = *( unreserved / pct-encoded / sub-delims )
     * </pre>
     */
    static final boolean[] REG_NAME = lettersDigitsAnd("-._~!$&'()*+;=%");

    /**
     * RFC 9110 section 5.5, with the white space inside.
     *
     * <pre>
     * field-vchar = VCHAR / obs-text
     * obs-text    = %x80-FF
     * and SP / HTAB between
     * </pre>
     */
    static final boolean[] FIELD_VALUE = visibleTextAnd(" \t");

    /** ASCII capitals as small letters, everything else as it is. */
    private static final byte[] LOWER = lower();

    private static final String HEX_DIGITS = "0123456789abcdef";

    private CharTables() {}

    /** The index of the first byte from {@code from} on that is not in the set, or {@code to}. */
    static int skip(boolean[] set, byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && set[bytes[at] & 0xff]) {
            at++;
        }
        return at;
    }

    /** Whether {@code text} has only characters of the set, none beyond ISO-8859-1. */
    static boolean isAllOf(boolean[] set, String text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c > 0xff || !set[c]) {
                return false;
            }
        }
        return true;
    }

    static boolean isToken(String text) {
        return !text.isEmpty() && isAllOf(TOKEN, text);
    }

    /** Whether the text has an ASCII letter in lower case. */
    static boolean hasLowerCase(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 'a' && c <= 'z') {
                return true;
            }
        }
        return false;
    }

    static boolean isDigits(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /** SP or HTAB, the white space of RFC 9110 section 5.6.3. */
    static boolean isSpace(int c) {
        return c == ' ' || c == '\t';
    }

    static byte lower(byte b) {
        return LOWER[b & 0xff];
    }

    /** The value of a hexadecimal digit of either case, or -1. */
    static int hexDigit(int c) {
        return c < 0 || c > 'f' ? -1 : HEX_DIGITS.indexOf(LOWER[c]);
    }

    /** The bytes as ISO-8859-1 text: one character each. */
    static String text(byte[] bytes, int from, int to) {
        return from == to ? "" : new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static boolean[] lettersDigitsAnd(String others) {
        boolean[] set = new boolean[256];
        for (char c = 0; c < 128; c++) {
            set[c] = Character.isLetterOrDigit(c) || others.indexOf(c) >= 0;
        }
        return set;
    }

    private static boolean[] visibleTextAnd(String others) {
        boolean[] set = new boolean[256];
        for (char c = 0; c < 256; c++) {
            set[c] = (c > 0x20 && c != 0x7f) || others.indexOf(c) >= 0;
        }
        return set;
    }

    private static byte[] lower() {
        byte[] lower = new byte[256];
        for (int c = 0; c < 256; c++) {
            lower[c] = (byte) (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
        }
        return lower;
    }
}
