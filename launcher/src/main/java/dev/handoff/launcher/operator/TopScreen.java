package dev.handoff.launcher.operator;

import static dev.handoff.launcher.operator.Table.Column.number;
import static dev.handoff.launcher.operator.Table.Column.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** Formats the responses of the server as the lines of {@code handoff top}. */
final class TopScreen {
    /** So many of the oldest requests are shown, however many workers there are. */
    private static final int REQUESTS_AT_LEAST = 5;

    private static final String UNKNOWN = "–";

    private final Sample sample;
    private final Map<String, Double> workerRates;
    private final WorkerOrder order;

    /**
     * @param workerRates requests per second, by the id of the worker
     */
    TopScreen(Sample sample, Map<String, Double> workerRates, WorkerOrder order) {
        this.sample = sample;
        this.workerRates = workerRates;
        this.order = order;
    }

    /** All lines. */
    List<AttributedString> lines() {
        return lines(Integer.MAX_VALUE);
    }

    /** The lines that fit: pools first, then the oldest requests, then workers. */
    List<AttributedString> lines(int height) {
        List<AttributedString> lines = new ArrayList<>(summary());
        Table pools = pools();
        lines.add(AttributedString.EMPTY);
        lines.addAll(pools.lines(Math.max(1, height / 3)));
        lines.addAll(troubles(Math.max(1, height / 8)));
        Table workers = workers();
        Table requests = requests();
        // Two more tables follow, each with an empty line and a heading.
        int left = Math.max(0, height - lines.size() - 4);
        int forRequests = Math.min(requests.rowCount(), Math.max(REQUESTS_AT_LEAST, left / 3));
        lines.add(AttributedString.EMPTY);
        lines.addAll(workers.lines(Math.max(1, left - forRequests)));
        lines.add(AttributedString.EMPTY);
        lines.addAll(
                requests.isEmpty()
                        ? List.of(new AttributedString("No request in hand", Style.QUIET))
                        : requests.lines(Math.max(1, forRequests)));
        return lines;
    }

    private List<AttributedString> summary() {
        return List.of(server(), recent(), window(), connections());
    }

    private AttributedString server() {
        Figures server = sample.stats().at("server");
        String state = server.text("state");
        return new AttributedStringBuilder()
                .append("%s %s".formatted(server.text("name"), server.text("version")), Style.TITLE)
                .append("  process " + plain(server.number("pid")))
                .append("  up " + Quantity.seconds(server.number("uptimeSeconds")) + "  ")
                .append(state, state.equals("serving") ? Style.PLAIN : Style.WARNING)
                .toAttributedString();
    }

    /** The rates of this moment; the window since the last reset has a line of its own. */
    private AttributedString recent() {
        Figures recent = sample.stats().at("recent");
        double perSecond = recent.number("requestsPerSecond");
        double failing = perSecond == 0 ? 0 : recent.number("errorsPerSecond") / perSecond;
        AttributedStringBuilder line =
                new AttributedStringBuilder()
                        .append("now          ")
                        .append(Quantity.perSecond(perSecond) + "/s", Style.TITLE)
                        .append(
                                "  %s fail".formatted(Quantity.share(failing)),
                                failing > 0 ? Style.ALARM : Style.PLAIN)
                        .append(
                                "  %s in flight"
                                        .formatted(
                                                Quantity.count(
                                                        sample.stats()
                                                                .at("requests")
                                                                .number("inFlight"))));
        double streams = sample.stats().at("streams").number("open");
        if (streams > 0) {
            line.append("  %s streams".formatted(Quantity.count(streams)));
        }
        double webSockets = sample.stats().at("webSockets").number("open");
        if (webSockets > 0) {
            line.append("  %s WebSockets".formatted(Quantity.count(webSockets)));
        }
        for (String name : List.of("p50", "p90", "p99", "max")) {
            line.append("  " + name + " ", Style.QUIET)
                    .append(Quantity.millis(recent.at("latencyMillis").number(name)));
        }
        return line.toAttributedString();
    }

    private AttributedString window() {
        Figures classes = sample.stats().at("requests").at("byStatus");
        double answered = classes.sum();
        AttributedStringBuilder line =
                new AttributedStringBuilder()
                        .append("window       ")
                        .append(
                                "%s requests in %s"
                                        .formatted(
                                                Quantity.count(
                                                        sample.stats()
                                                                .at("requests")
                                                                .number("total")),
                                                Quantity.seconds(
                                                        sample.stats()
                                                                .at("window")
                                                                .number("seconds"))));
        for (String name : List.of("2xx", "3xx", "4xx", "5xx")) {
            double share = answered == 0 ? Double.NaN : classes.number(name) / answered;
            line.append("  " + name + " ", Style.QUIET).append(Quantity.share(share));
        }
        return line.toAttributedString();
    }

    private AttributedString connections() {
        Figures connections = sample.stats().at("connections");
        String loops =
                sample.stats().list("loops").stream()
                        .map(loop ->
                                loop.isFalse("responsive")
                                        ? "stuck"
                                        : Quantity.share(loop.number("busyShare")))
                        .collect(Collectors.joining(" "));
        return new AttributedStringBuilder()
                .append(
                        "connections  %s open of %s, %s active"
                                .formatted(
                                        Quantity.count(connections.number("open")),
                                        Quantity.count(
                                                sample.stats().at("limits").number("connections")),
                                        Quantity.count(connections.number("active"))))
                .append(
                        connections.isTrue("acceptPaused") ? "  full: others wait" : "",
                        Style.ALARM)
                .append("  loops busy " + loops)
                .toAttributedString();
    }

    private Table pools() {
        Table table =
                new Table(
                        text("POOL"),
                        text("STATE"),
                        number("READY"),
                        number("IN FLIGHT"),
                        number("QUEUE"),
                        number("REQ/S"),
                        number("WAIT P99"),
                        number("HANDLER P50"),
                        number("P99"),
                        number("REJECTED"));
        for (Figures pool : sample.stats().list("pools")) {
            Figures queue = pool.at("queue");
            Figures recent = pool.at("recent");
            table.add(
                    poolStyle(pool),
                    pool.text("name"),
                    poolState(pool),
                    Quantity.count(pool.at("workers").number("ready")),
                    ofAll(pool.number("inFlight"), pool.number("concurrency")),
                    ofAll(queue.number("depth"), queue.number("limit")),
                    Quantity.perSecond(recent.number("requestsPerSecond")),
                    Quantity.millis(recent.at("waitMillis").number("p99")),
                    Quantity.millis(recent.at("handlerMillis").number("p50")),
                    Quantity.millis(recent.at("handlerMillis").number("p99")),
                    Quantity.count(pool.at("rejected").sum()));
        }
        sample.stats().list("retiring").forEach(pool -> addRetiring(pool, table));
        return table;
    }

    /** Its rates and times are shown with the pool that serves in its place. */
    private static void addRetiring(Figures pool, Table table) {
        table.add(
                Style.WARNING,
                pool.text("name"),
                "retiring",
                Quantity.count(pool.at("workers").number("ready")),
                Quantity.count(pool.number("inFlight")),
                Quantity.count(pool.number("queued")),
                UNKNOWN,
                UNKNOWN,
                UNKNOWN,
                UNKNOWN,
                UNKNOWN);
    }

    private static String poolState(Figures pool) {
        if (pool.number("concurrency") == 0) {
            return "no worker";
        }
        return pool.isTrue("overloaded") ? "overloaded" : pool.text("state");
    }

    private static AttributedStyle poolStyle(Figures pool) {
        if (pool.number("concurrency") == 0) {
            return Style.ALARM;
        }
        return pool.isTrue("overloaded") ? Style.WARNING : Style.PLAIN;
    }

    /** Why workers are not ready, and why pools kept old ones. */
    private List<AttributedString> troubles(int most) {
        List<AttributedString> lines = new ArrayList<>();
        for (Figures pool : sample.pools().list("pools")) {
            addTrouble(pool, lines);
            pool.list("workers").stream()
                    .filter(worker -> !worker.text("state").equals("ready"))
                    .forEach(worker -> addTrouble(worker, lines));
        }
        return lines.subList(0, Math.min(most, lines.size()));
    }

    private static void addTrouble(Figures from, List<AttributedString> lines) {
        if (!from.text("lastError").isEmpty()) {
            lines.add(new AttributedString("! " + from.text("lastError"), Style.ALARM));
        }
    }

    private Table workers() {
        Table table =
                new Table(
                        text("WORKER"),
                        text("STATE"),
                        number("IN FLIGHT"),
                        number("REQ/S"),
                        number("REQUESTS"),
                        number("FAILURES"),
                        number("CANCELS"),
                        number("RESTARTS"),
                        number("MEMORY"),
                        text("HOST"));
        sample.stats().list("workers").stream()
                .sorted(order.comparator())
                .forEach(worker -> {
                    String id = worker.text("id");
                    boolean ready = worker.text("state").equals("ready");
                    table.add(
                            ready ? Style.PLAIN : Style.WARNING,
                            id,
                            worker.text("state"),
                            ofAll(worker.number("inFlight"), worker.number("concurrency")),
                            Quantity.perSecond(workerRates.getOrDefault(id, Double.NaN)),
                            Quantity.count(worker.number("requests")),
                            Quantity.count(worker.number("failures")),
                            Quantity.count(worker.number("cancels")),
                            Quantity.count(worker.number("restarts")),
                            Quantity.bytes(known(worker.number("memoryBytes"))),
                            worker.text("host"));
                });
        return table;
    }

    private Table requests() {
        Table table =
                new Table(
                        number("AGE"),
                        text("STATE"),
                        text("WORKER"),
                        text("CLIENT"),
                        text("REQUEST"));
        for (Figures request : sample.inHand().list("requests")) {
            String worker = request.text("worker");
            String retiring = request.isTrue("retiring") ? " (retiring)" : "";
            table.add(
                    request.number("deadlineInMillis") <= 0 ? Style.WARNING : Style.PLAIN,
                    Quantity.millis(request.number("ageMillis")),
                    request.text("state"),
                    (worker.isEmpty() ? request.text("pool") + " (queue)" : worker) + retiring,
                    request.text("client"),
                    request.text("method") + " " + request.text("target"));
        }
        return table;
    }

    private static String plain(double number) {
        return Double.isNaN(number) ? UNKNOWN : Long.toString((long) number);
    }

    private static String ofAll(double part, double whole) {
        return Quantity.count(part) + "/" + Quantity.count(whole);
    }

    /** The server reports unknown memory as 0. */
    private static double known(double bytes) {
        return bytes == 0 ? Double.NaN : bytes;
    }
}
