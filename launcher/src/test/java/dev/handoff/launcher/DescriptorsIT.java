package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What happens when file descriptors are few, and when none is left. */
class DescriptorsIT extends EndToEnd {
    /** Some 30 are used before the first client comes, and some 50 kept for others. */
    private static final int DESCRIPTORS = 150;

    /** More than are left for clients. */
    private static final int CROWD = 150;

    /** It tries again ten times a second. One that never rests would fail far more often. */
    private static final int MOST_FAILURES_HELD_BACK = 1000;

    private static final Pattern MOST_CONNECTIONS =
            Pattern.compile("(?m)^handoff_limit_connections (\\S+)$");

    private final List<RawClient> crowd = new ArrayList<>();

    @Test
    void clientsCannotTakeWhatWorkersAndOperatorsNeed() throws Exception {
        HandoffProcess handoff = runWithFewDescriptors();
        handoff.stderr().await(line -> line.contains("the limit of open files leaves room for"));
        RawClient early = client(handoff);
        assertEquals(200, early.ask("/").status());
        List<Long> before = handoff.awaitWorkers(2);
        crowd(handoff);
        handoff.stderr().await(line -> line.contains("others have to wait"));

        before.forEach(worker -> kill(worker));
        Await.until(
                "two other workers",
                () -> {
                    List<Long> now = handoff.workers();
                    return now.size() == 2 && Collections.disjoint(now, before);
                });
        assertEquals(200, early.ask("/").status());
        assertEquals(200, get(handoff.adminUrl() + "ready"));

        leave(crowd);
        assertEquals(200, client(handoff).ask("/").status());
    }

    /** Each stream of such a server takes a connection to it, besides that of its client. */
    @Test
    void streamsOfHttpServersCannotTakeThemEither() throws Exception {
        HandoffProcess handoff =
                HandoffProcess.startWithDescriptors(
                        2 * DESCRIPTORS + 100,
                        "run",
                        "--port",
                        "0",
                        "--admin-port",
                        "0",
                        "--http",
                        "--",
                        "python3",
                        "examples-http/python/server.py");
        closeAtEnd(handoff);
        handoff.stderr().await(line -> line.contains("default-1 is connected"));
        int most = mostConnections(handoff);
        assertTrue(most < CROWD, "a crowd is more than " + most);
        crowd(handoff);
        for (RawClient each : crowd) {
            each.get("/clock");
        }
        for (RawClient each : crowd.subList(0, most)) {
            assertEquals(200, each.readHead().status());
        }
        handoff.stderr().await(line -> line.contains("others have to wait"));
        assertEquals(200, get(handoff.adminUrl() + "ready"));

        leave(crowd);
        assertEquals(200, client(handoff).ask("/").status());
    }

    /** Four workers more need 32 descriptors, which clients would have otherwise. */
    @Test
    void workersThatAreAddedLaterHaveTheirsToo() throws Exception {
        HandoffProcess handoff = runWithFewDescriptors();
        int before = mostConnections(handoff);
        assertEquals(200, scale(handoff, 6));
        handoff.awaitWorkers(6);
        assertEquals(before - 4 * 8, mostConnections(handoff));
        assertEquals(200, scale(handoff, 2));
        assertEquals(before, mostConnections(handoff));
    }

    @Test
    void servesWhoIsThereWhenNoneIsLeftAndComesBackWhenOthersLeave() throws Exception {
        HandoffProcess handoff = runWithFewDescriptors();
        RawClient early = client(handoff);
        assertEquals(200, early.ask("/").status());
        List<Long> workers = handoff.awaitWorkers(2);
        // Nobody reckons with a limit that falls: there are fewer than are kept.
        lowerLimit(handoff, DESCRIPTORS / 2);
        crowd(handoff);
        handoff.stderr().await(line -> line.contains("cannot accept a connection"));
        assertEquals(200, early.ask("/").status());
        assertFailuresAreFew(handoff);
        assertEquals(200, early.ask("/").status());

        leave(crowd.subList(0, crowd.size() - 10));
        assertEquals(200, crowd.getLast().ask("/").status());
        assertEquals(200, client(handoff).ask("/").status());
        assertEquals(200, early.ask("/").status());
        assertEquals(workers, handoff.workers());
    }

    private HandoffProcess runWithFewDescriptors() throws IOException {
        HandoffProcess handoff =
                HandoffProcess.startWithDescriptors(
                        DESCRIPTORS,
                        "run",
                        "--port",
                        "0",
                        "--admin-port",
                        "0",
                        "--workers",
                        "2",
                        "examples-python/hello.py");
        closeAtEnd(handoff);
        // A worker that has started needs one more descriptor to be let in.
        handoff.stderr().await(line -> line.contains("default-1 is connected"));
        handoff.stderr().await(line -> line.contains("default-2 is connected"));
        return handoff;
    }

    /** More clients than the server may have: the last ones stay in the kernel's backlog. */
    private void crowd(HandoffProcess handoff) throws IOException {
        for (int i = 0; i < CROWD; i++) {
            crowd.add(client(handoff));
        }
    }

    private static void kill(long worker) {
        try {
            HandoffProcess.signal("KILL", worker);
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void lowerLimit(HandoffProcess handoff, int descriptors)
            throws IOException, InterruptedException {
        int exit =
                new ProcessBuilder(
                                "prlimit",
                                "--pid=" + handoff.pid(),
                                "--nofile=" + descriptors + ":" + descriptors)
                        .inheritIO()
                        .start()
                        .waitFor();
        assertEquals(0, exit);
    }

    private static int mostConnections(HandoffProcess handoff)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            String metrics =
                    client.send(
                                    HttpRequest.newBuilder(
                                                    URI.create(handoff.adminUrl() + "metrics"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body();
            Matcher found = MOST_CONNECTIONS.matcher(metrics);
            assertTrue(found.find(), metrics);
            return (int) Double.parseDouble(found.group(1));
        }
    }

    private static int scale(HandoffProcess handoff, int workers)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    handoff.adminUrl()
                                                            + "pools/default/scale?wait=true"))
                                    .header("Content-Type", "application/json")
                                    .POST(
                                            HttpRequest.BodyPublishers.ofString(
                                                    "{\"workers\": %d}".formatted(workers)))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }

    private static int get(String url) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(url)).build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }

    private static void leave(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }

    /** The log passes some on, and says at the end of a second how many it has held back. */
    private static void assertFailuresAreFew(HandoffProcess handoff) {
        String begin = "… and ";
        String end = " more like this";
        String line = handoff.stderr().await(candidate -> candidate.endsWith(end));
        int from = line.indexOf(begin) + begin.length();
        int held = Integer.parseInt(line.substring(from, line.length() - end.length()));
        assertTrue(held <= MOST_FAILURES_HELD_BACK, line);
    }
}
