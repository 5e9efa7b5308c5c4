package dev.handoff.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A header section: fields in the order they came, duplicates kept. Immutable, compared by value.
 *
 * <p>Look-ups ignore the case of names (RFC 9110 section 5.1). In a parsed {@link Request} every
 * name is lower-case already; in a {@link Response} it stays as the handler wrote it.
 */
public final class Headers {
    public static final Headers EMPTY = new Headers(new String[0], 0);

    /** The memory of a field besides its characters. */
    private static final int FIELD_BYTES = 128;

    /** Name, value, name, value, …; only the first {@link #length} count. */
    private final String[] fields;

    private final int length;

    private Headers(String[] fields, int length) {
        this.fields = fields;
        this.length = length;
    }

    /**
     * @param namesAndValues name, value, name, value, …
     * @throws IllegalArgumentException if a name has no value
     */
    public static Headers of(String... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new IllegalArgumentException("a header name without a value");
        }
        return namesAndValues.length == 0
                ? EMPTY
                : new Headers(namesAndValues.clone(), namesAndValues.length);
    }

    /** The number of field lines. */
    public int size() {
        return length / 2;
    }

    public boolean isEmpty() {
        return length == 0;
    }

    public String name(int index) {
        return fields[Objects.checkIndex(index, size()) * 2];
    }

    public String value(int index) {
        return fields[Objects.checkIndex(index, size()) * 2 + 1];
    }

    /**
     * About how much memory they take: many small fields take twenty times what they have on the
     * wire.
     */
    public long heldBytes() {
        long characters = 0;
        for (int i = 0; i < length; i++) {
            characters += fields[i].length();
        }
        return (long) FIELD_BYTES * size() + 2 * characters;
    }

    public boolean contains(String name) {
        return first(name) != null;
    }

    /** The value of the first field line of that name, or null where there is none. */
    public @Nullable String first(String name) {
        for (int i = 0; i < length; i += 2) {
            if (fields[i].equalsIgnoreCase(name)) {
                return fields[i + 1];
            }
        }
        return null;
    }

    /** The values of all field lines of that name, in order. */
    public List<String> all(String name) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < length; i += 2) {
            if (fields[i].equalsIgnoreCase(name)) {
                values.add(fields[i + 1]);
            }
        }
        return values;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Headers headers
                && Arrays.equals(fields, 0, length, headers.fields, 0, headers.length);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + fields[i].hashCode();
        }
        return hash;
    }

    @Override
    public String toString() {
        return Arrays.toString(Arrays.copyOf(fields, length));
    }

    /** Collects field lines. Can be used again after {@link #build()}; not thread-safe. */
    public static final class Builder {
        private static final String[] NONE = {};
        private static final int FIRST_CAPACITY = 32;

        private String[] fields = NONE;
        private int length;

        public Builder add(String name, String value) {
            if (length == fields.length) {
                fields = Arrays.copyOf(fields, Math.max(FIRST_CAPACITY, 2 * length));
            }
            fields[length++] = name;
            fields[length++] = value;
            return this;
        }

        /** The number of field lines added so far. */
        public int size() {
            return length / 2;
        }

        /** Builds the section and gives the array away; the builder is empty afterwards. */
        public Headers build() {
            Headers built = length == 0 ? EMPTY : new Headers(fields, length);
            clear();
            return built;
        }

        /** Builds the section with a copy; the builder keeps its fields. */
        Headers copy() {
            return of(Arrays.copyOf(fields, length));
        }

        /** Drops what was added so far. */
        void clear() {
            fields = NONE;
            length = 0;
        }
    }
}
