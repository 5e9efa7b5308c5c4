package dev.handoff.launcher.operator;

import java.util.Comparator;
import java.util.List;

/** The orders of the workers: most first, but names ascending. */
enum WorkerOrder {
    IN_FLIGHT("in flight", "inFlight"),
    REQUESTS("requests", "requests"),
    FAILURES("failures", "failures"),
    RESTARTS("restarts", "restarts"),
    MEMORY("memory", "memoryBytes"),
    NAME("name", "");

    /** Sorts by length before text, so that worker 10 comes after worker 9. */
    private static final Comparator<Figures> BY_NAME =
            Comparator.comparing((Figures worker) -> worker.text("pool"))
                    .thenComparingInt(worker -> worker.text("id").length())
                    .thenComparing(worker -> worker.text("id"));

    private final String title;
    private final String figure;

    /**
     * @param figure its name among those of a worker; empty for none
     */
    WorkerOrder(String title, String figure) {
        this.title = title;
        this.figure = figure;
    }

    String title() {
        return title;
    }

    WorkerOrder next() {
        List<WorkerOrder> all = List.of(values());
        return all.get((all.indexOf(this) + 1) % all.size());
    }

    Comparator<Figures> comparator() {
        return Comparator.comparingDouble(this::known).reversed().thenComparing(BY_NAME);
    }

    /** Unknown values come last. */
    private double known(Figures worker) {
        double value = worker.number(figure);
        return Double.isNaN(value) ? -1 : value;
    }
}
