package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HeaviestFirstTest {
    @Test
    void putsTheHeaviestInFront() {
        assertEquals(List.of(9, 5, 5, 1), HeaviestFirst.of(List.of(5, 1, 9, 5), each -> each));
    }

    /** A sort that sees them change throws, or takes any order. */
    @Test
    void weighsEachOnce() {
        Random weights = new Random(1);
        List<Integer> items = IntStream.range(0, 1000).boxed().toList();
        int[] weighed = new int[1000];
        HeaviestFirst.of(
                items,
                item -> {
                    weighed[item]++;
                    return weights.nextDouble();
                });
        assertEquals(Collections.nCopies(1000, 1), IntStream.of(weighed).boxed().toList());
    }
}
