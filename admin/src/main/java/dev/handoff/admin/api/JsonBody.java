package dev.handoff.admin.api;

import dev.handoff.http.Body;
import jakarta.json.JsonException;
import jakarta.json.stream.JsonParser;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The body of a POST: an object of numbers, read as a stream, so that neither depth nor length can
 * hurt. Without a body it is empty.
 */
public final class JsonBody {
    /** Longer numbers are never meant, and would take time to read. */
    private static final int MOST_DIGITS = 20;

    /** The numbers as they are written, by name. */
    private final Map<String, String> members;

    private JsonBody(Map<String, String> members) {
        this.members = members;
    }

    /** Refuses a body with members. */
    public static void requireEmpty(Body body) throws ProblemException {
        JsonBody read = read(body);
        if (!read.members.isEmpty()) {
            throw refused("this endpoint takes no body");
        }
    }

    /** The only member of the body, which is required. */
    static int number(Body body, String name, int least, int most) throws ProblemException {
        JsonBody read = read(body);
        String value = read.members.remove(name);
        String example = "{\"%s\": %d}".formatted(name, least);
        if (value == null || !read.members.isEmpty()) {
            throw refused("the body has to be of the form " + example);
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException fractionOrTooLarge) {
            // It is refused below, as one that is out of range is.
        }
        throw refused(
                "%s has to be a whole number from %d to %d, in digits"
                        .formatted(name, least, most));
    }

    private static JsonBody read(Body body) throws ProblemException {
        Map<String, String> members = new HashMap<>();
        if (body.isEmpty()) {
            return new JsonBody(members);
        }
        try (JsonParser parser = JsonLibrary.PROVIDER.createParser(new StringReader(text(body)))) {
            if (parser.next() != JsonParser.Event.START_OBJECT) {
                throw refused("the body has to be an object");
            }
            while (parser.next() == JsonParser.Event.KEY_NAME) {
                String name = parser.getString();
                if (members.put(name, value(name, parser)) != null) {
                    throw refused(Problem.quoted(name) + " comes twice in the body");
                }
            }
            if (parser.hasNext()) {
                throw refused("the body has more than one object");
            }
        } catch (JsonException wrong) {
            throw refused("the body is not JSON: " + wrong.getMessage());
        }
        return new JsonBody(members);
    }

    private static String value(String name, JsonParser parser) throws ProblemException {
        boolean number = parser.next() == JsonParser.Event.VALUE_NUMBER;
        if (!number || parser.getString().length() > MOST_DIGITS) {
            throw refused(
                    "%s has to be a number of at most %d digits"
                            .formatted(Problem.quoted(name), MOST_DIGITS));
        }
        return parser.getString();
    }

    private static String text(Body body) throws ProblemException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(body.asBuffer()).toString();
        } catch (CharacterCodingException malformed) {
            throw refused("the body is not UTF-8");
        }
    }

    private static ProblemException refused(String detail) {
        return new ProblemException(Problem.badRequest(detail));
    }
}
