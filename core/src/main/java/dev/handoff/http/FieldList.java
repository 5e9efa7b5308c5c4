package dev.handoff.http;

/** The elements of a field value that is a list (RFC 9110 section 5.6.1). */
public final class FieldList {

    /** Takes one element: the list's characters from {@code from} to {@code to}. */
    public interface Taker {
        void element(int from, int to);
    }

    private FieldList() {}

    /**
     * Passes on the elements between commas, without white space around them. It skips empty ones,
     * as section 5.6.1.2 wants. A comma inside a quoted string separates too: in none of the lists
     * that the core reads does a quoted comma have a meaning.
     */
    public static void forEach(String list, Taker taker) {
        int start = 0;
        while (start <= list.length()) {
            int end = endBefore(',', list, start, list.length());
            int from = skipSpace(list, start, end);
            int to = withoutSpaceAtEnd(list, from, end);
            if (from < to) {
                taker.element(from, to);
            }
            start = end + 1;
        }
    }

    /** Whether it is a token (RFC 9110 section 5.6.2), which no element of most lists need be. */
    public static boolean isToken(String text) {
        return CharTables.isToken(text);
    }

    /** Whether the characters from {@code from} to {@code to} are {@code token}, in any case. */
    public static boolean isToken(String token, String list, int from, int to) {
        return to - from == token.length()
                && list.regionMatches(true, from, token, 0, token.length());
    }

    /** The index of the first {@code delimiter} from {@code from} on, or {@code to}. */
    static int endBefore(char delimiter, String list, int from, int to) {
        int at = list.indexOf(delimiter, from, to);
        return at < 0 ? to : at;
    }

    static int skipSpace(String list, int from, int to) {
        int at = from;
        while (at < to && CharTables.isSpace(list.charAt(at))) {
            at++;
        }
        return at;
    }

    static int withoutSpaceAtEnd(String list, int from, int to) {
        int end = to;
        while (end > from && CharTables.isSpace(list.charAt(end - 1))) {
            end--;
        }
        return end;
    }
}
