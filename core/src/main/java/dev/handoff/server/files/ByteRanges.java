package dev.handoff.server.files;

import dev.handoff.http.FieldList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a file that a Range field asks for (RFC 9110 section 14).
 *
 * @param wanted in the order of the request; empty if the file has none of them: 416
 */
record ByteRanges(List<Range> wanted) {
    /** More ranges are answered with the whole file: their heads would be most of the response. */
    static final int MOST = 16;

    private static final String UNIT = "bytes=";

    /** So many digits fit 64 bits; a longer number is beyond the end of every file. */
    private static final int MOST_DIGITS = 18;

    /**
     * @param from the first byte
     * @param length at least 1
     */
    record Range(long from, long length) {
        long end() {
            return from + length;
        }

        /** The value of Content-Range for a file of this size. */
        String in(long sizeBytes) {
            return "bytes " + from + "-" + (end() - 1) + "/" + sizeBytes;
        }
    }

    /**
     * Reads the field. Null where the whole file is the answer: section 14.2 lets a server ignore
     * what is no range of bytes, what has too many, and what overlaps and so asks for more bytes
     * than there are. Linear, but for the sorting of {@link #MOST}.
     */
    static @Nullable ByteRanges of(String field, long sizeBytes) {
        if (!field.regionMatches(true, 0, UNIT, 0, UNIT.length())) {
            return null;
        }
        String set = field.substring(UNIT.length());
        List<Range> wanted = new ArrayList<>();
        int[] count = new int[1];
        boolean[] good = {true};
        FieldList.forEach(
                set,
                (from, to) -> {
                    if (good[0] && ++count[0] <= MOST) {
                        good[0] = add(set, from, to, sizeBytes, wanted);
                    }
                });
        boolean usual = good[0] && count[0] > 0 && count[0] <= MOST && !overlap(wanted);
        // A suffix of an empty file is the whole of it, which no Content-Range can say.
        return usual && !isSuffixOfNothing(set, sizeBytes) ? new ByteRanges(wanted) : null;
    }

    private static boolean isSuffixOfNothing(String set, long sizeBytes) {
        return sizeBytes == 0 && set.strip().startsWith("-");
    }

    /** Adds the range that stands there, if the file has it; returns false if it is none. */
    private static boolean add(String set, int from, int to, long sizeBytes, List<Range> wanted) {
        int dash = set.indexOf('-', from, to);
        if (dash < 0) {
            return false;
        }
        long first = number(set, from, dash);
        long last = number(set, dash + 1, to);
        boolean isSuffix = dash == from;
        boolean isOpen = dash + 1 == to;
        if ((isSuffix && isOpen) || (!isSuffix && first < 0) || (!isOpen && last < 0)) {
            return false;
        }
        if (isSuffix) {
            long length = Math.min(last, sizeBytes);
            if (length > 0) {
                wanted.add(new Range(sizeBytes - length, length));
            }
            return true;
        }
        if (!isOpen && last < first) {
            return false;
        }
        if (first < sizeBytes) {
            long end = isOpen || last >= sizeBytes ? sizeBytes : last + 1;
            wanted.add(new Range(first, end - first));
        }
        return true;
    }

    /** -1 for what is no number. */
    private static long number(String text, int from, int to) {
        if (from == to) {
            return -1;
        }
        for (int i = from; i < to; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return -1;
            }
        }
        int start = from;
        while (start < to - 1 && text.charAt(start) == '0') {
            start++;
        }
        return to - start > MOST_DIGITS ? Long.MAX_VALUE : Long.parseLong(text, start, to, 10);
    }

    private static boolean overlap(List<Range> ranges) {
        List<Range> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingLong(Range::from));
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i).from() < sorted.get(i - 1).end()) {
                return true;
            }
        }
        return false;
    }
}
