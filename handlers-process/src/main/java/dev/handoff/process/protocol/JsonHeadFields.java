package dev.handoff.process.protocol;

import dev.handoff.http.Headers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds the known keys of one head and their values. They may come in any order.
 *
 * <p>A wrong value is only noted at first. It breaks a rule when the message's type asks for its
 * key; to any other type the key is unknown and ignored.
 */
final class JsonHeadFields {
    /** The most digits of a number. Every number from -(2^53-1) to 2^53-1 fits. */
    static final int MAX_DIGITS = 16;

    private enum State {
        ABSENT,
        NULL,
        PRESENT,
        WRONG_KIND,
        TOO_LARGE,
        TWICE
    }

    /** The place for one key's value. The state says whether the value counts. */
    private static final class Slot {
        State state = State.ABSENT;
        long integer;
        @Nullable Object object;

        /** The type of an ignored value, for the error message. */
        String shown = "";
    }

    /**
     * Shown in place of a secret. A wrong one is not shown either, since it may be nearly right.
     */
    static final String NOT_SHOWN = "(not shown)";

    private final Map<Key, Slot> slots = new EnumMap<>(Key.class);
    private final List<Slot> used = new ArrayList<>();

    JsonHeadFields() {
        for (Key key : Key.values()) {
            slots.put(key, new Slot());
        }
    }

    void clear() {
        for (int i = 0; i < used.size(); i++) {
            Slot slot = used.get(i);
            slot.state = State.ABSENT;
            slot.object = null;
            slot.shown = "";
        }
        used.clear();
    }

    /** Whether the key came twice or more. */
    boolean isTwice(Key key) {
        return slot(key).state == State.TWICE;
    }

    boolean isGiven(Key key) {
        return slot(key).state != State.ABSENT;
    }

    /** Notes that a key came again which was given already. */
    void putAgain(Key key, String shown) {
        slot(key).state = State.TWICE;
        slot(key).shown = shown;
    }

    /** Which message this is, as far as that is known: its type and id. */
    String subject() {
        Slot type = slot(Key.TYPE);
        MessageType known =
                type.state == State.PRESENT && type.object instanceof String name
                        ? MessageType.ofWireName(name)
                        : null;
        String subject = known == null ? "message" : known.wireName;
        Slot id = slot(Key.ID);
        boolean hasId = id.state == State.PRESENT && id.integer > 0 && id.integer <= Message.MAX_ID;
        return hasId ? subject + " with id " + id.integer : subject;
    }

    void putNull(Key key) {
        use(key, State.NULL);
    }

    void putWrongKind(Key key, String shown) {
        use(key, State.WRONG_KIND).shown = shown;
    }

    void putTooLarge(Key key, String shown) {
        use(key, State.TOO_LARGE).shown = shown;
    }

    void put(Key key, Object value) {
        use(key, State.PRESENT).object = value;
    }

    void put(Key key, long value) {
        Slot slot = use(key, State.PRESENT);
        slot.integer = value;
        slot.object = null;
    }

    String string(Key key) throws BrokenRule {
        if (has(key) && slot(key).object == null) {
            throw notOfKind(key, Key.Kind.STRING, Long.toString(slot(key).integer));
        }
        return (String) required(key);
    }

    @Nullable String stringOrNull(Key key) throws BrokenRule {
        return has(key) ? (String) slot(key).object : null;
    }

    @Nullable String shortStringOrNull(Key key, int longest) throws BrokenRule {
        String value = stringOrNull(key);
        if (value != null && value.length() > longest) {
            throw new BrokenRule(
                    ProtocolFault.OUT_OF_RANGE,
                    "%s has %d characters, not at most %d: %s"
                            .formatted(
                                    key.wireName,
                                    value.length(),
                                    longest,
                                    key.isSecret() ? NOT_SHOWN : Quoted.of(value)));
        }
        return value;
    }

    boolean isTrue(Key key) throws BrokenRule {
        return has(key) && Boolean.TRUE.equals(slot(key).object);
    }

    Headers headers() throws BrokenRule {
        return (Headers) required(Key.HEADERS);
    }

    Headers headersOrEmpty() throws BrokenRule {
        return has(Key.HEADERS) ? headers() : Headers.EMPTY;
    }

    @SuppressWarnings("unchecked") // JsonHeadParser puts nothing else under a key of this kind
    @Nullable List<String> stringsOrNull(Key key) throws BrokenRule {
        return has(key) ? (List<String>) required(key) : null;
    }

    List<String> stringsOrEmpty(Key key) throws BrokenRule {
        return Objects.requireNonNullElse(stringsOrNull(key), List.of());
    }

    /** The integers inside {@code limits}. */
    JsonHeadFields limits() throws BrokenRule {
        return (JsonHeadFields) required(Key.LIMITS);
    }

    int integer(Key key, int smallest, int largest) throws BrokenRule {
        return (int) integer(key, (long) smallest, (long) largest);
    }

    long integer(Key key, long smallest, long largest) throws BrokenRule {
        if (!has(key)) {
            throw missing(key);
        }
        if (slot(key).object instanceof String word) {
            throw notOfKind(key, Key.Kind.INTEGER, Quoted.of(word));
        }
        long value = slot(key).integer;
        if (value < smallest || value > largest) {
            throw new BrokenRule(
                    ProtocolFault.OUT_OF_RANGE,
                    key.wireName + " is " + value + ", not " + smallest + " to " + largest);
        }
        return value;
    }

    long integerOrZero(Key key, long largest) throws BrokenRule {
        return integerOr(0, key, largest);
    }

    long integerOr(long absent, Key key, long largest) throws BrokenRule {
        return has(key) ? integer(key, 0, largest) : absent;
    }

    long id() throws BrokenRule {
        State state = slot(Key.ID).state;
        if (state == State.WRONG_KIND || state == State.TOO_LARGE) {
            throw new BrokenRule(
                    ProtocolFault.BAD_ID,
                    state == State.TOO_LARGE ? tooLarge(Key.ID) : wrongKind(Key.ID));
        }
        if (!has(Key.ID)) {
            throw missing(Key.ID);
        }
        long id = slot(Key.ID).integer;
        if (id < 1 || id > Message.MAX_ID) {
            throw new BrokenRule(
                    ProtocolFault.BAD_ID, "id is " + id + ", not 1 to " + Message.MAX_ID);
        }
        return id;
    }

    private Object required(Key key) throws BrokenRule {
        Object value = has(key) ? slot(key).object : null;
        if (value == null) {
            throw missing(key);
        }
        return value;
    }

    private boolean has(Key key) throws BrokenRule {
        return switch (slot(key).state) {
            case ABSENT, NULL -> false;
            case PRESENT -> true;
            case WRONG_KIND -> throw new BrokenRule(ProtocolFault.WRONG_TYPE, wrongKind(key));
            case TOO_LARGE -> throw new BrokenRule(ProtocolFault.OUT_OF_RANGE, tooLarge(key));
            case TWICE ->
                    throw new BrokenRule(
                            ProtocolFault.DUPLICATE_KEY,
                            key.wireName + " comes twice, the second time as " + shown(key));
        };
    }

    private Slot use(Key key, State state) {
        Slot slot = slot(key);
        slot.state = state;
        used.add(slot);
        return slot;
    }

    private Slot slot(Key key) {
        return Objects.requireNonNull(slots.get(key));
    }

    /**
     * The fault of a key that takes a word or a number, and has the wrong one for the message's
     * type.
     */
    private static BrokenRule notOfKind(Key key, Key.Kind kind, String shown) {
        return new BrokenRule(
                ProtocolFault.WRONG_TYPE,
                key.wireName + " is not " + kind.description + ": " + shown);
    }

    private String wrongKind(Key key) {
        return key.wireName + " is not " + key.kind.description + ": " + shown(key);
    }

    private String tooLarge(Key key) {
        return "%s has more than %d digits: %s".formatted(key.wireName, MAX_DIGITS, shown(key));
    }

    private String shown(Key key) {
        return key.isSecret() ? NOT_SHOWN : slot(key).shown;
    }

    private static BrokenRule missing(Key key) {
        return new BrokenRule(ProtocolFault.MISSING_KEY, key.wireName + " is missing");
    }
}
