package dev.handoff.conformance;

import dev.handoff.http.ParserLimits;
import dev.handoff.server.ServerLimits;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The limits that a fixture may change. */
record FixtureLimits(ParserLimits request, int pipelined) {
    private static final Pattern LIMIT = Pattern.compile("([a-z]+) ([0-9]+)");
    private static final String STRICT_TARGETS = "strict targets";
    private static final Set<String> NAMES =
            Set.of("target", "head", "fields", "body", "pipelined");

    /**
     * @param list such as {@code target 16, head 64}, or empty
     * @throws IllegalArgumentException if the list has something else
     */
    static FixtureLimits read(String list) {
        Map<String, Integer> given = new HashMap<>();
        boolean strictTargets = false;
        for (String element : list.isEmpty() ? new String[0] : list.split(", ", -1)) {
            if (element.equals(STRICT_TARGETS)) {
                strictTargets = true;
                continue;
            }
            Matcher limit = LIMIT.matcher(element);
            if (!limit.matches() || !NAMES.contains(limit.group(1))) {
                throw new IllegalArgumentException("unknown limit: " + element);
            }
            if (given.put(limit.group(1), Integer.valueOf(limit.group(2))) != null) {
                throw new IllegalArgumentException("limited twice: " + limit.group(1));
            }
        }
        ParserLimits usual = ParserLimits.DEFAULT;
        return new FixtureLimits(
                new ParserLimits(
                        given.getOrDefault("target", usual.targetBytes()),
                        given.getOrDefault("head", usual.headBytes()),
                        given.getOrDefault("fields", usual.fields()),
                        given.getOrDefault("body", usual.bodyBytes()),
                        strictTargets),
                given.getOrDefault("pipelined", ServerLimits.DEFAULT.pipelinedRequests()));
    }
}
