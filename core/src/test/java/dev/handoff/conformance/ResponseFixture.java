package dev.handoff.conformance;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.ReadResponses;
import dev.handoff.http.ReadResponses.Asked;
import dev.handoff.http.ReadResponses.Found;
import dev.handoff.http.Response;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a reader of responses has to make of some bytes of a server's.
 *
 * @param name file and heading
 * @param asked the requests that the server got
 * @param expected the responses, of which the last one may lack content
 * @param ending what is with the connection then
 */
record ResponseFixture(
        String name, List<Asked> asked, Body bytes, List<Expected> expected, String ending) {
    static final String FOLDER = "http-responses";

    private static final Set<String> PROPERTIES = Set.of("rfc", "requests");
    private static final Set<String> BLOCKS = Set.of("http", "outcome");
    private static final Set<String> ENDINGS =
            Set.of(
                    ReadResponses.KEPT,
                    ReadResponses.CLOSED,
                    ReadResponses.WAITS,
                    ReadResponses.UNTIL_END,
                    ReadResponses.SWITCHED);
    private static final String INDENTATION = "  ";
    private static final Pattern RESPONSE =
            Pattern.compile("(response|begun) ([0-9]{3})(?: (\\S.*))?");

    /**
     * A response of an outcome.
     *
     * @param whole whether all of it has come
     * @param below its content, and its fields, if the fixture is about them
     */
    record Expected(boolean whole, int status, @Nullable String reason, Message below) {
        static final Expected NONE = new Expected(true, 0, null, Message.NOTHING);

        /** What came, with the fields if they are of interest here. */
        Expected like(Found found) {
            Response actual = found.response();
            boolean fields = below.fields().size() > 0;
            return new Expected(
                    found.endsAt() >= 0,
                    actual.status(),
                    actual.reason(),
                    new Message(fields ? actual.headers() : Headers.EMPTY, actual.body()));
        }

        String text() {
            String end = reason == null ? "" : " " + Escapes.encodeText(reason);
            return (whole ? "response " : "begun ") + status + end + "\n" + below.text();
        }
    }

    static ResponseFixture of(FixtureSection section) {
        return section.read(() -> read(section));
    }

    private static ResponseFixture read(FixtureSection section) {
        FixtureSection.Parts parts = section.parts(PROPERTIES, BLOCKS);
        List<String> outcome = parts.required("outcome");
        String ending = outcome.isEmpty() ? "" : outcome.getLast();
        if (!ENDINGS.contains(ending) && !ending.startsWith(ReadResponses.REFUSED)) {
            throw new IllegalArgumentException("unknown ending of an outcome: " + ending);
        }
        List<Asked> asked =
                Arrays.stream(parts.property("requests", "GET").split(", ", -1))
                        .map(ResponseFixture::asked)
                        .toList();
        return new ResponseFixture(
                section.name(),
                asked,
                parts.bytes(),
                responses(outcome.subList(0, outcome.size() - 1)),
                ending);
    }

    private static Asked asked(String request) {
        return switch (request) {
            case "GET" -> Asked.GET;
            case "HEAD" -> Asked.HEAD;
            case "UPGRADE" -> Asked.UPGRADE;
            default -> throw new IllegalArgumentException("unknown request: " + request);
        };
    }

    private static List<Expected> responses(List<String> lines) {
        List<Expected> responses = new ArrayList<>();
        int at = 0;
        while (at < lines.size()) {
            Matcher line = RESPONSE.matcher(lines.get(at++));
            if (!line.matches()) {
                throw new IllegalArgumentException("malformed line of an outcome");
            }
            List<String> below = new ArrayList<>();
            while (at < lines.size() && lines.get(at).startsWith(INDENTATION)) {
                below.add(lines.get(at++).substring(INDENTATION.length()));
            }
            String reason = line.group(3);
            responses.add(
                    new Expected(
                            line.group(1).equals("response"),
                            Integer.parseInt(line.group(2)),
                            reason == null ? null : Escapes.decodeText(reason),
                            Message.read(below).requireLowerCase()));
        }
        return responses;
    }

    /** The outcome, in the format of the fixtures. */
    String text() {
        return text(expected, ending);
    }

    static String text(List<Expected> responses, String ending) {
        StringBuilder out = new StringBuilder();
        responses.forEach(response -> out.append(response.text()));
        return out.append(ending).append('\n').toString();
    }
}
