package dev.handoff.launcher.operator;

import java.util.HashMap;
import java.util.Map;

/**
 * What the server told at one moment.
 *
 * @param takenNanos on this machine's clock
 * @param stats as {@code GET /stats} answers
 * @param inHand as {@code GET /requests} answers
 * @param pools as {@code GET /workers} answers
 */
record Sample(long takenNanos, Figures stats, Figures inHand, Figures pools) {
    /** The most requests that a tall terminal shows. */
    private static final int MOST_REQUESTS = 50;

    private static final double NANOS_PER_SECOND = 1e9;

    static Sample take(AdminClient server) throws AdminException {
        Figures stats = new Figures(server.getJson("/stats"));
        Figures inHand = new Figures(server.getJson("/requests?limit=" + MOST_REQUESTS));
        Figures pools = new Figures(server.getJson("/workers"));
        return new Sample(System.nanoTime(), stats, inHand, pools);
    }

    /**
     * Requests per second of each worker since an earlier sample, by its id. Leaves out workers
     * that were not there then, or whose counts began anew.
     */
    Map<String, Double> workerRatesSince(Sample earlier) {
        Map<String, Double> before = workerRequests(earlier);
        double seconds = (takenNanos - earlier.takenNanos) / NANOS_PER_SECOND;
        Map<String, Double> rates = new HashMap<>();
        workerRequests(this)
                .forEach((worker, requests) -> {
                    double more = requests - before.getOrDefault(worker, Double.NaN);
                    if (more >= 0 && seconds > 0) {
                        rates.put(worker, more / seconds);
                    }
                });
        return rates;
    }

    private static Map<String, Double> workerRequests(Sample sample) {
        Map<String, Double> requests = new HashMap<>();
        sample.stats
                .list("workers")
                .forEach(worker -> requests.put(worker.text("id"), worker.number("requests")));
        return requests;
    }
}
