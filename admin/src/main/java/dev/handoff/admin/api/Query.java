package dev.handoff.admin.api;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The parameters behind the question mark. Unknown parameters are rejected: they may be misspelt.
 */
public final class Query {
    private final Map<String, String> values;

    private Query(Map<String, String> values) {
        this.values = values;
    }

    /**
     * @param text the text behind the question mark; may be empty
     * @param known the parameters that there are
     */
    static Query parse(String text, Set<String> known) throws ProblemException {
        Map<String, String> values = new HashMap<>();
        for (String pair : text.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            if (!known.contains(name)) {
                throw refused("there is no parameter " + Problem.quoted(name) + there(known));
            }
            if (values.put(name, equals < 0 ? "" : decoded(pair.substring(equals + 1))) != null) {
                throw refused("the parameter " + name + " comes twice");
            }
        }
        return new Query(values);
    }

    /** The value as it is written, or null if it is missing. */
    public @Nullable String text(String name) {
        return values.get(name);
    }

    /** A whole number in a range. */
    public int number(String name, int least, int most, int preset) throws ProblemException {
        String text = values.get(name);
        if (text == null) {
            return preset;
        }
        boolean digits = text.chars().allMatch(each -> each >= '0' && each <= '9');
        if (digits && !text.isEmpty() && text.length() <= String.valueOf(most).length()) {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return (int) number;
            }
        }
        throw expected(name, text, "a whole number from " + least + " to " + most);
    }

    /** {@code true} or {@code false}; false if it is missing. */
    public boolean flag(String name) throws ProblemException {
        String text = values.getOrDefault(name, "false");
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw expected(name, text, "true or false");
        };
    }

    /** The complaint about a value. */
    public static ProblemException expected(String name, String found, String expected) {
        return refused(
                "the parameter %s is '%s': expected %s"
                        .formatted(name, Problem.quoted(found), expected));
    }

    private static ProblemException refused(String detail) {
        return new ProblemException(Problem.badRequest(detail));
    }

    private static String there(Set<String> known) {
        return known.isEmpty()
                ? " here"
                : " here; there is " + String.join(", ", new TreeSet<>(known));
    }

    private static String decoded(String text) throws ProblemException {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw refused("the query has a percent sign that encodes nothing");
        }
    }
}
