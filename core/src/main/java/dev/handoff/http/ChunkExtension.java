package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * Checks the extensions of a chunk-size line (RFC 9112 section 7.1.1) byte by byte, and drops them.
 * None has a meaning here, but a lenient reader is what request smuggling needs: each ends where
 * the grammar says and nowhere else. The white space that the RFC calls bad (BWS) is refused,
 * because senders must not make it and readers have disagreed about it.
 *
 * <pre>
 * chunk-ext     = *( ";" chunk-ext-name [ "=" chunk-ext-val ] )
 * chunk-ext-val = token / quoted-string
 * quoted-string = DQUOTE *( qdtext / "\" ( HTAB / SP / VCHAR / obs-text ) ) DQUOTE
 * </pre>
 */
final class ChunkExtension {
    /** All extensions of one request together; without a limit they cost time and carry nothing. */
    static final int MAX_BYTES = 1024;

    private enum State {
        NAME_START,
        NAME,
        VALUE_START,
        VALUE,
        QUOTED,
        ESCAPED,
        AFTER_QUOTED
    }

    private State state = State.NAME_START;
    private int taken;

    /** A semicolon came: another extension starts, on this line or a later one. */
    @Nullable Refusal begin() {
        state = State.NAME_START;
        return count();
    }

    /** Whether the line may end here. */
    boolean mayEnd() {
        return switch (state) {
            case NAME, VALUE, AFTER_QUOTED -> true;
            case NAME_START, VALUE_START, QUOTED, ESCAPED -> false;
        };
    }

    /** Takes one byte that is not the line's end; returns what is wrong with it, if anything. */
    @Nullable Refusal take(byte b) {
        if (b == ';' && mayEnd()) {
            return begin();
        }
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
            case NAME_START -> token ? State.NAME : null;
            case NAME -> token ? State.NAME : b == '=' ? State.VALUE_START : null;
            case VALUE_START -> token ? State.VALUE : b == '"' ? State.QUOTED : null;
            case VALUE -> token ? State.VALUE : null;
            case QUOTED -> b == '"' ? State.AFTER_QUOTED : quoted(b, text);
            case ESCAPED -> text ? State.QUOTED : null;
            case AFTER_QUOTED -> null;
        };
    }

    private static @Nullable State quoted(byte b, boolean text) {
        if (b == '\\') {
            return State.ESCAPED;
        }
        return text ? State.QUOTED : null;
    }
}
