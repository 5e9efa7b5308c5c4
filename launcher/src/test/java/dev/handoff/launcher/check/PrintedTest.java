package dev.handoff.launcher.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PrintedTest {
    private final Printed printed = new Printed();

    @Test
    void keepsTheLastLines() throws IOException {
        printed.read(new StringReader(lines(0, 20) + "\nand a rest"));
        assertEquals(lines(20 - Printed.MOST_LINES + 1, 20) + "\nand a rest", printed.text());
    }

    @Test
    void makesThemSafeToShow() throws IOException {
        printed.read(new StringReader("a\n\u001b[2J\u202e"));
        assertEquals("a\n\ufffd[2J\ufffd", printed.text());
    }

    @Test
    void keepsTheirIndentAndTakesAnyEnd() throws IOException {
        printed.read(new StringReader("a\r\n  b\n\n10 %\r20 %\r"));
        assertEquals("a\n  b\n\n10 %\n20 %", printed.text());
    }

    @Test
    void keepsTheBeginningOfALineThatDoesNotEnd() throws IOException {
        printed.read(new Repeated(1 << 28));
        assertEquals("x".repeat(Printed.MOST_CHARACTERS), printed.text());
    }

    private static String lines(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(String::valueOf)
                .collect(Collectors.joining("\n"));
    }

    private static final class Repeated extends Reader {
        private long left;

        Repeated(long left) {
            this.left = left;
        }

        @Override
        public int read() {
            return left-- > 0 ? 'x' : -1;
        }

        @Override
        public int read(char[] into, int from, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
