package dev.handoff.http;

import dev.handoff.testing.Splits.Split;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link ResponseParser} finds in the bytes of a server that has got some requests. Its
 * verdict is a text, as the fixtures in {@code conformance/http-responses} write it.
 */
public final class ReadResponses implements Portions.Reader {
    public static final String KEPT = "kept";
    public static final String CLOSED = "closed";
    public static final String WAITS = "waits";
    public static final String UNTIL_END = "until end";
    public static final String SWITCHED = "switched";
    public static final String REFUSED = "refused ";

    private static final String CUT_OFF =
            "it closed the connection before the response was complete";

    /** Bytes around each portion, so that index 0 is nothing special. */
    private static final int MARGIN = 3;

    /** A request that the server has got. */
    public record Asked(boolean head, boolean offersUpgrade) {
        public static final Asked GET = new Asked(false, false);
        public static final Asked HEAD = new Asked(true, false);
        public static final Asked UPGRADE = new Asked(false, true);
    }

    /**
     * A response, of which the last one may lack some of its content.
     *
     * @param response with all content that came
     * @param contentBytes what the head says of the length; -1 if nothing
     * @param endsAt index behind it, or -1 if it is not whole
     */
    public record Found(Response response, long contentBytes, int endsAt) {}

    private final List<Asked> asked;
    private final ResponseParser parser;
    private final List<Found> found = new ArrayList<>();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private ResponsePart.@Nullable Head head;
    private int sent;
    private int taken;
    private @Nullable String over;

    /**
     * @param asked one request for each response that may come
     */
    public ReadResponses(List<Asked> asked) {
        this(asked, ResponseParser.LIMITS);
    }

    ReadResponses(List<Asked> asked, ParserLimits limits) {
        this.asked = asked;
        this.parser =
                new ResponseParser(
                        (bytes, from, to) -> {
                            if (from >= to) {
                                throw new AssertionError("it hands over no bytes");
                            }
                            content.write(bytes, from, to - from);
                        },
                        limits);
        askNext();
    }

    /** Reads bytes that come in portions. */
    public static ReadResponses of(byte[] bytes, List<Asked> asked, Split split) {
        ReadResponses reading = new ReadResponses(asked);
        int start = 0;
        for (int i = 0; i <= split.cuts().size() && !reading.isOver(); i++) {
            int end = i == split.cuts().size() ? bytes.length : split.cuts().get(i);
            byte[] portion = new byte[end - start + 2 * MARGIN];
            System.arraycopy(bytes, start, portion, MARGIN, end - start);
            reading.parse(portion, MARGIN, MARGIN + end - start);
            // The array is the event loop's, which reads the next connection's bytes into it.
            Arrays.fill(portion, (byte) '?');
            start = end;
        }
        return reading;
    }

    static ReadResponses of(String bytes, Asked... asked) {
        return of(bytes.getBytes(StandardCharsets.ISO_8859_1), List.of(asked), Split.WHOLE);
    }

    @Override
    public int parse(byte[] bytes, int from, int to) {
        int at = from;
        while (over == null) {
            ResponsePart part = parser.parse(bytes, at, to);
            taken += parser.consumedTo() - at;
            at = parser.consumedTo();
            switch (part) {
                case ResponsePart.Incomplete incomplete -> {
                    return at;
                }
                case ResponsePart.Head begun -> begin(begun);
                case ResponsePart.End(boolean persistent) -> end(persistent);
                case ResponsePart.Refused(String why) -> {
                    keepWhatCame(-1);
                    over = REFUSED + why;
                }
            }
        }
        return at;
    }

    @Override
    public boolean isOver() {
        return over != null;
    }

    /** What has come; not to be called before all has. */
    public List<Found> found() {
        keepWhatCame(-1);
        return found;
    }

    /** What is with the connection, or would be if the server ended it now. Said once. */
    public String ending() {
        if (over == null) {
            over = parser.isReading() ? unfinished() : KEPT;
        }
        return over;
    }

    private String unfinished() {
        return switch (parser.inputEnded()) {
            case ResponsePart.End(boolean persistent) when !persistent -> UNTIL_END;
            case ResponsePart.Refused(String why) when why.equals(CUT_OFF) -> WAITS;
            case ResponsePart other -> throw new AssertionError("at the end it says " + other);
        };
    }

    private void begin(ResponsePart.Head begun) {
        head = begun;
        if (begun.response().status() == 101) {
            keepWhatCame(taken);
            over = SWITCHED;
        }
    }

    private void end(boolean persistent) {
        keepWhatCame(taken);
        if (!persistent) {
            over = CLOSED;
        } else if (sent < asked.size()) {
            askNext();
        }
    }

    private void askNext() {
        Asked next = asked.get(sent++);
        parser.expect(next.head(), next.offersUpgrade());
    }

    private void keepWhatCame(int endsAt) {
        ResponsePart.Head begun = head;
        if (begun == null) {
            return;
        }
        Response it = begun.response();
        Response whole =
                new Response(
                        it.status(), it.reason(), it.headers(), Body.of(content.toByteArray()));
        found.add(new Found(whole, begun.contentBytes(), endsAt));
        head = null;
        content.reset();
    }
}
