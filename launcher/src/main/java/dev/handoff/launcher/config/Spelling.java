package dev.handoff.launcher.config;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Guesses what somebody meant to type. */
public final class Spelling {
    /** Two slips at most: words that differ more are not the same word. */
    private static final int MOST_SLIPS = 2;

    private Spelling() {}

    /** The candidate that {@code word} was most likely meant to be, or null. */
    public static @Nullable String nearest(String word, Collection<String> candidates) {
        String nearest = null;
        int fewest = MOST_SLIPS + 1;
        for (String candidate : candidates) {
            // A slip changes the length by one at most. Without this, a word of a megabyte would
            // take a gigabyte.
            if (Math.abs(word.length() - candidate.length()) < fewest) {
                int slips = slips(word, candidate);
                if (slips < fewest) {
                    nearest = candidate;
                    fewest = slips;
                }
            }
        }
        return nearest;
    }

    /** How many characters were changed, left out, added, or swapped with the next. */
    private static int slips(String typed, String meant) {
        int[][] counts = new int[typed.length() + 1][meant.length() + 1];
        for (int i = 0; i <= typed.length(); i++) {
            for (int j = 0; j <= meant.length(); j++) {
                counts[i][j] = i == 0 || j == 0 ? i + j : slips(typed, i, meant, j, counts);
            }
        }
        return counts[typed.length()][meant.length()];
    }

    private static int slips(String typed, int i, String meant, int j, int[][] counts) {
        int changed = typed.charAt(i - 1) == meant.charAt(j - 1) ? 0 : 1;
        int fewest =
                Math.min(
                        counts[i - 1][j - 1] + changed,
                        1 + Math.min(counts[i - 1][j], counts[i][j - 1]));
        boolean swapped =
                i > 1
                        && j > 1
                        && typed.charAt(i - 1) == meant.charAt(j - 2)
                        && typed.charAt(i - 2) == meant.charAt(j - 1);
        return swapped ? Math.min(fewest, 1 + counts[i - 2][j - 2]) : fewest;
    }
}
