package dev.handoff.conformance;

import dev.handoff.conformance.Outcome.Ending;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the blocks {@code outcome} and {@code reply} of a fixture; whatever is odd is refused. */
final class OutcomeReader {
    private static final String INDENTATION = "  ";
    private static final String NO_CONTENT = "no content";
    private static final String CONTENT_TYPE = "content-type: ";

    private static final Pattern REQUEST = Pattern.compile("request (\\S+) (\\S+) HTTP/(1\\.[01])");
    private static final Pattern ANSWER = Pattern.compile("answer ([2-5][0-9]{2})");
    private static final Pattern REFUSED = Pattern.compile("refused ([45][0-9]{2}) ([a-z0-9_]+)");

    private OutcomeReader() {}

    static Response reply(List<String> block) {
        Matcher status =
                Pattern.compile("[0-9]{3}").matcher(block.isEmpty() ? "" : block.getFirst());
        if (!status.matches()) {
            throw new IllegalArgumentException("a reply begins with its status");
        }
        Message message = Message.read(block.subList(1, block.size()));
        return Response.of(Integer.parseInt(status.group()), message.fields(), message.content());
    }

    static Outcome outcome(List<String> block) {
        List<Event> events = new ArrayList<>();
        int at = 0;
        while (at < block.size() - 1) {
            int end = at + 1;
            while (block.get(end).startsWith(INDENTATION)) {
                end++;
                if (end == block.size()) {
                    throw new IllegalArgumentException("an outcome ends with its ending");
                }
            }
            List<String> below =
                    block.subList(at + 1, end).stream()
                            .map(line -> line.substring(INDENTATION.length()))
                            .toList();
            events.add(event(block.get(at), below));
            at = end;
        }
        return new Outcome(List.copyOf(events), ending(block.isEmpty() ? "" : block.getLast()));
    }

    private static Ending ending(String line) {
        for (Ending ending : Ending.values()) {
            if (ending.text().equals(line)) {
                return ending;
            }
        }
        throw new IllegalArgumentException("an outcome ends with kept, waits or closed: " + line);
    }

    private static Event event(String line, List<String> below) {
        if (line.equals("answer 100") && below.isEmpty()) {
            return Event.Continued.CONTINUED;
        }
        Matcher request = REQUEST.matcher(line);
        if (request.matches()) {
            return seen(request, Message.read(below).requireLowerCase());
        }
        Matcher answer = ANSWER.matcher(line);
        if (answer.matches()) {
            return Event.Answered.of(Integer.parseInt(answer.group(1)), response(below));
        }
        Matcher refused = REFUSED.matcher(line);
        if (refused.matches()) {
            return refused(refused, below);
        }
        throw new IllegalArgumentException("malformed line of an outcome: " + line);
    }

    private static Event seen(Matcher line, Message message) {
        return new Event.Seen(
                new Request(
                        Escapes.decodeText(line.group(1)),
                        Escapes.decodeText(line.group(2)),
                        line.group(3).equals("1.0") ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1,
                        message.fields(),
                        message.content()));
    }

    /**
     * Without fields and content there is nothing to write below, which means the usual response.
     */
    private static Message response(List<String> below) {
        if (below.isEmpty()) {
            return Message.USUAL_RESPONSE;
        }
        return below.equals(List.of(NO_CONTENT))
                ? Message.NOTHING
                : Message.read(below).requireLowerCase();
    }

    private static Event refused(Matcher line, List<String> below) {
        boolean hasContent = true;
        String contentType = Event.Refused.PLAIN_TEXT;
        for (String property : below) {
            if (property.equals(NO_CONTENT)) {
                hasContent = false;
            } else if (property.startsWith(CONTENT_TYPE)) {
                contentType = property.substring(CONTENT_TYPE.length());
            } else {
                throw new IllegalArgumentException("malformed line below a refusal: " + property);
            }
        }
        return new Event.Refused(
                Integer.parseInt(line.group(1)), line.group(2), hasContent, contentType);
    }
}
