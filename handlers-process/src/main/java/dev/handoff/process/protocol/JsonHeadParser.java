package dev.handoff.process.protocol;

import dev.handoff.http.Headers;
import jakarta.json.spi.JsonProvider;
import jakarta.json.stream.JsonParser;
import jakarta.json.stream.JsonParser.Event;
import jakarta.json.stream.JsonParserFactory;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of one frame, read in one pass into {@link JsonHeadFields}. Can be used again; not
 * thread-safe.
 *
 * <p>What the JSON library leaves open is decided here: unknown values are walked, never built, to
 * a bounded depth (its own {@code skipObject} never returns when the text ends early), and numbers
 * are read from their text, so that a million digits cost no arithmetic.
 */
final class JsonHeadParser {
    /** How deeply arrays and objects may be nested; no message of ours needs more than three. */
    static final int MAX_DEPTH = 64;

    /** Every number from -(2^53-1) to 2^53-1 fits. */
    private static final int MAX_DIGITS = 16;

    private static final JsonParserFactory PARSERS =
            JsonProvider.provider().createParserFactory(Map.of());

    private final Utf8Reader reader = new Utf8Reader();
    private final JsonHeadFields fields = new JsonHeadFields();
    private final JsonHeadFields limits = new JsonHeadFields();
    private final Headers.Builder headers = new Headers.Builder();

    /** The fields, valid until the next call. */
    JsonHeadFields parse(byte[] bytes, int from, int to) throws BrokenRule {
        fields.clear();
        reader.reset(bytes, from, to);
        try (JsonParser json = PARSERS.createParser(reader)) {
            if (json.next() != Event.START_OBJECT) {
                throw new BrokenRule(ProtocolFault.NOT_AN_OBJECT, "it begins with another value");
            }
            readMembers(json, fields);
            json.hasNext(); // refuses what follows the object
            return fields;
        } catch (RuntimeException e) {
            // The library documents JsonException, but also throws others (its own nesting limit is
            // a plain RuntimeException), and its input is a stranger's.
            boolean isEncoding = e.getCause() instanceof CharacterCodingException;
            throw new BrokenRule(
                    ProtocolFault.NOT_JSON,
                    isEncoding ? "not UTF-8" : String.valueOf(e.getMessage()));
        }
    }

    private void readMembers(JsonParser json, JsonHeadFields into) throws BrokenRule {
        while (json.next() == Event.KEY_NAME) {
            Key key = Key.ofWireName(json.getString());
            Event event = json.next();
            if (key == null || into.isRepeated(key)) {
                leave(json, event, 0);
            } else {
                readValue(json, event, key, into);
            }
        }
    }

    private void readValue(JsonParser json, Event event, Key key, JsonHeadFields into)
            throws BrokenRule {
        switch (event) {
            case VALUE_NULL -> into.putNull(key);
            case VALUE_STRING -> {
                if (key.kind == Key.Kind.STRING) {
                    into.put(key, json.getString());
                } else {
                    into.putWrongKind(key);
                }
            }
            case VALUE_NUMBER -> putNumber(json.getString(), key, into);
            case VALUE_TRUE, VALUE_FALSE -> {
                if (key.kind == Key.Kind.BOOLEAN) {
                    into.put(key, event == Event.VALUE_TRUE);
                } else {
                    into.putWrongKind(key);
                }
            }
            default -> readStructure(json, event, key, into);
        }
    }

    private static void putNumber(String text, Key key, JsonHeadFields into) {
        int start = text.charAt(0) == '-' ? 1 : 0;
        if (key.kind != Key.Kind.INTEGER || !isDigits(text, start)) {
            into.putWrongKind(key);
        } else if (text.length() - start > MAX_DIGITS) {
            into.putTooLarge(key);
        } else {
            into.put(key, Long.parseLong(text));
        }
    }

    private static boolean isDigits(String text, int start) {
        for (int i = start; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    private void readStructure(JsonParser json, Event event, Key key, JsonHeadFields into)
            throws BrokenRule {
        if (key.kind == Key.Kind.PAIRS && event == Event.START_ARRAY) {
            putOrWrongKind(key, readPairs(json), into);
        } else if (key.kind == Key.Kind.STRINGS && event == Event.START_ARRAY) {
            putOrWrongKind(key, readStrings(json), into);
        } else if (key.kind == Key.Kind.LIMITS && event == Event.START_OBJECT && into != limits) {
            limits.clear();
            readMembers(json, limits);
            into.put(key, limits);
        } else {
            leave(json, event, 0);
            into.putWrongKind(key);
        }
    }

    private static void putOrWrongKind(Key key, @Nullable Object value, JsonHeadFields into) {
        if (value == null) {
            into.putWrongKind(key);
        } else {
            into.put(key, value);
        }
    }

    private @Nullable Headers readPairs(JsonParser json) throws BrokenRule {
        Event event = json.next();
        while (event == Event.START_ARRAY) {
            event = json.next();
            if (event != Event.VALUE_STRING) {
                return abandonPairs(json, event, 2);
            }
            String name = json.getString();
            event = json.next();
            if (event != Event.VALUE_STRING) {
                return abandonPairs(json, event, 2);
            }
            headers.add(name, json.getString());
            event = json.next();
            if (event != Event.END_ARRAY) {
                return abandonPairs(json, event, 2);
            }
            event = json.next();
        }
        return event == Event.END_ARRAY ? headers.build() : abandonPairs(json, event, 1);
    }

    private @Nullable Headers abandonPairs(JsonParser json, Event event, int open)
            throws BrokenRule {
        headers.build();
        leave(json, event, open);
        return null;
    }

    private static @Nullable List<String> readStrings(JsonParser json) throws BrokenRule {
        List<String> strings = new ArrayList<>();
        Event event = json.next();
        while (event == Event.VALUE_STRING) {
            strings.add(json.getString());
            event = json.next();
        }
        if (event == Event.END_ARRAY) {
            return strings;
        }
        leave(json, event, 1);
        return null;
    }

    /**
     * Walks out of a value: past {@code event} and the end of {@code open} structures around it.
     */
    private static void leave(JsonParser json, Event event, int open) throws BrokenRule {
        int depth = open + change(event);
        while (depth > 0) {
            if (depth >= MAX_DEPTH) {
                throw new BrokenRule(ProtocolFault.TOO_DEEP, "more than " + MAX_DEPTH + " levels");
            }
            depth += change(json.next());
        }
    }

    private static int change(Event event) {
        return switch (event) {
            case START_ARRAY, START_OBJECT -> 1;
            case END_ARRAY, END_OBJECT -> -1;
            default -> 0;
        };
    }
}
