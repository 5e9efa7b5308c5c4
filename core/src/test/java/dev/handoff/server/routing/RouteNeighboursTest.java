package dev.handoff.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.server.forwarding.Network;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RouteNeighboursTest {
    private static final int SEEDS = 200;

    /** Whoever is left out would not be compared, and so not be found to want the same. */
    @Test
    void leavesOutOnlyWhatCannotMeet() {
        int leftOut = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<RoutePattern> all = new ArrayList<>();
            RouteNeighbours<RoutePattern> neighbours = new RouteNeighbours<>();
            for (int i = 0; i < 30; i++) {
                RoutePattern next = pattern(random);
                List<RoutePattern> found = neighbours.of(next);
                assertEquals(
                        all.stream().filter(next::meets).toList(),
                        found.stream().filter(next::meets).toList(),
                        "seed " + seed);
                leftOut += all.size() - found.size();
                all.add(next);
                neighbours.add(next, next);
            }
        }
        assertTrue(leftOut > 0);
    }

    @Test
    void comparesNoRoutesWhoseClientsAreApart() {
        RouteNeighbours<Integer> neighbours = new RouteNeighbours<>();
        for (int i = 0; i < 200; i++) {
            RoutePattern pattern = pattern("/", networks(i, 100));
            assertEquals(List.of(), neighbours.of(pattern));
            neighbours.add(pattern, i);
        }
        assertEquals(List.of(7), neighbours.of(pattern("/", Set.of(Network.parse("10.7.3.1")))));
        assertEquals(200, neighbours.of(pattern("/", Set.of(Network.parse("10.0.0.0/8")))).size());
        assertEquals(200, neighbours.of(pattern("/", Set.of())).size());
    }

    private static Set<Network> networks(int first, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Network.parse("10.%d.%d.0/24".formatted(first, i)))
                .collect(Collectors.toSet());
    }

    private static RoutePattern pattern(Random random) {
        Set<Network> clients =
                IntStream.range(0, random.nextInt(4))
                        .mapToObj(_ -> network(random))
                        .collect(Collectors.toSet());
        return pattern(random.nextInt(9) == 0 ? "/x" : "/", clients);
    }

    /** Of few bits that differ, so that many are nested. */
    private static Network network(Random random) {
        int bits = random.nextInt(4);
        boolean longer = random.nextBoolean();
        String address =
                longer
                        ? "2001:db8::%x00:0:0:0".formatted(random.nextInt(4))
                        : "10.0.%d.%d".formatted(random.nextInt(4), random.nextInt(4) << 6);
        int most = longer ? 128 : 32;
        return Network.parse(
                address + "/" + (random.nextInt(5) == 0 ? bits : most - random.nextInt(20)));
    }

    private static RoutePattern pattern(String path, Set<Network> clients) {
        return new RoutePattern(
                null,
                path,
                false,
                Set.of(),
                new RouteConditions(Map.of(), Map.of(), null, clients, Set.of()));
    }
}
