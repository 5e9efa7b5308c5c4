package dev.handoff.server.files;

import dev.handoff.http.FieldList;
import dev.handoff.http.Headers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The ways in which a file may lie compressed beside itself, the best first. */
enum Coding {
    BROTLI("br", ".br"),
    ZSTANDARD("zstd", ".zst"),
    GZIP("gzip", ".gz");

    /** The least that is more than none, in thousandths as all weights here. */
    private static final int LEAST = 1;

    private static final int FULL = 1000;
    private static final int MOST_DIGITS = 3;

    private final String token;
    private final String ending;

    Coding(String token, String ending) {
        this.token = token;
        this.ending = ending;
    }

    /** The value of Content-Encoding. */
    String token() {
        return token;
    }

    /** What the name of its file has at the end, behind the name of the other. */
    String ending() {
        return ending;
    }

    /**
     * Those that a request takes (RFC 9110 section 12.5.3), what it likes best first. Those that it
     * likes less than the file as it is are left out.
     */
    static List<Coding> accepted(Headers request) {
        Map<String, Integer> weights = new HashMap<>();
        for (String line : request.all("accept-encoding")) {
            FieldList.forEach(line, (from, to) -> weigh(line.substring(from, to), weights));
        }
        if (weights.isEmpty()) {
            return List.of();
        }
        int least = Math.max(LEAST, weights.getOrDefault("identity", 0));
        List<Coding> accepted = new ArrayList<>();
        for (Coding coding : values()) {
            if (coding.weightIn(weights) >= least) {
                accepted.add(coding);
            }
        }
        accepted.sort(Comparator.comparingInt(coding -> -coding.weightIn(weights)));
        return accepted;
    }

    private int weightIn(Map<String, Integer> weights) {
        return weights.getOrDefault(token, weights.getOrDefault("*", 0));
    }

    private static void weigh(String element, Map<String, Integer> weights) {
        int end = element.indexOf(';');
        String name = (end < 0 ? element : element.substring(0, end)).strip();
        int weight = end < 0 ? FULL : weight(element.substring(end + 1).strip());
        String lower = name.toLowerCase(Locale.ROOT);
        // RFC 9110 section 8.4.1.3.
        weights.put(lower.equals("x-gzip") ? GZIP.token : lower, weight);
    }

    /** weight = "q=" qvalue (section 12.4.2); 0 for what is none. */
    private static int weight(String text) {
        if (!text.regionMatches(true, 0, "q=", 0, 2) || text.length() < MOST_DIGITS) {
            return 0;
        }
        int weight = (text.charAt(2) - '0') * FULL;
        int unit = FULL;
        for (int i = 4; i < text.length(); i++) {
            unit /= 10;
            weight += (text.charAt(i) - '0') * unit;
        }
        boolean digits =
                text.chars().skip(2).allMatch(c -> (c >= '0' && c <= '9') || c == '.')
                        && (text.length() == MOST_DIGITS || text.charAt(MOST_DIGITS) == '.')
                        && text.indexOf('.', 4) < 0;
        return digits && unit > 0 && weight >= 0 && weight <= FULL ? weight : 0;
    }
}
