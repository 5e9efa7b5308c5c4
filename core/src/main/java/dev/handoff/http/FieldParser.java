package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * Reads a section of field lines up to its empty line (RFC 9112 section 5). The bytes may come in
 * any portions. The section is the header section of a request, or the trailer section of a chunked
 * body, whose fields are checked in the same way but dropped.
 *
 * <pre>
 * field-line = field-name ":" OWS field-value OWS CRLF
 *
 *     ┌──────────────────────────LF──────────────────────────┐
 *     v                                                      │
 *   START ──&gt; NAME ──:──&gt; VALUE_START ──&gt; VALUE ──CR──&gt; LINE_LF
 *     └──CR──&gt; END_LF ──LF──&gt; DONE                (REFUSED from anywhere)
 * </pre>
 */
final class FieldParser {
    private enum State {
        START,
        NAME,
        VALUE_START,
        VALUE,
        LINE_LF,
        END_LF,
        DONE,
        REFUSED
    }

    private final int maxFields;
    private final Refusal tooMany;
    private final Fragment fragment;

    /** Null where the fields are dropped. */
    private final Headers.@Nullable Builder kept;

    private State state = State.START;
    private int count;
    private String name = "";
    private @Nullable Refusal refusal;

    private FieldParser(
            int maxFields, Refusal tooMany, Fragment fragment, Headers.@Nullable Builder kept) {
        this.maxFields = maxFields;
        this.tooMany = tooMany;
        this.fragment = fragment;
        this.kept = kept;
    }

    static FieldParser ofHeaders(int maxFields, Fragment fragment, Headers.Builder kept) {
        return new FieldParser(maxFields, Refusal.TOO_MANY_FIELDS, fragment, kept);
    }

    static FieldParser ofTrailers(int maxFields, Fragment fragment) {
        return new FieldParser(maxFields, Refusal.TRAILERS_TOO_LARGE, fragment, null);
    }

    /** Reads on; returns the index behind the last byte taken. */
    int parse(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            switch (state) {
                case START -> at = lineStart(bytes[at], at);
                case NAME -> at = name(bytes, at, to);
                case VALUE_START -> at = valueStart(bytes, at, to);
                case VALUE -> at = value(bytes, at, to);
                case LINE_LF -> at = lineFeed(bytes[at], at, State.START);
                case END_LF -> at = lineFeed(bytes[at], at, State.DONE);
                case DONE, REFUSED -> {
                    return at;
                }
            }
        }
        return at;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    @Nullable Refusal refusal() {
        return refusal;
    }

    /** The number of field lines begun. */
    int count() {
        return count;
    }

    void reset() {
        state = State.START;
        count = 0;
        name = "";
        refusal = null;
        fragment.clear();
    }

    private int lineStart(byte b, int at) {
        if (CharTables.TOKEN[b & 0xff]) {
            if (count == maxFields) {
                return refuse(tooMany, at);
            }
            count++;
            state = State.NAME;
            return at;
        }
        return switch (b) {
            case '\r' -> {
                state = State.END_LF;
                yield at + 1;
            }
            case '\n' -> refuse(Refusal.BARE_LF, at);
            case ' ', '\t' -> refuse(Refusal.OBSOLETE_FOLD, at);
            default -> refuse(Refusal.BAD_HEADER_NAME, at);
        };
    }

    private int name(byte[] bytes, int from, int to) {
        int end = CharTables.skip(CharTables.TOKEN, bytes, from, to);
        if (end == to) {
            save(bytes, from, to);
            return to;
        }
        if (bytes[end] != ':') {
            // RFC 9112 section 5.1: some readers took such a name without its space, some with it.
            boolean space = CharTables.isSpace(bytes[end]);
            return refuse(space ? Refusal.SPACE_BEFORE_COLON : Refusal.BAD_HEADER_NAME, end);
        }
        if (kept != null) {
            name = fragment.complete(bytes, from, end, KnownNames::fieldName);
        }
        state = State.VALUE_START;
        return end + 1;
    }

    private int valueStart(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && CharTables.isSpace(bytes[at])) {
            at++;
        }
        if (at < to) {
            state = State.VALUE;
        }
        return at;
    }

    private int value(byte[] bytes, int from, int to) {
        int end = CharTables.skip(CharTables.FIELD_VALUE, bytes, from, to);
        if (end == to) {
            save(bytes, from, to);
            return to;
        }
        if (bytes[end] != '\r') {
            return refuse(bytes[end] == '\n' ? Refusal.BARE_LF : Refusal.BAD_HEADER_VALUE, end);
        }
        if (kept != null) {
            kept.add(name, fragment.complete(bytes, from, end, FieldParser::withoutSpaceAtEnd));
        }
        state = State.LINE_LF;
        return end + 1;
    }

    private static String withoutSpaceAtEnd(byte[] bytes, int from, int to) {
        int end = to;
        while (end > from && CharTables.isSpace(bytes[end - 1])) {
            end--;
        }
        return CharTables.text(bytes, from, end);
    }

    private int lineFeed(byte b, int at, State next) {
        if (b != '\n') {
            return refuse(Refusal.BARE_CR, at);
        }
        state = next;
        return at + 1;
    }

    private void save(byte[] bytes, int from, int to) {
        if (kept != null) {
            fragment.append(bytes, from, to);
        }
    }

    private int refuse(Refusal why, int at) {
        refusal = why;
        state = State.REFUSED;
        return at + 1;
    }
}
