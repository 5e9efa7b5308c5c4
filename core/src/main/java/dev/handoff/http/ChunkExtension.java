package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * Checks the extensions of a chunk-size line (RFC 9112 section 7.1.1) byte by byte, and drops them.
 * No extension has a meaning here. It is strict all the same, since request smuggling needs a
 * lenient reader: each extension ends where the grammar says. RFC 9110 section 5.6.3 has recipients
 * accept the white space (BWS), which nobody may send; it never precedes a line end.
 *
 * <pre>
 * chunk-ext     = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
 * chunk-ext-val = token / quoted-string
 * quoted-string = DQUOTE *( qdtext / "\" ( HTAB / SP / VCHAR / obs-text ) ) DQUOTE
 * </pre>
 */
final class ChunkExtension {
    /**
     * The limit for all extensions of a request together, since they cost time and carry nothing.
     */
    static final int MAX_BYTES = 1024;

    private enum State {
        /** After white space that only a semicolon may follow. */
        SEMICOLON,
        NAME_START,
        NAME,
        /** After white space behind a name. */
        EQUALS,
        VALUE_START,
        VALUE,
        QUOTED,
        ESCAPED,
        AFTER_QUOTED
    }

    private State state = State.SEMICOLON;
    private int taken;

    /** A size ended with {@code b}, a semicolon or white space, on this line or a later one. */
    @Nullable Refusal begin(byte b) {
        state = State.SEMICOLON;
        return take(b);
    }

    /** Whether the line may end here. */
    boolean mayEnd() {
        return switch (state) {
            case NAME, VALUE, AFTER_QUOTED -> true;
            case SEMICOLON, NAME_START, EQUALS, VALUE_START, QUOTED, ESCAPED -> false;
        };
    }

    /** Takes one byte that is not the line's end; returns what is wrong with it, if anything. */
    @Nullable Refusal take(byte b) {
        State next = next(b);
        if (next == null) {
            return Refusal.BAD_CHUNK_EXTENSION;
        }
        state = next;
        return count();
    }

    private @Nullable Refusal count() {
        return ++taken > MAX_BYTES ? Refusal.CHUNK_EXTENSION_TOO_LONG : null;
    }

    private @Nullable State next(byte b) {
        boolean token = CharTables.TOKEN[b & 0xff];
        boolean text = CharTables.FIELD_VALUE[b & 0xff];
        return switch (state) {
            case SEMICOLON -> behindExtension(b);
            case NAME_START -> token ? State.NAME : spaceIn(State.NAME_START, b);
            case NAME -> token ? State.NAME : b == '=' ? State.VALUE_START : behindName(b);
            case EQUALS -> b == '=' ? State.VALUE_START : behindName(b);
            case VALUE_START ->
                    token ? State.VALUE : b == '"' ? State.QUOTED : spaceIn(State.VALUE_START, b);
            case VALUE -> token ? State.VALUE : behindExtension(b);
            case QUOTED -> b == '"' ? State.AFTER_QUOTED : quoted(b, text);
            case ESCAPED -> text ? State.QUOTED : null;
            case AFTER_QUOTED -> behindExtension(b);
        };
    }

    private static @Nullable State behindName(byte b) {
        return b == ';' ? State.NAME_START : spaceIn(State.EQUALS, b);
    }

    private static @Nullable State behindExtension(byte b) {
        return b == ';' ? State.NAME_START : spaceIn(State.SEMICOLON, b);
    }

    private static @Nullable State spaceIn(State there, byte b) {
        return CharTables.isSpace(b) ? there : null;
    }

    private static @Nullable State quoted(byte b, boolean text) {
        if (b == '\\') {
            return State.ESCAPED;
        }
        return text ? State.QUOTED : null;
    }
}
