package dev.handoff.http;

import java.util.Arrays;

/**
 * Property: however a chunked body is cut, its decoder comes to the same verdict at the same byte;
 * and where it accepts one, the most careless reader, which looks for nothing but sizes and line
 * feeds, finds the same content and the same end. Neither content nor memory passes the limit.
 */
public final class ChunkedFuzz {
    /** So small that the search meets every one of them. */
    private static final ParserLimits LIMITS = new ParserLimits(64, 128, 4, 100);

    private static final class Reader implements Portions.Reader {
        final BodyCollector collector = new BodyCollector(LIMITS.bodyBytes(), 0, null);
        final ChunkedDecoder decoder = new ChunkedDecoder(LIMITS, collector);

        @Override
        public int parse(byte[] bytes, int from, int to) {
            int end = decoder.parse(bytes, from, to);
            if (collector.bufferedBytes() > LIMITS.bodyBytes()) {
                throw new AssertionError("it holds " + collector.bufferedBytes() + " bytes");
            }
            return end;
        }

        @Override
        public boolean isOver() {
            return decoder.refusal() != null || decoder.isDone();
        }

        /** The content, or what has come of it where there is no more. */
        Body body() {
            return collector.finish();
        }
    }

    private ChunkedFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        Reader whole = new Reader();
        int taken = Portions.whole(whole, input);
        Body body = whole.body();

        Reader perByte = new Reader();
        requireSame(whole, taken, body, perByte, Portions.perByte(perByte, input));
        Reader inTwo = new Reader();
        int cut = Portions.anyCut(input);
        requireSame(whole, taken, body, inTwo, Portions.inTwo(inTwo, input, cut));

        if (body.sizeBytes() > LIMITS.bodyBytes()) {
            throw new AssertionError("the body has " + body.sizeBytes() + " bytes");
        }
        if (whole.decoder.isDone()) {
            requireSameToCarelessReader(input, taken, body);
        }
    }

    private static void requireSame(
            Reader whole, int taken, Body body, Reader cut, int takenOfCut) {
        if (taken != takenOfCut
                || whole.decoder.refusal() != cut.decoder.refusal()
                || whole.decoder.isDone() != cut.decoder.isDone()
                || !body.equals(cut.body())) {
            throw new AssertionError("cut, it is another body");
        }
    }

    private static void requireSameToCarelessReader(byte[] input, int end, Body body) {
        byte[] content = new byte[input.length];
        int length = 0;
        int at = 0;
        while (true) {
            int size = 0;
            int start = at;
            while (Character.digit(input[at], 16) >= 0) {
                size = 16 * size + Character.digit(input[at++], 16);
            }
            if (at == start) {
                throw new AssertionError("another reader finds no size");
            }
            at = behindLine(input, at);
            if (size == 0) {
                break;
            }
            System.arraycopy(input, at, content, length, size);
            length += size;
            at = behindLine(input, at + size);
        }
        int line;
        do {
            line = at;
            at = behindLine(input, line);
        } while (at - line > 2);
        if (at != end || !body.equals(Body.of(Arrays.copyOf(content, length)))) {
            throw new AssertionError("another reader finds another body");
        }
    }

    private static int behindLine(byte[] input, int from) {
        int at = from;
        while (input[at] != '\n') {
            at++;
        }
        return at + 1;
    }
}
