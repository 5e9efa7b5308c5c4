package dev.handoff.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Puts the heaviest in front. Each is weighed once: weights grow with time, and a sort that asked
 * for them again and again would find them contradict each other.
 */
final class HeaviestFirst {
    private HeaviestFirst() {}

    private record Weighed<T>(T item, double weight) {}

    static <T> List<T> of(Collection<T> items, ToDoubleFunction<T> weight) {
        List<Weighed<T>> weighed = new ArrayList<>(items.size());
        for (T item : items) {
            weighed.add(new Weighed<>(item, weight.applyAsDouble(item)));
        }
        weighed.sort(Comparator.comparingDouble((Weighed<T> each) -> each.weight).reversed());
        return weighed.stream().map(Weighed::item).toList();
    }
}
