package dev.handoff.process.protocol;

import dev.handoff.http.Headers;
import jakarta.json.spi.JsonProvider;
import jakarta.json.stream.JsonParser;
import jakarta.json.stream.JsonParser.Event;
import jakarta.json.stream.JsonParserFactory;
import jakarta.json.stream.JsonParsingException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of one frame in one pass into {@link JsonHeadFields}. It can be used again, and is
 * not thread-safe.
 *
 * <p>It walks unknown values down to a limited depth and never builds them, since the library's own
 * {@code skipObject} never returns when the text ends early. It reads numbers from their text, so
 * that a million digits cost no arithmetic.
 */
final class JsonHeadParser {
    /** How deeply arrays and objects may be nested; our messages need at most three levels. */
    static final int MAX_DEPTH = 64;

    /**
     * How many fields or texts an array may have: many small ones take twenty times the memory that
     * they have on the wire.
     */
    static final int MOST_ITEMS = 1000;

    /** How many characters an error shows before the place where the JSON is wrong. */
    private static final int SHOWN_BEFORE = 40;

    private static final byte[] NOTHING = {};

    private static final JsonParserFactory PARSERS =
            JsonProvider.provider().createParserFactory(Map.of());

    private final Utf8Reader reader = new Utf8Reader();
    private final JsonHeadFields fields = new JsonHeadFields();
    private final JsonHeadFields limits = new JsonHeadFields();
    private final Headers.Builder headers = new Headers.Builder();

    /** The key whose value is read. */
    private String member = "";

    /** Tells which item of the latest array its key does not allow. */
    private String wrongItem = "";

    /** The fields, valid until the next call. */
    JsonHeadFields parse(byte[] bytes, int from, int to) throws BrokenRule {
        fields.clear();
        reader.reset(bytes, from, to);
        try (JsonParser json = PARSERS.createParser(reader)) {
            Event first = json.next();
            if (first != Event.START_OBJECT) {
                throw new BrokenRule(ProtocolFault.NOT_AN_OBJECT, "it is " + show(json, first));
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
                    isEncoding ? "not UTF-8" : e.getMessage() + near(e, bytes, from, to));
        }
    }

    /** Drops what it holds of the latest message. */
    void forget() {
        fields.clear();
        limits.clear();
        headers.build();
        reader.reset(NOTHING, 0, 0);
    }

    /** The type and id of the latest message, as far as they could be read. */
    String subject() {
        return fields.subject();
    }

    /** The text around the place that the library names. */
    private static String near(RuntimeException e, byte[] bytes, int from, int to) {
        String text = new String(bytes, from, to - from, StandardCharsets.UTF_8);
        if (text.contains(Key.TOKEN.wireName)) {
            return "";
        }
        long offset = e instanceof JsonParsingException p ? p.getLocation().getStreamOffset() : 0;
        int at = Math.clamp(offset - SHOWN_BEFORE, 0, text.length());
        return ", near " + Quoted.of(text.substring(at));
    }

    private void readMembers(JsonParser json, JsonHeadFields into) throws BrokenRule {
        while (json.next() == Event.KEY_NAME) {
            member = json.getString();
            Key key = Key.ofWireName(member);
            Event event = json.next();
            if (key == null || into.isTwice(key)) {
                leave(json, event, 0);
            } else if (into.isGiven(key)) {
                into.putAgain(key, show(json, event));
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
                if (key.takesString()) {
                    into.put(key, json.getString());
                } else {
                    into.putWrongKind(key, show(json, event));
                }
            }
            case VALUE_NUMBER -> putNumber(json.getString(), key, into);
            case VALUE_TRUE, VALUE_FALSE -> {
                if (key.kind == Key.Kind.BOOLEAN) {
                    into.put(key, event == Event.VALUE_TRUE);
                } else {
                    into.putWrongKind(key, show(json, event));
                }
            }
            default -> readStructure(json, event, key, into);
        }
    }

    private static void putNumber(String text, Key key, JsonHeadFields into) {
        int start = text.charAt(0) == '-' ? 1 : 0;
        if (!key.takesInteger() || !isDigits(text, start)) {
            into.putWrongKind(key, Quoted.bare(text));
        } else if (text.length() - start > JsonHeadFields.MAX_DIGITS) {
            into.putTooLarge(key, Quoted.bare(text));
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
            into.putWrongKind(key, show(json, event));
            leave(json, event, 0);
        }
    }

    private void putOrWrongKind(Key key, @Nullable Object value, JsonHeadFields into) {
        if (value == null) {
            into.putWrongKind(key, wrongItem);
        } else {
            into.put(key, value);
        }
    }

    private @Nullable Headers readPairs(JsonParser json) throws BrokenRule {
        int item = 1;
        Event event = json.next();
        while (event == Event.START_ARRAY) {
            if (item > MOST_ITEMS) {
                headers.build();
                leaveLongArray(json, event);
                return null;
            }
            event = json.next();
            if (event != Event.VALUE_STRING) {
                return abandonPairs(json, event, 2, item);
            }
            String name = json.getString();
            event = json.next();
            if (event != Event.VALUE_STRING) {
                return abandonPairs(json, event, 2, item);
            }
            headers.add(name, json.getString());
            event = json.next();
            if (event != Event.END_ARRAY) {
                return abandonPairs(json, event, 2, item);
            }
            event = json.next();
            item++;
        }
        return event == Event.END_ARRAY ? headers.build() : abandonPairs(json, event, 1, item);
    }

    private @Nullable Headers abandonPairs(JsonParser json, Event event, int open, int item)
            throws BrokenRule {
        headers.build();
        wrongItem = showItem(json, event, item);
        leave(json, event, open);
        return null;
    }

    private @Nullable List<String> readStrings(JsonParser json) throws BrokenRule {
        List<String> strings = new ArrayList<>();
        Event event = json.next();
        while (event == Event.VALUE_STRING) {
            if (strings.size() == MOST_ITEMS) {
                leaveLongArray(json, event);
                return null;
            }
            strings.add(json.getString());
            event = json.next();
        }
        if (event == Event.END_ARRAY) {
            return strings;
        }
        wrongItem = showItem(json, event, strings.size() + 1);
        leave(json, event, 1);
        return null;
    }

    private void leaveLongArray(JsonParser json, Event event) throws BrokenRule {
        wrongItem = "more than " + MOST_ITEMS + " items";
        leave(json, event, 1);
    }

    /**
     * Skips the rest of a value: {@code event} and the ends of the {@code open} structures around
     * it.
     */
    private void leave(JsonParser json, Event event, int open) throws BrokenRule {
        int depth = open + change(event);
        while (depth > 0) {
            if (depth >= MAX_DEPTH) {
                throw new BrokenRule(
                        ProtocolFault.TOO_DEEP,
                        Quoted.of(member) + " has more than " + MAX_DEPTH + " levels");
            }
            depth += change(json.next());
        }
    }

    private static String showItem(JsonParser json, Event event, int item) {
        return show(json, event) + " in item " + item;
    }

    /** The value that begins with this event. */
    private static String show(JsonParser json, Event event) {
        return switch (event) {
            case VALUE_STRING -> Quoted.of(json.getString());
            case VALUE_NUMBER -> Quoted.bare(json.getString());
            case VALUE_TRUE -> "true";
            case VALUE_FALSE -> "false";
            case VALUE_NULL -> "null";
            case START_ARRAY -> "an array";
            case START_OBJECT -> "an object";
            case END_ARRAY, END_OBJECT, KEY_NAME -> "too few";
        };
    }

    private static int change(Event event) {
        return switch (event) {
            case START_ARRAY, START_OBJECT -> 1;
            case END_ARRAY, END_OBJECT -> -1;
            default -> 0;
        };
    }
}
