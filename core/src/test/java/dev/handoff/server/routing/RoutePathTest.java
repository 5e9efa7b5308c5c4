package dev.handoff.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RoutePathTest {
    private static final List<String> PARTS =
            List.of("/", "/", ".", "..", "%2e", "%2E", "%2f", "%2F", "a", "b%", "%2", "%zz", "%41");

    @Test
    void theFirstReadingIsTheResolvedOne() {
        assertEquals("/b/c", RoutePath.readings("/a/../b//%63", 12, 99).iterator().next());
        assertEquals("", RoutePath.readings("/..", 3, 99).iterator().next());
    }

    @Test
    void beginningsAreThoseOfWholeReadings() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder path = new StringBuilder("/");
            for (int part = random.nextInt(14); part > 0; part--) {
                path.append(PARTS.get(random.nextInt(PARTS.size())));
            }
            int most = 1 + random.nextInt(9);
            Set<String> beginnings = new LinkedHashSet<>();
            for (String whole : readings(path, Integer.MAX_VALUE)) {
                beginnings.add(whole.substring(0, Math.min(most, whole.length())));
            }
            assertEquals(
                    List.copyOf(beginnings),
                    List.copyOf(readings(path, most)),
                    () -> path + ", " + most + ", seed " + seed);
        }
    }

    private static Set<String> readings(StringBuilder path, int mostLength) {
        return RoutePath.readings(path.toString(), path.length(), mostLength);
    }
}
