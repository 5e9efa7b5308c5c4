package dev.handoff.process.protocol;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of all messages. A key means the same JSON type wherever it is known, except {@link
 * #CODE}.
 */
enum Key {
    TYPE("type", Kind.STRING),
    ID("id", Kind.INTEGER),
    STATUS("status", Kind.INTEGER),
    HEADERS("headers", Kind.PAIRS),
    REASON("reason", Kind.STRING),
    MESSAGE("message", Kind.STRING),
    RETRY("retry", Kind.BOOLEAN),
    MORE("more", Kind.BOOLEAN),
    BYTES("bytes", Kind.INTEGER),
    CONCURRENCY("concurrency", Kind.INTEGER),
    PROTOCOL("protocol", Kind.INTEGER),
    POOL("pool", Kind.STRING),
    TOKEN("token", Kind.STRING),
    NAME("name", Kind.STRING),
    PID("pid", Kind.INTEGER),
    HOST("host", Kind.STRING),
    LANGUAGE("language", Kind.STRING),
    SDK("sdk", Kind.STRING),
    FEATURES("features", Kind.STRINGS),
    STREAMS("streams", Kind.INTEGER),
    UPLOADS("uploads", Kind.INTEGER),
    MEMORY_BYTES("memoryBytes", Kind.INTEGER),
    WORKER("worker", Kind.STRING),
    LIMITS("limits", Kind.LIMITS),
    SERVER("server", Kind.STRING),
    /** A word in {@code refused}, a number in {@code close}. */
    CODE("code", Kind.WORD_OR_INTEGER),
    METHOD("method", Kind.STRING),
    TARGET("target", Kind.STRING),
    VERSION("version", Kind.STRING),
    CLIENT("client", Kind.STRING),
    SCHEME("scheme", Kind.STRING),
    PREFIX("prefix", Kind.STRING),
    CLIENT_CERTIFICATE("clientCertificate", Kind.STRING),
    CLIENT_SUBJECT("clientSubject", Kind.STRING),
    TIMEOUT_MILLIS("timeoutMillis", Kind.INTEGER),
    REQUEST_ID("requestId", Kind.STRING),
    WEBSOCKET("websocket", Kind.STRINGS),
    TEXT("text", Kind.BOOLEAN),
    /** Inside {@code limits} only. */
    JSON_BYTES("jsonBytes", Kind.INTEGER),
    /** In {@code hello} and in {@code limits}, and so is the next key. */
    BODY_BYTES("bodyBytes", Kind.INTEGER),
    STREAM_BYTES("streamBytes", Kind.INTEGER);

    /** The JSON type of a value. {@code null} always means the same as a missing key. */
    enum Kind {
        STRING("a string"),
        INTEGER("an integer without fraction or exponent"),
        WORD_OR_INTEGER("a string or an integer"),
        BOOLEAN("true or false"),
        STRINGS("an array of strings"),
        PAIRS("an array of [name, value] pairs of strings"),
        LIMITS("an object");

        final String description;

        Kind(String description) {
            this.description = description;
        }
    }

    private static final Map<String, Key> BY_NAME = new HashMap<>();

    static {
        for (Key key : values()) {
            BY_NAME.put(key.wireName, key);
        }
    }

    final String wireName;
    final Kind kind;

    Key(String wireName, Kind kind) {
        this.wireName = wireName;
        this.kind = kind;
    }

    boolean takesString() {
        return kind == Kind.STRING || kind == Kind.WORD_OR_INTEGER;
    }

    boolean takesInteger() {
        return kind == Kind.INTEGER || kind == Kind.WORD_OR_INTEGER;
    }

    /** Whether its value is secret, so that no log may hold it. */
    boolean isSecret() {
        return this == TOKEN;
    }

    static @Nullable Key ofWireName(String name) {
        return BY_NAME.get(name);
    }
}
