package dev.handoff.server.routing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one host and path, in the order in which they are tried. Where there are many, most
 * of them ask for one thing, such as a header: those that ask for another value of it are passed
 * over without a look. Immutable.
 */
final class RouteChoice {
    /** So many are looked at one after the other. */
    private static final int FEW = 8;

    private final List<RouteEntry> all;

    /** What the most routes ask for; null where they are few, or ask for nothing. */
    private final @Nullable Question question;

    /** The routes that each answer leaves, in order. */
    private final Map<String, List<RouteEntry>> byAnswer = new HashMap<>();

    /** Those that any other answer leaves. */
    private final List<RouteEntry> others;

    /**
     * What a route can ask a request for.
     *
     * @param name of the field or parameter; empty for places
     */
    private record Question(Kind kind, String name) {
        private enum Kind {
            HEADER,
            QUERY,
            PLACE
        }

        /** The answers that a route takes; null if it does not ask. */
        @Nullable Set<String> wanted(RouteEntry entry) {
            RouteConditions conditions = entry.conditions();
            if (conditions == null) {
                return null;
            }
            return switch (kind) {
                case HEADER -> conditions.headers().get(name);
                case QUERY -> conditions.query().get(name);
                case PLACE -> conditions.places().isEmpty() ? null : conditions.places();
            };
        }

        @Nullable String answer(RouteRequest request) {
            return switch (kind) {
                case HEADER -> request.onlyField(name);
                case QUERY -> request.onlyParameter(name);
                case PLACE -> request.origin().place();
            };
        }
    }

    RouteChoice(List<RouteEntry> entries) {
        all = entries.stream().sorted().toList();
        Question asked = all.size() <= FEW ? null : mostAsked(all);
        question = asked;
        others =
                asked == null
                        ? all
                        : all.stream().filter(each -> asked.wanted(each) == null).toList();
        if (asked != null) {
            Set<String> answers = new HashSet<>();
            for (RouteEntry each : all) {
                Set<String> wanted = asked.wanted(each);
                answers.addAll(wanted == null ? Set.of() : wanted);
            }
            for (RouteEntry each : all) {
                Set<String> wanted = asked.wanted(each);
                for (String answer : wanted == null ? answers : wanted) {
                    byAnswer.computeIfAbsent(answer, _ -> new ArrayList<>()).add(each);
                }
            }
        }
    }

    private static @Nullable Question mostAsked(List<RouteEntry> entries) {
        Map<Question, Integer> counts = new LinkedHashMap<>();
        for (RouteEntry each : entries) {
            RouteConditions conditions = each.conditions();
            if (conditions != null) {
                conditions
                        .headers()
                        .keySet()
                        .forEach(name -> count(Question.Kind.HEADER, name, counts));
                conditions
                        .query()
                        .keySet()
                        .forEach(name -> count(Question.Kind.QUERY, name, counts));
                if (!conditions.places().isEmpty()) {
                    count(Question.Kind.PLACE, "", counts);
                }
            }
        }
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(null);
    }

    private static void count(Question.Kind kind, String name, Map<Question, Integer> counts) {
        counts.merge(new Question(kind, name), 1, Integer::sum);
    }

    /** All that are for the request and perhaps others, in the order in which to try them. */
    List<RouteEntry> of(RouteRequest request) {
        if (question == null) {
            return all;
        }
        String answer = question.answer(request);
        return answer == null ? others : byAnswer.getOrDefault(answer, others);
    }
}
