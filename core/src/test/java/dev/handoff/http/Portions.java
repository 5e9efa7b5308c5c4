package dev.handoff.http;

import java.util.Arrays;

/**
 * The ways in which fuzz targets cut their input. Fast, since each input is fed several times;
 * {@link EverySplit} is the thorough one.
 */
final class Portions {
    /** Bytes before each portion, so that index 0 is nothing special. */
    private static final int MARGIN = 3;

    private Portions() {}

    /** Something that reads from portions. */
    interface Reader {
        /** Reads on; returns the index behind the last byte taken. */
        int parse(byte[] bytes, int from, int to);

        /** Whether it takes no more. */
        boolean isOver();
    }

    /** Returns how many bytes were taken, as the others do. */
    static int whole(Reader reader, byte[] input) {
        int taken = reader.parse(input, 0, input.length);
        requireTaken(reader, taken, input.length);
        return taken;
    }

    /** All in the same array, as on an event loop: what a reader kept of it would change. */
    static int perByte(Reader reader, byte[] input) {
        byte[] one = new byte[1];
        for (int i = 0; i < input.length; i++) {
            if (reader.isOver()) {
                return i;
            }
            one[0] = input[i];
            requireTaken(reader, reader.parse(one, 0, 1), 1);
        }
        return input.length;
    }

    static int inTwo(Reader reader, byte[] input, int cut) {
        byte[] array = new byte[MARGIN + input.length];
        System.arraycopy(input, 0, array, MARGIN, cut);
        int taken = reader.parse(array, MARGIN, MARGIN + cut) - MARGIN;
        requireTaken(reader, taken, cut);
        if (reader.isOver()) {
            return taken;
        }
        System.arraycopy(input, cut, array, MARGIN, input.length - cut);
        int more = reader.parse(array, MARGIN, array.length - cut) - MARGIN;
        requireTaken(reader, more, input.length - cut);
        return cut + more;
    }

    /** A place that differs from input to input, so that the files are nothing but the bytes. */
    static int anyCut(byte[] input) {
        return Math.floorMod(Arrays.hashCode(input), input.length + 1);
    }

    private static void requireTaken(Reader reader, int taken, int given) {
        if (taken < 0 || taken > given || (taken < given && !reader.isOver())) {
            throw new AssertionError(taken + " of " + given + " bytes taken");
        }
    }
}
