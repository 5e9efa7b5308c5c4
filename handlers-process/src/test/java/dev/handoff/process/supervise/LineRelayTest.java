package dev.handoff.process.supervise;

import static dev.handoff.process.supervise.LineRelay.LONGEST_LINE;
import static dev.handoff.process.supervise.LineRelay.REMEMBERED_LINES;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.PoolListener;
import dev.handoff.process.RecordingListener;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class LineRelayTest {
    private final RecordingListener listener = new RecordingListener();
    private final LineRelay relay = new LineRelay("worker-1", PoolListener.Output.STDERR, listener);

    @Test
    void passesEachLineWithTheNameOfItsWorker() {
        relay("one\ntwo\n");
        assertEquals(
                List.of(
                        new PoolEvent.Output("worker-1", PoolListener.Output.STDERR, "one"),
                        new PoolEvent.Output("worker-1", PoolListener.Output.STDERR, "two")),
                listener.heard(PoolEvent.Output.class));
    }

    @Test
    void passesALastLineWithoutItsEnd() {
        assertEquals(List.of("one", "two"), relay("one\ntwo"));
    }

    @Test
    void keepsEmptyLines() {
        assertEquals(List.of("", "one", ""), relay("\none\n\n"));
    }

    @Test
    void takesOffACarriageReturnAtTheEndOnly() {
        assertEquals(List.of("one", "t\rwo", ""), relay("one\r\nt\rwo\r\n\r\n"));
    }

    @Test
    void passesALineOfTheLongestLengthWhole() {
        String longest = "x".repeat(LONGEST_LINE);
        assertEquals(List.of(longest, "next"), relay(longest + "\nnext\n"));
    }

    @Test
    void cutsALongerLineInPieces() {
        String longest = "x".repeat(LONGEST_LINE);
        assertEquals(List.of(longest, "yz", "next"), relay(longest + "yz\nnext\n"));
        assertEquals(List.of(longest, longest), relay(longest + longest + "\n"));
        assertEquals(List.of(longest), relay(longest + "\r\n"));
    }

    @Test
    void cutsNoSurrogatePairInTwo() {
        String filler = "x".repeat(LONGEST_LINE - 1);
        assertEquals(List.of(filler + "\uD83D\uDE80", "!"), relay(filler + "\uD83D\uDE80!\n"));
    }

    @Test
    void replacesWhatIsNotUtf8() {
        relay.relay(new ByteArrayInputStream(new byte[] {'a', (byte) 0xFF, 'b', '\n'}));
        assertEquals(List.of("a\uFFFDb"), lines());
    }

    @Test
    void remembersTheLastLinesOnly() {
        relay(
                IntStream.rangeClosed(1, REMEMBERED_LINES + 1)
                        .mapToObj(i -> i + "\n")
                        .collect(Collectors.joining()));
        assertEquals(REMEMBERED_LINES, relay.lastLines().size());
        assertEquals("2", relay.lastLines().getFirst());
        assertEquals(Integer.toString(REMEMBERED_LINES + 1), relay.lastLines().getLast());
    }

    /** The lines of {@code text} alone, also when others were relayed before. */
    private List<String> relay(String text) {
        int before = lines().size();
        relay.relay(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        return lines().subList(before, lines().size());
    }

    private List<String> lines() {
        return listener.heard(PoolEvent.Output.class).stream().map(PoolEvent.Output::line).toList();
    }
}
