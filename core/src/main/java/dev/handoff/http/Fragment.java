package dev.handoff.http;

import java.util.Arrays;

/**
 * The beginning of a grammar element whose end has not arrived yet. It doubles as it grows, so an
 * element costs linear time however slowly its bytes arrive. While empty it holds no memory.
 */
final class Fragment {
    private static final byte[] NONE = {};
    private static final int FIRST_BYTES = 64;

    private byte[] bytes = NONE;
    private int length;

    void append(byte[] source, int from, int to) {
        int added = to - from;
        if (added > bytes.length - length) {
            int doubled = Math.max(FIRST_BYTES, 2 * bytes.length);
            bytes = Arrays.copyOf(bytes, Math.max(doubled, length + added));
        }
        System.arraycopy(source, from, bytes, length, added);
        length += added;
    }

    /** Makes a value of an element's bytes. */
    @FunctionalInterface
    interface Reader<T> {
        T read(byte[] bytes, int from, int to);
    }

    /**
     * The element that ends with these bytes. An element that lies whole in the source is read
     * there, any other from this fragment. The fragment is empty afterwards.
     */
    <T> T complete(byte[] source, int from, int to, Reader<T> reader) {
        if (length == 0) {
            return reader.read(source, from, to);
        }
        append(source, from, to);
        T element = reader.read(bytes, 0, length);
        clear();
        return element;
    }

    /** The bytes so far, from index 0 to {@link #length()}, and the room behind them. */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    boolean isEmpty() {
        return length == 0;
    }

    void clear() {
        bytes = NONE;
        length = 0;
    }
}
