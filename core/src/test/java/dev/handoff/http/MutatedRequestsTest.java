package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Requests with random damage: whatever they have become, every split of the bytes gets the same
 * verdicts, no verdict takes more bytes than there are, and none throws. Each failure tells the
 * seed of its damage.
 */
class MutatedRequestsTest {
    private static final int SHORT_RUN = 2_000;
    private static final Duration LONG_RUN = Duration.ofSeconds(Long.getLong("fuzz.seconds", 60));
    private static final int MOST_MUTATIONS = 6;

    /** Written with line feeds, of which each stands for CRLF. */
    private static final List<String> SEEDS =
            List.of(
                    crlf("GET /a?b=c HTTP/1.1\nHost: example.org\nAccept: */*\n\n"),
                    crlf("POST / HTTP/1.1\nHost: a:80\nContent-Length: 5\n\nhello"),
                    crlf(
                            """
                            PUT /x HTTP/1.1
                            Host: [::1]:8080
                            Transfer-Encoding: chunked

                            5;a="b"
                            hello
                            0
                            Trailer: 1

                            """),
                    crlf(
                            """
                            GET http://h.example/p HTTP/1.1
                            Host: h.example

                            HEAD / HTTP/1.0
                            Connection: keep-alive

                            """),
                    crlf(
                            """
                            OPTIONS * HTTP/1.1
                            Host: a
                            Expect: 100-continue
                            Content-Length: 1

                            x\
                            """));

    /** What damage is made of: bytes that mean something, and pieces that smugglers use. */
    private static final List<String> PIECES =
            List.of(
                    "\r",
                    "\n",
                    "\r\n",
                    "\r\n\r\n",
                    ":",
                    " ",
                    "\t",
                    "\0",
                    "\u00ff",
                    ",",
                    ";",
                    "\"",
                    "chunked",
                    "Transfer-Encoding: chunked\r\n",
                    "Content-Length: 3\r\n",
                    "0\r\n",
                    "Host: b\r\n",
                    "HTTP/1.1",
                    "/",
                    "#",
                    "%",
                    "+",
                    "0x",
                    "-",
                    "GET ");

    @Test
    void everySplitOfADamagedRequestGetsTheSameVerdict() {
        for (int i = 0; i < SHORT_RUN; i++) {
            check(i);
        }
    }

    @Test
    @Tag("fuzz")
    void everySplitOfAnyDamagedRequestGetsTheSameVerdict() {
        long seed = System.nanoTime();
        long checked = 0;
        for (long end = System.nanoTime() + LONG_RUN.toNanos(); System.nanoTime() < end; ) {
            check(seed++);
            checked++;
        }
        System.out.println(checked + " damaged requests, each at every split");
    }

    private static void check(long seed) {
        String damaged = damaged(new Random(seed));
        try {
            List<EverySplit.Outcome> outcomes = EverySplit.outcomes(damaged);
            outcomes.forEach(outcome -> assertTrue(outcome.consumed() <= damaged.length()));
        } catch (Throwable failure) {
            throw new AssertionError("seed " + seed + ": " + damaged, failure);
        }
    }

    private static String damaged(Random random) {
        StringBuilder request = new StringBuilder(pick(SEEDS, random));
        int mutations = 1 + random.nextInt(MOST_MUTATIONS);
        for (int i = 0; i < mutations; i++) {
            int at = random.nextInt(request.length() + 1);
            switch (random.nextInt(4)) {
                case 0 -> request.insert(at, pick(PIECES, random));
                case 1 ->
                        request.delete(at, Math.min(request.length(), at + 1 + random.nextInt(4)));
                case 2 -> request.insert(at, (char) random.nextInt(256));
                default -> request.append(pick(SEEDS, random));
            }
        }
        return request.toString();
    }

    private static String crlf(String lines) {
        return lines.replace("\n", "\r\n");
    }

    private static String pick(List<String> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }
}
