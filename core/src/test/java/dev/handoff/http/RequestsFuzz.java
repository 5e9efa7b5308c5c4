package dev.handoff.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Property: however the bytes of one connection are cut, the parser finds the same requests at the
 * same places, and holds no more than its limits allow. What comes out of a request, or of what is
 * none, is the same without those before it; and a request is the same when it is written anew.
 */
public final class RequestsFuzz {
    /** So small that the search meets every one of them. */
    private static final ParserLimits LIMITS = new ParserLimits(64, 400, 8, 100);

    /** What the parser counts for each field, beside its bytes. */
    private static final int FIELD_OVERHEAD_BYTES = 64;

    private static final int MOST_BUFFERED_BYTES =
            LIMITS.headBytes() + FIELD_OVERHEAD_BYTES * LIMITS.fields() + LIMITS.bodyBytes();

    /** Inputs up to this size are cut at every place. */
    private static final int SHORT_BYTES = 40;

    private static final class Reader implements Portions.Reader {
        final RequestParser parser = new RequestParser(LIMITS);
        final List<Parsed.Complete> requests = new ArrayList<>();
        final List<Integer> ends = new ArrayList<>();
        Parsed.@Nullable Refused refused;
        private int taken;

        @Override
        public int parse(byte[] bytes, int from, int to) {
            int at = from;
            while (at < to && refused == null) {
                Parsed verdict = parser.parse(bytes, at, to);
                taken += parser.consumedTo() - at;
                at = parser.consumedTo();
                switch (verdict) {
                    case Parsed.Complete complete -> {
                        requests.add(complete);
                        ends.add(taken);
                    }
                    case Parsed.ContentEnd end ->
                            throw new AssertionError("all content is handed over whole");
                    case Parsed.Refused why -> refused = why;
                    case Parsed.Incomplete incomplete -> {
                        if (parser.bufferedBytes() > MOST_BUFFERED_BYTES) {
                            throw new AssertionError("it holds " + parser.bufferedBytes());
                        }
                        return at;
                    }
                }
            }
            return at;
        }

        @Override
        public boolean isOver() {
            return refused != null;
        }

        boolean saysTheSameAs(Reader other) {
            return taken == other.taken
                    && (refused == null ? other.refused == null : refused.equals(other.refused))
                    && parser.phase() == other.parser.phase()
                    && parser.awaitsContinue() == other.parser.awaitsContinue()
                    && ends.equals(other.ends)
                    && requests.equals(other.requests);
        }
    }

    private RequestsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        Reader whole = new Reader();
        Portions.whole(whole, input);

        Reader perByte = new Reader();
        Portions.perByte(perByte, input);
        if (!perByte.saysTheSameAs(whole)) {
            throw new AssertionError("byte by byte they are other requests");
        }
        if (input.length <= SHORT_BYTES) {
            for (int cut = 0; cut <= input.length; cut++) {
                requireSameInTwo(whole, input, cut);
            }
        } else {
            requireSameInTwo(whole, input, Portions.anyCut(input));
        }
        int start = 0;
        for (int i = 0; i < whole.requests.size(); i++) {
            Parsed.Complete request = whole.requests.get(i);
            int end = whole.ends.get(i);
            requireAlone(request, input, start, end, LIMITS);
            // With the usual limits, for a field's space or Host may be new.
            byte[] anew = RequestWriter.bytes(request.request());
            requireAlone(request, anew, 0, anew.length, ParserLimits.DEFAULT);
            start = end;
        }
        if (start > 0) {
            requireSameRest(whole, input, start);
        }
    }

    private static void requireSameInTwo(Reader whole, byte[] input, int cut) {
        Reader inTwo = new Reader();
        Portions.inTwo(inTwo, input, cut);
        if (!inTwo.saysTheSameAs(whole)) {
            throw new AssertionError("cut at " + cut + " they are other requests");
        }
    }

    private static void requireAlone(
            Parsed.Complete expected, byte[] bytes, int from, int to, ParserLimits limits) {
        RequestParser parser = new RequestParser(limits);
        Parsed verdict = parser.parse(bytes, from, to);
        if (!verdict.equals(expected) || parser.consumedTo() != to) {
            throw new AssertionError(verdict + " instead of " + expected);
        }
    }

    /** What is behind the last request may be refused, or lack its end. */
    private static void requireSameRest(Reader whole, byte[] input, int start) {
        Reader rest = new Reader();
        int end = rest.parse(input, start, input.length);
        if (end != whole.taken
                || !rest.requests.isEmpty()
                || !Objects.equals(rest.refused, whole.refused)
                || rest.parser.phase() != whole.parser.phase()) {
            throw new AssertionError("without the requests before, the rest is another");
        }
    }
}
