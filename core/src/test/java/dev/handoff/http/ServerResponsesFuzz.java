package dev.handoff.http;

import dev.handoff.http.ReadResponses.Asked;
import dev.handoff.http.ReadResponses.Found;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Property: however the bytes of a server are cut, the parser finds the same responses at the same
 * places, and comes to the same verdict. Where it accepts a response, the most careless reader,
 * which looks for nothing but the empty line, a length and chunk sizes, finds the same content and
 * the same end. Both hold behind GET as well as behind HEAD and an offer to upgrade.
 */
public final class ServerResponsesFuzz {
    /** So small that the search meets every one of them. */
    private static final ParserLimits LIMITS = new ParserLimits(1, 128, 6, 1);

    /** More than there can be in an input. */
    private static final int MOST_RESPONSES = 64;

    private static final List<Asked> CONTENT =
            Collections.nCopies(MOST_RESPONSES, new Asked(false, false));

    private static final List<Asked> NO_CONTENT =
            Collections.nCopies(MOST_RESPONSES, new Asked(true, true));

    private ServerResponsesFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        read(input, CONTENT);
        read(input, NO_CONTENT);
    }

    private static void read(byte[] input, List<Asked> asked) {
        ReadResponses whole = new ReadResponses(asked, LIMITS);
        Portions.whole(whole, input);
        List<Found> found = whole.found();
        String ending = whole.ending();

        ReadResponses perByte = new ReadResponses(asked, LIMITS);
        Portions.perByte(perByte, input);
        requireSame(found, ending, perByte);
        ReadResponses inTwo = new ReadResponses(asked, LIMITS);
        Portions.inTwo(inTwo, input, Portions.anyCut(input));
        requireSame(found, ending, inTwo);

        int start = 0;
        for (Found response : found) {
            boolean untilEnd = response.endsAt() < 0 && ending.equals(ReadResponses.UNTIL_END);
            if (response.endsAt() >= 0 || untilEnd) {
                int end = untilEnd ? input.length : response.endsAt();
                new Careless(input, start).requireSame(response, end, asked.getFirst());
                start = end;
            }
        }
    }

    private static void requireSame(List<Found> found, String ending, ReadResponses cut) {
        if (!found.equals(cut.found()) || !ending.equals(cut.ending())) {
            throw new AssertionError(
                    "cut, it is " + cut.found() + cut.ending() + ", not " + found + ending);
        }
    }

    /** Reads one response, and trusts that all is as it expects. */
    private static final class Careless {
        private final byte[] input;
        private final String text;
        private final byte[] content;
        private int length;
        private int at;

        Careless(byte[] input, int start) {
            this.input = input;
            this.text = new String(input, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
            this.content = new byte[input.length];
            this.at = start;
        }

        void requireSame(Found found, int end, Asked asked) {
            String head = nextHead();
            while (status(head) < 200 && status(head) != 101) {
                head = nextHead();
            }
            int status = status(head);
            if (status != found.response().status()) {
                throw new AssertionError("another reader finds the status " + status);
            }
            if (status != 101 && status != 204 && status != 304 && !asked.head()) {
                content(head);
            }
            Body body = Body.of(Arrays.copyOf(content, length));
            if (at != end || !found.response().body().equals(body)) {
                throw new AssertionError("another reader finds other content");
            }
        }

        private String nextHead() {
            int end = text.indexOf("\r\n\r\n", at) + 4;
            String head = text.substring(at, end);
            at = end;
            return head;
        }

        private static int status(String head) {
            int start = head.indexOf(' ') + 1;
            return Integer.parseInt(head.substring(start, start + 3));
        }

        private void content(String head) {
            int field = head.indexOf("\ncontent-length:");
            if (head.contains("\ntransfer-encoding:")) {
                chunks();
            } else if (field >= 0) {
                int from = field + "\ncontent-length:".length();
                String value = head.substring(from, head.indexOf('\r', from));
                take(Math.toIntExact(Long.parseLong(value.strip())));
            } else {
                take(input.length - at);
            }
        }

        private void chunks() {
            int size;
            do {
                int end = at;
                while (Character.digit(text.charAt(end), 16) >= 0) {
                    end++;
                }
                size = Integer.parseInt(text, at, end, 16);
                skipLine();
                if (size > 0) {
                    take(size);
                    skipLine();
                }
            } while (size > 0);
            int line;
            do {
                line = at;
                skipLine();
            } while (at - line > 2);
        }

        private void take(int count) {
            System.arraycopy(input, at, content, length, count);
            length += count;
            at += count;
        }

        private void skipLine() {
            at = text.indexOf('\n', at) + 1;
        }
    }
}
