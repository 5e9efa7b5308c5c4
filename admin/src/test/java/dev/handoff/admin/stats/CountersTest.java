package dev.handoff.admin.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Refusal;
import dev.handoff.process.Rejection;
import dev.handoff.server.Abandonment;
import dev.handoff.server.ConnectionEnd;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CountersTest {
    private final Counters counters = new Counters(2);

    @Test
    void keepsWhatAPoolThatIsGoneCounted() {
        counters.poolListener("default", 0).onRejected(Rejection.QUEUE_FULL);
        counters.poolListener("default", 1).onRejected(Rejection.QUEUE_FULL);
        counters.poolListener("default", 0).onRejected(Rejection.QUEUE_FULL);
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
                totals.connections().closed().counts().keySet());
        assertEquals(
                Set.copyOf(Arrays.asList(Abandonment.values())),
                totals.requests().abandoned().counts().keySet());
    }

    @Test
    void tellsThatAcceptingPausesUntilItGoesOn() {
        counters.serverListener().onAcceptPaused();
        assertEquals(true, counters.loop(0).clients().isAcceptPaused());
        counters.serverListener().onAcceptResumed();
        assertEquals(false, counters.loop(0).clients().isAcceptPaused());
        assertEquals(1, totals().connections().acceptPauses());
    }

    @Test
    void countsMethodsThatClientsMakeUpAsOne() {
        AnswerCounters answers = new AnswerCounters();
        answers.count("BREW", 418, 0);
        answers.count("WHEN", 418, 0);
        answers.count("GET", 200, 0);
        answers.count("GET", 599, 0);
        AnswerTotals totals = answers.totals();
        assertEquals(2, totals.byKind().of(new Answer("other", 418)));
        assertEquals(1, totals.byKind().of(new Answer("GET", 200)));
        assertEquals(1, totals.ofClass(5));
        assertEquals(3, totals.byKind().counts().size());
    }

    private Totals totals() {
        return counters.loop(0).totals().plus(counters.loop(1).totals());
    }
}
