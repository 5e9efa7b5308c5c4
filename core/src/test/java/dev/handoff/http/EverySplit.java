package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.testing.Splits;
import dev.handoff.testing.Splits.Split;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Feeds an input to parsers whole, byte by byte, cut in two at every place and cut at random
 * places, and demands that all of them say the same.
 */
public final class EverySplit {
    /** The longest input that is cut in two at every place. */
    public static final int EVERY_PLACE_UP_TO = 2_000;

    /** Bytes around each portion, so that index 0 is nothing special. */
    private static final int MARGIN = 3;

    private EverySplit() {}

    /** A verdict, and how many bytes of the input were taken when it came. */
    public record Outcome(Parsed verdict, int consumed, RequestParser.Phase phase) {}

    static List<Outcome> outcomes(String input) {
        return outcomes(input, ParserLimits.DEFAULT);
    }

    /** The verdicts about all requests in the input; the last one may be Incomplete or Refused. */
    static List<Outcome> outcomes(String input, ParserLimits limits) {
        byte[] bytes = input.getBytes(StandardCharsets.ISO_8859_1);
        List<Outcome> whole = outcomes(bytes, limits, Split.WHOLE);
        for (Split split : Splits.of(bytes.length, EVERY_PLACE_UP_TO)) {
            assertEquals(whole, outcomes(bytes, limits, split), split::how);
        }
        return whole;
    }

    /** The one request that the whole input is. */
    static Request accepted(String input) {
        return complete(input).request();
    }

    static Parsed.Complete complete(String input) {
        return complete(input, ParserLimits.DEFAULT);
    }

    static Parsed.Complete complete(String input, ParserLimits limits) {
        List<Outcome> outcomes = outcomes(input, limits);
        assertEquals(1, outcomes.size(), () -> "one request, not " + outcomes);
        if (outcomes.getFirst().verdict() instanceof Parsed.Complete complete) {
            assertEquals(input.length(), outcomes.getFirst().consumed());
            return complete;
        }
        throw new AssertionError("not complete: " + outcomes);
    }

    static void assertRefused(Refusal expected, String input) {
        assertRefused(expected, input, ParserLimits.DEFAULT);
    }

    /** Demands that the first request of the input is refused, by its last byte or earlier. */
    static void assertRefused(Refusal expected, String input, ParserLimits limits) {
        assertEquals(new Parsed.Refused(expected), outcomes(input, limits).getFirst().verdict());
    }

    /** Demands that just the last byte of the input is what the request is refused for. */
    static void assertRefusedAtEnd(Refusal expected, String input, ParserLimits limits) {
        List<Outcome> outcomes = outcomes(input, limits);
        assertEquals(new Parsed.Refused(expected), outcomes.getFirst().verdict());
        assertEquals(input.length(), outcomes.getFirst().consumed(), "refused too early");
    }

    static void assertIncomplete(String input) {
        assertEquals(
                List.of(Parsed.Incomplete.INCOMPLETE),
                outcomes(input).stream().map(Outcome::verdict).toList());
    }

    /** The verdicts about an input that comes in portions. */
    public static List<Outcome> outcomes(byte[] bytes, ParserLimits limits, Split split) {
        return outcomes(bytes, new RequestParser(limits), split);
    }

    /**
     * The same where content is handed over as it comes. A request counts as complete, and has its
     * content, when all of that has come.
     */
    public static List<Outcome> outcomesWithArriving(
            byte[] bytes, ParserLimits limits, Split split) {
        GatheredContent gathered = new GatheredContent();
        List<Outcome> outcomes = new ArrayList<>();
        Parsed.Complete begun = null;
        for (Outcome each : outcomes(bytes, new RequestParser(limits, false, gathered), split)) {
            if (each.verdict() instanceof Parsed.Complete complete
                    && complete.request().body().arriving() != null) {
                begun = complete;
            } else if (each.verdict() == Parsed.ContentEnd.CONTENT_END && begun != null) {
                Request head = begun.request();
                Request whole =
                        new Request(
                                head.method(),
                                head.target(),
                                head.version(),
                                head.headers(),
                                gathered.ended.remove());
                outcomes.add(
                        new Outcome(
                                new Parsed.Complete(whole, begun.persistent()),
                                each.consumed(),
                                each.phase()));
                begun = null;
            } else {
                outcomes.add(each);
            }
        }
        if (begun != null && outcomes.stream().noneMatch(EverySplit::isRefused)) {
            outcomes.add(
                    new Outcome(
                            Parsed.Incomplete.INCOMPLETE, bytes.length, RequestParser.Phase.BODY));
        }
        return outcomes;
    }

    private static boolean isRefused(Outcome outcome) {
        return outcome.verdict() instanceof Parsed.Refused;
    }

    private static List<Outcome> outcomes(byte[] bytes, RequestParser parser, Split split) {
        List<Outcome> outcomes = new ArrayList<>();
        List<Integer> cuts = split.cuts();
        int start = 0;
        for (int i = 0; i <= cuts.size(); i++) {
            boolean last = i == cuts.size();
            int end = last ? bytes.length : cuts.get(i);
            if (!portion(parser, Arrays.copyOfRange(bytes, start, end), start, last, outcomes)) {
                break;
            }
            start = end;
        }
        return outcomes;
    }

    /** Returns whether to go on. */
    private static boolean portion(
            RequestParser parser, byte[] bytes, int start, boolean last, List<Outcome> outcomes) {
        byte[] array = new byte[bytes.length + 2 * MARGIN];
        System.arraycopy(bytes, 0, array, MARGIN, bytes.length);
        int to = MARGIN + bytes.length;
        int at = MARGIN;
        while (true) {
            int from = at;
            Parsed verdict = parser.parse(array, from, to);
            at = parser.consumedTo();
            // The array is the event loop's, which reads the next connection's bytes into it.
            Arrays.fill(array, from, at, (byte) '?');
            int consumed = start + at - MARGIN;
            switch (verdict) {
                case Parsed.ContentEnd end -> {
                    outcomes.add(new Outcome(end, consumed, parser.phase()));
                    if (at == to) {
                        return true;
                    }
                }
                case Parsed.Complete complete -> {
                    outcomes.add(new Outcome(complete, consumed, parser.phase()));
                    if (at == to) {
                        return true;
                    }
                }
                case Parsed.Refused refused -> {
                    outcomes.add(new Outcome(refused, consumed, parser.phase()));
                    return false;
                }
                case Parsed.Incomplete incomplete -> {
                    assertEquals(to, at, "incomplete, but not everything was taken");
                    if (last && consumed > consumedBefore(outcomes)) {
                        outcomes.add(new Outcome(incomplete, consumed, parser.phase()));
                    }
                    return true;
                }
            }
        }
    }

    private static int consumedBefore(List<Outcome> outcomes) {
        return outcomes.isEmpty() ? 0 : outcomes.getLast().consumed();
    }
}
