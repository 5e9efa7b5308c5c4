package dev.handoff.http;

import java.util.Objects;

/**
 * Property: whatever the bytes are and however they are cut, the head parser comes to the same
 * verdict at the same byte.
 */
public final class HeadFuzz {
    /** So small that the search meets every one of them. */
    private static final ParserLimits LIMITS = new ParserLimits(64, 400, 8, 256);

    private static final class Reader implements Portions.Reader {
        final HeadParser parser = new HeadParser(LIMITS, false);

        @Override
        public int parse(byte[] bytes, int from, int to) {
            return parser.parse(bytes, from, to);
        }

        @Override
        public boolean isOver() {
            return parser.refusal() != null || parser.head() != null;
        }

        boolean saysTheSameAs(Reader other) {
            return parser.refusal() == other.parser.refusal()
                    && parser.isBeforeRequest() == other.parser.isBeforeRequest()
                    && Objects.equals(parser.head(), other.parser.head());
        }
    }

    private HeadFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        Reader whole = new Reader();
        int taken = Portions.whole(whole, input);

        Reader perByte = new Reader();
        if (Portions.perByte(perByte, input) != taken || !perByte.saysTheSameAs(whole)) {
            throw new AssertionError("byte by byte it is another head");
        }
        Reader inTwo = new Reader();
        int cut = Portions.anyCut(input);
        if (Portions.inTwo(inTwo, input, cut) != taken || !inTwo.saysTheSameAs(whole)) {
            throw new AssertionError("cut at " + cut + " it is another head");
        }
    }
}
