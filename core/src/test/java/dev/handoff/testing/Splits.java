package dev.handoff.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The ways to cut an input into portions, all of which must lead to the same: whole, byte by byte,
 * in two at every place, and at random places.
 *
 * <p>A long input is not cut in two at every place, for that takes the square of its length: it is
 * near its ends, and at some random places between.
 */
public final class Splits {
    private static final int RANDOM_SPLITS = 40;
    private static final int MOST_RANDOM_CUTS = 8;

    private Splits() {}

    /**
     * @param how what a failing test says of it, with the seed where there is one
     * @param cuts the places between 0 and the length of the input, ascending
     */
    public record Split(String how, List<Integer> cuts) {
        public static final Split WHOLE = new Split("whole", List.of());

        @Override
        public String toString() {
            return how;
        }
    }

    /**
     * All splits, the whole input first.
     *
     * @param everyPlaceUpTo length of an input that is still cut in two at every place
     */
    public static List<Split> of(int length, int everyPlaceUpTo) {
        List<Split> splits = new ArrayList<>();
        splits.add(Split.WHOLE);
        splits.add(new Split("byte by byte", IntStream.range(1, length).boxed().toList()));
        inTwo(length, everyPlaceUpTo).forEach(splits::add);
        atRandom(length).forEach(splits::add);
        return splits;
    }

    private static List<Split> inTwo(int length, int everyPlaceUpTo) {
        if (length <= everyPlaceUpTo) {
            return IntStream.rangeClosed(0, length).mapToObj(Splits::inTwoAt).toList();
        }
        int atEachEnd = everyPlaceUpTo / 2;
        long seed = System.nanoTime();
        List<Split> splits = new ArrayList<>();
        IntStream.range(0, atEachEnd).mapToObj(Splits::inTwoAt).forEach(splits::add);
        new Random(seed)
                .ints(RANDOM_SPLITS, atEachEnd, length - atEachEnd)
                .mapToObj(Splits::inTwoAt)
                .forEach(splits::add);
        IntStream.rangeClosed(length - atEachEnd, length)
                .mapToObj(Splits::inTwoAt)
                .forEach(splits::add);
        return splits;
    }

    private static Split inTwoAt(int cut) {
        return new Split("cut at " + cut, List.of(cut));
    }

    private static List<Split> atRandom(int length) {
        if (length == 0) {
            return List.of();
        }
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Split> splits = new ArrayList<>();
        for (int i = 0; i < RANDOM_SPLITS; i++) {
            int count = 1 + random.nextInt(MOST_RANDOM_CUTS);
            List<Integer> cuts = random.ints(count, 0, length).sorted().boxed().toList();
            splits.add(new Split("cut at " + cuts + ", seed " + seed, cuts));
        }
        return splits;
    }
}
