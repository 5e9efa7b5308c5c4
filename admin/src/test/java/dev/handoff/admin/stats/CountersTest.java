package dev.handoff.admin.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Refusal;
import dev.handoff.process.dispatch.Rejection;
import dev.handoff.server.Abandonment;
import dev.handoff.server.ConnectionEnd;
import dev.handoff.server.ServerListener;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CountersTest {
    private final Counters counters = new Counters(2);

    @Test
    void keepsWhatAPoolThatIsGoneCounted() {
        counters.poolListener("default", 0).onRejected(Rejection.QUEUE_FULL, 1);
        counters.poolListener("default", 1).onRejected(Rejection.QUEUE_FULL, 1);
        counters.poolListener("default", 0).onRejected(Rejection.QUEUE_FULL, 1);
        PoolTotals pool = Objects.requireNonNull(totals().pools().get("default"));
        assertEquals(3, pool.rejected().of(Rejection.QUEUE_FULL));
    }

    @Test
    void showsEveryReasonAlsoWithoutACount() {
        Totals totals = totals();
        assertEquals(
                Set.copyOf(Arrays.asList(Refusal.values())), totals.refused().counts().keySet());
        assertEquals(
                Set.copyOf(Arrays.asList(ConnectionEnd.values())),
                totals.closed().counts().keySet());
        assertEquals(
                Set.copyOf(Arrays.asList(Abandonment.values())),
                totals.abandoned().counts().keySet());
    }

    @Test
    void tellsThatAcceptingPausesUntilItGoesOn() {
        counters.serverListener().onAcceptPaused();
        assertEquals(true, counters.loop(0).clients().isAcceptPaused());
        counters.serverListener().onAcceptResumed();
        assertEquals(false, counters.loop(0).clients().isAcceptPaused());
        assertEquals(1, totals().of(ServerCount.ACCEPT_PAUSES));
    }

    /** An event that is new in the interface is counted, or named here. */
    @Test
    void countsWhateverTheServerTellsButBugs() {
        Set<String> told = eventsOf(ServerListener.class);
        told.removeAll(eventsOf(ClientCounters.class));
        assertEquals(Set.of("onInternalFailure"), told);
    }

    @Test
    void countsMethodsThatClientsMakeUpAsOne() {
        ResponseCounters responses = new ResponseCounters();
        responses.count("BREW", 418, 0);
        responses.count("WHEN", 418, 0);
        responses.count("GET", 200, 0);
        responses.count("GET", 599, 0);
        ResponseTotals totals = responses.totals();
        assertEquals(2, totals.byKind().of(new ResponseKind("other", 418)));
        assertEquals(1, totals.byKind().of(new ResponseKind("GET", 200)));
        assertEquals(1, totals.ofClass(5));
        assertEquals(3, totals.byKind().counts().size());
    }

    private static Set<String> eventsOf(Class<?> listener) {
        return Arrays.stream(listener.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> name.startsWith("on"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Totals totals() {
        return counters.loop(0).totals().plus(counters.loop(1).totals());
    }
}
